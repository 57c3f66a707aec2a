package schema

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi/wire"
)

// A Decoder reads values into a Go type, as [Schema.Decode] does. The arguments of most tools are structs of
// strings, numbers and booleans. It fills such structs without going through JSON, which would take a quarter of the time of a call.
type Decoder[T any] struct {
	schema *Schema
	fields []field // nil: the type is left to encoding/json
}

// field is a field that can be set directly by a value of its kind. Values of other kinds go to encoding/json.
type field struct {
	name  string
	index int
	kind  reflect.Kind
}

// NewDecoder returns the decoder for values of a schema, which may be nil.
func NewDecoder[T any](s *Schema) *Decoder[T] {
	d := &Decoder[T]{schema: s}
	if s == nil || !s.defaults {
		d.fields = plainFields(reflect.TypeFor[T]())
	}
	return d
}

// Decode reads a value. The error is written for the model.
func (d *Decoder[T]) Decode(value wire.Raw) (into T, err error) {
	if d.fields != nil && value.IsMap() {
		if set(reflect.ValueOf(&into).Elem(), d.fields, value) {
			return into, nil
		}
		var zero T
		into = zero
	}
	err = d.schema.Decode(value, &into)
	return into, err
}

// plainFields returns the fields of a struct if encoding/json would set each of them by its name alone, from a string, number or
// boolean. It returns nil if encoding/json could do anything else.
func plainFields(t reflect.Type) []field {
	if t.Kind() != reflect.Struct || decodesItself(t) {
		return nil
	}
	fields, names := []field{}, map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" {
			continue
		}
		if f.Anonymous || !f.IsExported() || decodesItself(f.Type) {
			return nil
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		if (options != "" && options != "omitempty" && options != "omitzero") || strings.ContainsFunc(name, notInNames) || names[strings.ToLower(name)] {
			return nil
		}
		names[strings.ToLower(name)] = true
		switch f.Type.Kind() {
		case reflect.String, reflect.Bool, reflect.Float64, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			fields = append(fields, field{name, i, f.Type.Kind()})
		default:
			return nil
		}
	}
	return fields
}

// notInNames reports whether encoding/json may treat a name with this character differently.
func notInNames(r rune) bool {
	return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// decodesItself reports whether a type decodes itself, or is treated specially by encoding/json, like its own Number.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t == reflect.TypeFor[json.Number]() || p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// set fills a struct, and reports whether each key named a field and each value was of its kind.
func set(into reflect.Value, fields []field, value wire.Raw) bool {
	n := 0
	for key, element := range value.Pairs() {
		n++
		known := false
		for i := range fields {
			if string(key) == fields[i].name {
				known = fields[i].set(into.Field(fields[i].index), element)
				break
			}
		}
		if !known {
			return false
		}
	}
	return n == value.Len() // pairs end early where a document is broken
}

func (f *field) set(into reflect.Value, value wire.Raw) bool {
	switch f.kind {
	case reflect.String:
		text, ok := value.AsString()
		if !ok || !utf8.ValidString(text) {
			return false
		}
		into.SetString(text)
	case reflect.Bool:
		b, ok := value.AsBool()
		if !ok {
			return false
		}
		into.SetBool(b)
	case reflect.Float64:
		x, ok := value.AsFloat()
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
		into.SetFloat(x)
	default:
		n, ok := value.AsInt()
		if !ok || into.OverflowInt(n) {
			return false
		}
		into.SetInt(n)
	}
	return true
}
