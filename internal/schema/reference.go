package schema

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// reference returns a keyword of a schema, or of a schema inside it, that refers to another one; "" if there is none.
// It looks at what the validator has understood, not at the document: encoding/json takes "$REF" for "$ref".
func reference(s *jsonschema.Schema) string {
	switch _, recursive := s.Extra["$recursiveRef"]; {
	case s.Ref != "":
		return "$ref"
	case s.DynamicRef != "":
		return "$dynamicRef"
	case recursive:
		return "$recursiveRef"
	case s.Defs != nil:
		return "$defs"
	}
	for _, field := range reflect.ValueOf(s).Elem().Fields() {
		for _, inner := range schemasOf(field) {
			if found := reference(inner); found != "" {
				return found
			}
		}
	}
	return ""
}

// schemasOf returns the schemas that a field of a schema holds.
func schemasOf(field reflect.Value) []*jsonschema.Schema {
	switch v := field.Interface().(type) {
	case *jsonschema.Schema:
		if v != nil {
			return []*jsonschema.Schema{v}
		}
	case []*jsonschema.Schema:
		return v
	case map[string]*jsonschema.Schema:
		out := make([]*jsonschema.Schema, 0, len(v))
		for _, s := range v {
			out = append(out, s)
		}
		return out
	}
	return nil
}
