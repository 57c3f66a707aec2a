package httptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// body is a JSON value with places for arguments. A string that consists of one place becomes the argument, with its type; a
// member or an item whose argument is not given is left out.
type body struct {
	fixed   json.RawMessage // a value without places
	text    template        // a string
	list    []body
	members []member // of an object, sorted
	kind    byte     // 0: fixed, 's', '[' or '{'
}

type member struct {
	key   []byte // as JSON
	value body
}

// maxBodyDepth is how deeply the configured body may be nested.
const maxBodyDepth = 64

// parseBody reads the configured body.
func parseBody(value any) (*body, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var decoded any
	if err := d.Decode(&decoded); err != nil {
		return nil, err
	}
	b, err := bodyOf(decoded, 0)
	return &b, err
}

func bodyOf(value any, depth int) (b body, err error) {
	if depth > maxBodyDepth {
		return b, fmt.Errorf("the body is nested deeper than %d levels", maxBodyDepth)
	}
	switch v := value.(type) {
	case string:
		b.kind = 's'
		b.text, err = parseTemplate(v)
	case []any:
		b.kind = '['
		for _, item := range v {
			inner, err := bodyOf(item, depth+1)
			if err != nil {
				return b, err
			}
			b.list = append(b.list, inner)
		}
	case map[string]any:
		b.kind = '{'
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inner, err := memberOf(key, v[key], depth+1)
			if err != nil {
				return b, fmt.Errorf("%s: %w", key, err)
			}
			b.members = append(b.members, inner)
		}
	default:
		b.fixed, err = json.Marshal(v)
	}
	return b, err
}

func memberOf(key string, value any, depth int) (m member, err error) {
	name, err := parseTemplate(key)
	if err != nil {
		return m, err
	}
	if key, err = name.plain(); err != nil {
		return m, err
	}
	m.key = appendText(nil, key)
	m.value, err = bodyOf(value, depth)
	return m, err
}

// names returns the names of the arguments in the body.
func (b *body) names() []string {
	names := b.text.names()
	for i := range b.list {
		names = append(names, b.list[i].names()...)
	}
	for i := range b.members {
		names = append(names, b.members[i].value.names()...)
	}
	return names
}

// appendJSON appends the value with the arguments filled in; false if one is not given.
func (b *body) appendJSON(dst []byte, args wire.Map) ([]byte, bool) {
	switch b.kind {
	case 's':
		return b.appendString(dst, args)
	case '[':
		dst = append(dst, '[')
		for i, first := 0, true; i < len(b.list); i++ {
			dst, first = appendInner(dst, nil, &b.list[i], args, first)
		}
		return append(dst, ']'), true
	case '{':
		dst = append(dst, '{')
		for i, first := 0, true; i < len(b.members); i++ {
			dst, first = appendInner(dst, b.members[i].key, &b.members[i].value, args, first)
		}
		return append(dst, '}'), true
	default:
		return append(dst, b.fixed...), true
	}
}

func appendInner(dst, key []byte, value *body, args wire.Map, first bool) (out []byte, stillFirst bool) {
	before := len(dst)
	if !first {
		dst = append(dst, ',')
	}
	if key != nil {
		dst = append(append(dst, key...), ':')
	}
	dst, complete := value.appendJSON(dst, args)
	if !complete {
		return dst[:before], first
	}
	return dst, false
}

func (b *body) appendString(dst []byte, args wire.Map) ([]byte, bool) {
	if name, ok := b.text.only(); ok {
		value := args.Get(name)
		switch {
		case value.IsZero():
			return dst, false
		case value.Type() == "number":
			return append(dst, textOf(value)...), true
		}
		out, err := wire.AppendJSON(dst, value)
		return out, err == nil
	}
	text, complete, _ := b.text.fill(args, asItIs) // asItIs returns no error
	if !complete {
		return dst, false
	}
	return appendText(dst, text), true
}

// appendText appends a text as JSON.
func appendText(dst []byte, text string) []byte {
	dst, _ = wire.AppendJSON(dst, wire.String(strings.ToValidUTF8(text, "\uFFFD"))) // a string has a JSON form
	return dst
}
