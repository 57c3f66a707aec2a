package schema

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi/wire"
)

var kinds = rapid.SampledFrom([]string{"", "null", "boolean", "integer", "number", "string", "array", "object"})

// drawSchema draws a schema that is plain, more or less.
func drawSchema(t *rapid.T, depth int) map[string]any {
	s := map[string]any{}
	if kind := kinds.Draw(t, "type"); kind != "" {
		s["type"] = kind
	}
	if rapid.IntRange(0, 5).Draw(t, "extra") == 0 {
		extra := rapid.SampledFrom([]string{"description", "minimum", "enum", "Required", "uniqueItems"}).Draw(t, "keyword")
		s[extra] = map[string]any{
			"description": "text", "minimum": 1, "enum": []any{1, "a"}, "Required": []any{"a"}, "uniqueItems": true,
		}[extra]
	}
	if depth == 0 {
		return s
	}
	if rapid.Bool().Draw(t, "has items") {
		s["items"] = drawSchema(t, depth-1)
	}
	if rapid.Bool().Draw(t, "has properties") {
		properties := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.Bool().Draw(t, "has "+name) {
				properties[name] = drawSchema(t, depth-1)
			}
		}
		s["properties"] = properties
	}
	if rapid.Bool().Draw(t, "has required") {
		s["required"] = rapid.SliceOfNDistinct(rapid.SampledFrom([]any{"a", "b", "c"}), 0, 2, rapid.ID).Draw(t, "required")
	}
	if rapid.Bool().Draw(t, "closes") {
		s["additionalProperties"] = rapid.Bool().Draw(t, "additional")
	}
	return s
}

func drawValue(t *rapid.T, depth int) any {
	most := 7
	if depth == 0 {
		most = 5
	}
	switch rapid.IntRange(0, most).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return rapid.Int64().Draw(t, "int")
	case 3:
		return rapid.SampledFrom([]float64{0, 1, -2.5, 1e300}).Draw(t, "float")
	case 4:
		return rapid.SampledFrom([]any{"", "a", uint64(1 << 63)}).Draw(t, "other")
	case 5:
		return []byte{1}
	case 6:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	default:
		object := map[string]any{}
		for _, name := range []string{"a", "b", "c", "d"} {
			if rapid.Bool().Draw(t, "sets "+name) {
				object[name] = drawValue(t, depth-1)
			}
		}
		return object
	}
}

// checkPlain fails if the fast path accepts what the validator refuses.
func checkPlain(t require.TestingT, s *Schema, v wire.Raw) {
	if s == nil || s.plain == nil || !s.plain.accepts(v) {
		return
	}
	value, err := v.Value()
	require.NoError(t, err)
	require.NoError(t, s.resolved.Validate(value), "schema %s, value %s", s.raw.JSON(), v.JSON())
}

func TestPlainAcceptsOnlyWhatTheValidatorAccepts(t *testing.T) {
	t.Parallel()
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		raw, err := wire.Of(drawSchema(t, 3))
		require.NoError(t, err)
		s, err := Compile(raw)
		require.NoError(t, err)
		for range 5 {
			v, err := wire.Of(drawValue(t, 3))
			require.NoError(t, err)
			checkPlain(t, s, v)
			if s.plain != nil && s.plain.accepts(v) {
				accepted++
			}
		}
	})
	require.Positive(t, accepted, "the property is not empty")
}

func TestPlainKnowsOrdinaryToolSchemas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"type":"object","properties":{"q":{"type":"string","description":"x"}},"required":["q"],"additionalProperties":false}`: true,
		`{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}}}}`:                                       true,
		`{}`:                              true,
		`true`:                            false,
		`{"type":["string","null"]}`:      false,
		`{"properties":{"q":true}}`:       false,
		`{"required":["q"]}`:              false,
		`{"items":[{"type":"string"}]}`:   false,
		`{"additionalProperties":{}}`:     false,
		`{"type":"string","minLength":1}`: false,
	} {
		raw, err := wire.FromJSON([]byte(text), wire.DefaultLimits)
		require.NoError(t, err)
		require.Equal(t, want, plainOf(raw) != nil, text)
	}
}

// FuzzPlain lets the fuzzer choose both documents.
func FuzzPlain(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":1}`)
	f.Add(`{"properties":{"a":null,"b":{"allOf":[4]}},"type":[]}`, `{"a":1}`)
	f.Add(`{"items":{"type":"number"},"additionalProperties":false}`, `[1,2.5]`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		if !json.Valid([]byte(schema)) || !json.Valid([]byte(value)) {
			return
		}
		rawSchema, err := wire.FromJSON([]byte(schema), wire.DefaultLimits)
		if err != nil {
			return
		}
		v, err := wire.FromJSON([]byte(value), wire.DefaultLimits)
		if err != nil {
			return
		}
		s, err := CompileUntrusted(rawSchema)
		if err != nil {
			return
		}
		checkPlain(t, s, v)
	})
}
