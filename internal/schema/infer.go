package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agenthost/agenthost/abi/wire"
)

// Of returns the schema of a Go type, which must be a struct or a map: by its json and jsonschema tags, and by the tags
// enum, default, min and max, see the package host/tool.
func Of[T any]() (wire.Raw, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	withoutNull(s)
	if err := applyTags(reflect.TypeFor[T](), s); err != nil {
		return nil, err
	}
	if _, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
		return nil, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	raw, err := wire.FromJSON(text, wire.DefaultLimits)
	if err != nil {
		return nil, err
	}
	var m wire.Map
	if _, err := m.UnmarshalMsg(raw); err != nil {
		return nil, err
	}
	if kind, _ := m.Get("type").AsString(); kind != "object" {
		return nil, fmt.Errorf("the Go type must be a struct or a map, but its schema is %s", text)
	}
	return raw, nil
}

// withoutNull removes null from the types of slices, maps and pointers: a model simply omits such values, and some providers refuse
// lists of types.
func withoutNull(s *jsonschema.Schema) {
	if rest := slices.DeleteFunc(s.Types, func(kind string) bool { return kind == "null" }); len(rest) == 1 {
		s.Type, s.Types = rest[0], nil
	}
	for _, property := range s.Properties {
		withoutNull(property)
	}
	for _, inner := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if inner != nil {
			withoutNull(inner)
		}
	}
}
