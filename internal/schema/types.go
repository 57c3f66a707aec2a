package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agenthost/agenthost/internal/text"
)

// typeNames are the types of JSON Schema.
var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// CheckTypes returns an error if a part of the schema has a type that does not exist: no value fits it. It is for schemas of the agent's author,
// who can correct them.
func (s *Schema) CheckTypes() error {
	if s == nil {
		return nil
	}
	return checkTypes(s.resolved.Schema())
}

func checkTypes(s *jsonschema.Schema) error {
	for _, name := range append(slices.Clone(s.Types), s.Type) {
		if name == "" || slices.Contains(typeNames, name) {
			continue
		}
		if near, ok := text.Nearest(name, typeNames); ok {
			return fmt.Errorf("schema: there is no type %q; did you mean %q?", name, near)
		}
		return fmt.Errorf("schema: there is no type %q; use one of %s", name, strings.Join(typeNames, ", "))
	}
	for _, field := range reflect.ValueOf(s).Elem().Fields() {
		for _, inner := range schemasOf(field) {
			if err := checkTypes(inner); err != nil {
				return err
			}
		}
	}
	return nil
}
