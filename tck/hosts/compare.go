package hosts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Compare returns an error that says where and how an outcome differs from the expected one, or nil if it does not. [Any]
// matches every value.
func Compare(want, got *Outcome) error {
	w, err := tree(want)
	if err != nil {
		return err
	}
	g, err := tree(got)
	if err != nil {
		return err
	}
	return compare("", w, g)
}

// tree converts a value to its JSON tree, with numbers as they are written.
func tree(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var out any
	return out, d.Decode(&out)
}

func compare(at string, want, got any) error {
	if want == Any {
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: want an object, got %v", at, got)
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			value, there := g[key]
			if !there {
				return fmt.Errorf("%s/%s: is missing; want %v", at, key, w[key])
			}
			if err := compare(at+"/"+key, w[key], value); err != nil {
				return err
			}
		}
		for _, key := range slices.Sorted(maps.Keys(g)) {
			if _, there := w[key]; !there {
				return fmt.Errorf("%s/%s: is not expected: %v", at, key, g[key])
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s: want %d items, got %v", at, len(w), got)
		}
		for i := range w {
			if err := compare(fmt.Sprintf("%s/%d", at, i), w[i], g[i]); err != nil {
				return err
			}
		}
		return nil
	default:
		if want != got {
			return fmt.Errorf("%s: want %v, got %v", at, want, got)
		}
		return nil
	}
}
