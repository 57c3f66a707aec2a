package openapi

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Schemer is a type that returns its own schema, because its Go type does not show which forms its values have. A type that encodes or decodes itself must be
// a Schemer. The method is called on a zero value.
type Schemer interface{ JSONSchema() Schema }

// direction is who writes a document.
type direction bool

const (
	requests direction = false // unknown members are ignored
	answers  direction = true  // there are no other members, and only those with omitempty may be missing
)

// schemas makes schemas of Go types. Those of structs with a name are components.
type schemas struct {
	components map[string]any
	types      map[string]described // by the names of components
}

type described struct {
	t reflect.Type
	d direction
}

func newSchemas() *schemas {
	return &schemas{components: map[string]any{}, types: map[string]described{}}
}

var (
	rawType         = reflect.TypeFor[json.RawMessage]()
	timeType        = reflect.TypeFor[time.Time]()
	schemerType     = reflect.TypeFor[Schemer]()
	marshalerType   = reflect.TypeFor[json.Marshaler]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textType        = reflect.TypeFor[encoding.TextMarshaler]()
)

// of returns the schema of the documents that are written from or read into a type.
func (s *schemas) of(t reflect.Type, d direction) (Schema, error) {
	if t.Kind() == reflect.Pointer {
		inner, err := s.of(t.Elem(), d)
		return orNull(inner), err
	}
	p := reflect.PointerTo(t)
	switch {
	case t == rawType, t.Kind() == reflect.Interface:
		return Schema{}, nil
	case t == timeType:
		return Schema{"type": "string", "format": "date-time"}, nil
	case t.Implements(schemerType):
		schemer, _ := reflect.TypeAssert[Schemer](reflect.Zero(t))
		if t.Kind() == reflect.Struct {
			return s.component(t, d, func() (Schema, error) { return schemer.JSONSchema(), nil })
		}
		return schemer.JSONSchema(), nil
	case p.Implements(marshalerType), p.Implements(unmarshalerType), p.Implements(textType):
		return nil, fmt.Errorf("%s encodes or decodes itself and has no JSONSchema", t)
	}
	switch t.Kind() {
	case reflect.Struct:
		if t.Name() == "" {
			return s.structure(t, d)
		}
		return s.component(t, d, func() (Schema, error) { return s.structure(t, d) })
	case reflect.Slice:
		return s.values("items", "array", t.Elem(), d)
	case reflect.Map:
		return s.values("additionalProperties", "object", t.Elem(), d)
	case reflect.String:
		return Schema{"type": "string"}, nil
	case reflect.Bool:
		return Schema{"type": "boolean"}, nil
	case reflect.Int, reflect.Int64:
		return Schema{"type": "integer"}, nil
	case reflect.Uint64:
		return Schema{"type": "integer", "minimum": 0}, nil
	case reflect.Float64:
		return Schema{"type": "number"}, nil
	default:
		return nil, fmt.Errorf("%s has no schema", t)
	}
}

func (s *schemas) values(key, kind string, of reflect.Type, d direction) (Schema, error) {
	inner, err := s.of(of, d)
	if err != nil {
		return nil, err
	}
	out := Schema{"type": kind}
	if len(inner) > 0 {
		out[key] = inner
	}
	return out, nil
}

// component makes the schema of a type a component, and returns a reference to it.
func (s *schemas) component(t reflect.Type, d direction, schema func() (Schema, error)) (Schema, error) {
	name := componentName(t)
	reference := Schema{"$ref": "#/components/schemas/" + name}
	switch known, ok := s.types[name]; {
	case ok && known == described{t, d}:
		return reference, nil
	case ok:
		return nil, fmt.Errorf("%s: there is another schema %s, of %s", t, name, known.t)
	}
	s.types[name] = described{t, d}
	made, err := schema()
	s.components[name] = made
	return reference, err
}

// componentName returns the name of a type for readers of the document: threadDocument is Thread.
func componentName(t reflect.Type) string {
	first, size := utf8.DecodeRuneInString(t.Name())
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(t.Name()[size:], "Document")
}

// structure returns the schema of a struct, with the fields of those that it embeds.
func (s *schemas) structure(t reflect.Type, d direction) (Schema, error) {
	properties := map[string]any{}
	var required []string
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			return nil, fmt.Errorf("%s.%s has no name in JSON", t, f.Name)
		}
		inner, err := s.of(f.Type, d)
		if err == nil {
			inner, err = constrain(inner, f.Tag)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		properties[name] = inner
		if d == answers && options != "omitempty" {
			required = append(required, name)
		}
	}
	out := Schema{"type": "object"}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if len(required) > 0 {
		out["required"] = required
	}
	if d == answers {
		out["additionalProperties"] = false
	}
	return out, nil
}

// body returns the schema of the body of a request.
func (s *schemas) body(b *Body) (Schema, error) {
	out, err := s.of(b.Type, requests)
	if len(b.Required) == 0 || err != nil {
		return out, err
	}
	object := out
	if items, ok := out["items"].(Schema); ok {
		object = items
	}
	object["required"] = b.Required // beside the reference
	return out, nil
}

// answer returns the schema of the answer of an operation.
func (s *schemas) answer(o *Operation) (Schema, error) {
	if !o.Select {
		return s.of(o.Answer, answers)
	}
	if o.Answer.Kind() != reflect.Slice {
		return nil, errors.New("members can be selected only of the objects of a list")
	}
	element := o.Answer.Elem()
	if _, err := s.of(element, answers); err != nil {
		return nil, err
	}
	name := "Selected" + componentName(element)
	whole, _ := s.components[componentName(element)].(Schema)
	part := maps.Clone(whole)
	delete(part, "required")
	part["description"] = "The members that were selected, or all."
	s.components[name] = part
	return Schema{"type": "array", "items": Schema{"$ref": "#/components/schemas/" + name}}, nil
}

// orNull returns a schema that also allows null.
func orNull(s Schema) Schema {
	kind, simple := s["type"].(string)
	forms, several := s["anyOf"].([]any)
	switch {
	case len(s) == 0:
		return s
	case several:
		return Schema{"anyOf": append(slices.Clone(forms), Schema{"type": "null"})}
	case !simple:
		return Schema{"anyOf": []any{s, Schema{"type": "null"}}}
	}
	out := maps.Clone(s)
	out["type"] = []string{kind, "null"}
	return out
}
