package schema

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// reference returns a keyword of a schema, or of a schema inside it, that refers to another schema. It returns "" if there is no such
// keyword. It checks the parsed schema rather than the document, because encoding/json reads "$REF" as "$ref".
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
