package openapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// constrain adds what the tags of a field say to the schema of its type.
func constrain(s Schema, tag reflect.StructTag) (Schema, error) {
	out := maps.Clone(s)
	if text := tag.Get("jsonschema"); text != "" {
		out["description"] = text
	}
	if kinds := tag.Get("type"); kinds != "" {
		out["type"] = strings.Split(kinds, ",")
	}
	if pattern := tag.Get("pattern"); pattern != "" {
		out["pattern"] = pattern
	}
	if format := tag.Get("format"); format != "" {
		out["format"] = format
	}
	if text := tag.Get("enum"); text != "" {
		var values []any
		for value := range strings.SplitSeq(text, ",") {
			values = append(values, value)
		}
		if kinds, _ := out["type"].([]string); slices.Contains(kinds, "null") {
			values = append(values, nil)
		}
		out["enum"] = values
	}
	for _, bound := range []struct{ tag, number, length string }{{"min", "minimum", "minLength"}, {"max", "maximum", "maxLength"}} {
		text, ok := tag.Lookup(bound.tag)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("tag %s:%q: %w", bound.tag, text, err)
		}
		if isText(out) {
			out[bound.length] = n
		} else {
			out[bound.number] = n
		}
	}
	return out, nil
}

func isText(s Schema) bool {
	kinds, _ := s["type"].([]string)
	return s["type"] == "string" || slices.Contains(kinds, "string")
}
