package certify

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// conforming makes a value that fits a schema. It returns false if it finds none, for example because of a pattern.
// With full, the value includes optional properties.
func conforming(rng *rand.Rand, raw wire.Raw, full bool) (wire.Raw, bool) {
	compiled, err := schema.CompileUntrusted(raw)
	if err != nil {
		return nil, false
	}
	var tree any
	if !raw.IsZero() {
		if tree, err = raw.Value(); err != nil {
			return nil, false
		}
	}
	const tries = 30
	for range tries {
		value, err := wire.Of(valueFor(rng, tree, full, 0))
		if err == nil && compiled.Validate(value) == nil {
			return value, true
		}
	}
	return nil, false
}

// valueFor makes a value that fits a schema, as far as it understands the schema.
func valueFor(rng *rand.Rand, tree any, full bool, depth int) any {
	s, ok := tree.(map[string]any)
	if !ok || len(s) == 0 {
		return anyValue(rng, depth)
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[rng.IntN(len(list))]
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		if list, ok := s[choice].([]any); ok && len(list) > 0 {
			return valueFor(rng, list[rng.IntN(len(list))], full, depth)
		}
	}
	kind, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok && len(kinds) > 0 {
		kind, _ = kinds[rng.IntN(len(kinds))].(string)
	}
	if _, ok := s["properties"]; ok && kind == "" {
		kind = "object"
	}
	switch kind {
	case "object":
		return objectFor(rng, s, full, depth)
	case "array":
		return arrayFor(rng, s, full, depth)
	case "string":
		return textFor(rng, s)
	case "integer":
		low, high := bounds(s, -1000, 1000)
		return int64(low) + rng.Int64N(max(1, int64(high)-int64(low)+1))
	case "number":
		low, high := bounds(s, -1000, 1000)
		return low + rng.Float64()*(high-low)
	case "boolean":
		return rng.IntN(2) == 0
	case "null":
		return nil
	default:
		return anyValue(rng, depth)
	}
}

func objectFor(rng *rand.Rand, s map[string]any, full bool, depth int) any {
	out := map[string]any{}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	for _, key := range sortedKeys(properties) {
		if slices.Contains(required, any(key)) || full && rng.IntN(4) > 0 {
			out[key] = valueFor(rng, properties[key], full, depth+1)
		}
	}
	for _, key := range required {
		if name, ok := key.(string); ok && properties[name] == nil {
			out[name] = valueFor(rng, s["additionalProperties"], full, depth+1)
		}
	}
	if closed, ok := s["additionalProperties"].(bool); full && depth < 3 && (!ok || closed) && rng.IntN(4) == 0 {
		out["further"] = valueFor(rng, s["additionalProperties"], full, depth+1)
	}
	return out
}

func arrayFor(rng *rand.Rand, s map[string]any, full bool, depth int) any {
	n := number(s["minItems"], 0)
	if most := number(s["maxItems"], n+3); full && most > n {
		n += float64(rng.IntN(int(min(most-n, 8)) + 1))
	}
	const most = 1000
	out := make([]any, int(min(n, most)))
	for i := range out {
		out[i] = valueFor(rng, s["items"], full, depth+1)
	}
	return out
}

func textFor(rng *rand.Rand, s map[string]any) string {
	low := number(s["minLength"], 0)
	high := number(s["maxLength"], low+20)
	n := int(low) + rng.IntN(max(1, int(min(high-low, 100))+1))
	if s["pattern"] != nil || s["format"] != nil {
		return strings.Repeat(string(rune('a'+rng.IntN(26))), n)
	}
	runes := []rune(words(rng, n))
	return string(runes[:min(n, len(runes))])
}

// bounds returns approximately the smallest and the largest number that a schema allows.
func bounds(s map[string]any, low, high float64) (float64, float64) {
	l := number(s["exclusiveMinimum"], number(s["minimum"], low)-1) + 1
	h := number(s["exclusiveMaximum"], number(s["maximum"], max(high, l+10))+1) - 1
	return l, max(l, h)
}

func number(v any, otherwise float64) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	default:
		return otherwise
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
