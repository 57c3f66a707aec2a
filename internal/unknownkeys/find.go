// Package unknownkeys finds keys in documents of guests that the ABI does not define. Hosts ignore such keys, so that a guest can be
// newer than its host. Most of them are misspelt, and then something that the author wrote has no effect.
package unknownkeys

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/text"
)

// most is how many keys are reported.
const most = 10

// Find returns a sentence for each key of a document that a type of package abi does not have, at most 10. The document must be
// well formed; a part of another type than the key has is left out. Keys in the sentences are cleaned and cut.
func Find[T any](document wire.Raw) []string {
	var f finder
	f.value(document, reflect.TypeFor[T](), "")
	return f.found
}

// Known reports whether a document has a key.
func Known[T any](key string) bool {
	_, known := keysOf(reflect.TypeFor[T]())[key]
	return known
}

// finder collects what Find returns.
type finder struct{ found []string }

var (
	patchType   = reflect.TypeFor[abi.Patch]()
	messageType = reflect.TypeFor[abi.Message]()
	mapType     = reflect.TypeFor[wire.Map]()
)

func (f *finder) value(value wire.Raw, t reflect.Type, path string) {
	if t == patchType {
		t = messageType // a patch has the keys of a message
	}
	switch {
	case t == mapType: // its keys are free
	case t.Kind() == reflect.Pointer:
		f.value(value, t.Elem(), path)
	case t.Kind() == reflect.Slice && value.IsArray():
		at := 0
		for element := range value.Elements() {
			f.value(element, t.Elem(), fmt.Sprintf("%s[%d]", path, at))
			at++
		}
	case t.Kind() == reflect.Struct && value.IsMap():
		f.object(value, t, path)
	}
}

// object looks at the keys of a document. A type without tagged fields, such as content, has keys that are free.
func (f *finder) object(value wire.Raw, t reflect.Type, path string) {
	known := keysOf(t)
	if len(known) == 0 {
		return
	}
	for key, inner := range value.Pairs() {
		if len(f.found) == most {
			return
		}
		name := string(key)
		at := strings.TrimPrefix(path+"."+name, ".")
		if of, ok := known[name]; ok {
			f.value(inner, of, at)
			continue
		}
		f.found = append(f.found, unknown(name, path, slices.Sorted(maps.Keys(known))))
	}
}

// keysOf returns the keys of a document and the types of their values.
func keysOf(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for field := range t.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("msgpack"), ","); name != "" {
			known[name] = field.Type
		}
	}
	return known
}

func unknown(name, path string, names []string) string {
	out := fmt.Sprintf("unknown key %q", text.Cut(text.Clean(name), 64))
	if path != "" {
		out += " in " + path
	}
	if near, ok := text.Nearest(name, names); ok {
		return out + fmt.Sprintf("; did you mean %q?", near)
	}
	return out + ", which the host ignores"
}
