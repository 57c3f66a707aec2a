package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// settings collects the settings of a model. A field of a request can be set in several places: next to the model's other keys under a
// common name, inside a mapping of the provider, and under "settings". The order of the keys does not matter.
type settings struct {
	fields map[string]any
	places map[string]strictyaml.Node // where each field comes from, by its dotted path
}

func newSettings() *settings {
	return &settings{fields: map[string]any{}, places: map[string]strictyaml.Node{}}
}

// put sets the field at a path to the value of a node. Mappings are merged. The error for a field that already has another value
// names both places.
func (s *settings) put(path []string, value any, at strictyaml.Node) error {
	into := s.fields
	for i, key := range path[:len(path)-1] {
		s.reserve(path[:i+1], at)
		inner, ok := into[key].(map[string]any)
		if old, given := into[key]; given && !ok {
			return s.conflict(path[:i+1], old, map[string]any{}, at)
		}
		if !ok {
			inner = map[string]any{}
			into[key] = inner
		}
		into = inner
	}
	last := path[len(path)-1]
	old, given := into[last]
	_, merges := old.(map[string]any)
	fields, isMap := value.(map[string]any)
	switch {
	case given && (!merges || !isMap):
		return s.conflict(path, old, value, at)
	case !isMap:
		into[last] = value
		s.reserve(path, at)
		return nil
	case !given:
		into[last] = map[string]any{}
	}
	s.reserve(path, at)
	var errs []error
	for _, key := range at.Keys() { // in the order of the file, so that errors are, too
		inner, _ := at.Get(key)
		errs = append(errs, s.put(append(slices.Clip(path), key), fields[key], inner))
	}
	return strictyaml.Join(errs...)
}

// reserve records where a field was set first.
func (s *settings) reserve(path []string, at strictyaml.Node) {
	key := strings.Join(path, ".")
	if _, ok := s.places[key]; !ok {
		s.places[key] = at
	}
}

// conflict returns the error for a field that is set twice; nil if both values are the same.
func (s *settings) conflict(path []string, old, value any, at strictyaml.Node) error {
	before, err := json.Marshal(old)
	after, other := json.Marshal(value)
	if err == nil && other == nil && bytes.Equal(before, after) { // 1 and 1.0 are the same number
		return nil
	}
	key := strings.Join(path, ".")
	return at.Errorf("the setting %q already has another value, from %s; remove one of the two", key, placeOf(s.places[key]))
}

// placeOf names a place of the manifest.
func placeOf(n strictyaml.Node) string {
	if n.Line() == 0 {
		return n.Path() + " on the command line"
	}
	return fmt.Sprintf("%s in line %d", n.Path(), n.Line())
}
