package runs_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/runstest"
)

func object(t testing.TB, text string) (m runs.Metadata) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &m), text)
	return m
}

func TestContains(t *testing.T) {
	t.Parallel()
	for _, test := range runstest.Containments() {
		require.Equal(t, test.Yes, object(t, test.Whole).Contains(object(t, test.Part)), "%s @> %s", test.Whole, test.Part)
	}
	require.True(t, runs.Metadata(nil).Contains(nil))
	require.False(t, runs.Metadata{"a": 1}.Contains(runs.Metadata{"a": 1}), "an int is not a value of JSON as encoding/json decodes it")
}

// nested returns an object of so many levels.
func nested(levels int) runs.Metadata {
	var value any = 1.0
	for range levels - 1 {
		value = map[string]any{"a": value}
	}
	return runs.Metadata{"a": value}
}

func TestMetadataThatNoStoreKeeps(t *testing.T) {
	t.Parallel()
	list := func(n int) []any { return make([]any, n) }
	for name, m := range map[string]runs.Metadata{
		"nil":          nil,
		"everything":   object(t, `{"a": [null, true, 1.5, "x", {"b": []}], "": ""}`),
		"deepest":      nested(runs.MaxMetadataDepth),
		"most values":  {"a": list(runs.MaxMetadataValues - 1)},
		"longest text": {"a": strings.Repeat("x", runs.MaxMetadata-9)},
	} {
		require.NoError(t, m.Check(), name)
	}
	for name, m := range map[string]runs.Metadata{
		"too deep":          nested(runs.MaxMetadataDepth + 1),
		"too deep by lists": {"a": []any{nested(runs.MaxMetadataDepth - 1)}},
		"too many values":   {"a": list(runs.MaxMetadataValues)},
		"too long":          {"a": strings.Repeat("x", runs.MaxMetadata-8)},
		"not a number":      {"a": math.NaN()},
		"no number of JSON": {"a": []any{math.Inf(1)}},
		"a Go number":       {"a": 1},
		"another type":      {"a": json.Number("1")},
		"not UTF-8":         {"a": "\xff"},
		"a key with 0":      {"\x00": nil},
		"a text with 0":     {"a": map[string]any{"b": "\x00"}},
	} {
		err := m.Check()
		require.ErrorIs(t, err, runs.ErrInvalidValue, name)
		require.ErrorIs(t, (&runs.ThreadQuery{Metadata: m}).Check(), runs.ErrBadQuery, name)
	}
}

// FuzzContains holds that containment is an order, and that an object contains what was left out of it.
func FuzzContains(f *testing.F) {
	for _, test := range runstest.Containments() {
		f.Add(test.Whole, test.Part)
	}
	f.Fuzz(func(t *testing.T, whole, part string) {
		var a, b runs.Metadata
		if json.Unmarshal([]byte(whole), &a) != nil || json.Unmarshal([]byte(part), &b) != nil || a.Check() != nil || b.Check() != nil {
			return
		}
		require.True(t, a.Contains(a), "it contains itself")
		require.True(t, a.Contains(nil))
		both := runs.Metadata{"a": map[string]any(a), "b": map[string]any(b), "c": []any{map[string]any(a), map[string]any(b)}}
		require.True(t, both.Contains(runs.Metadata{"b": map[string]any(b), "c": []any{map[string]any(b)}}))
		if !a.Contains(b) {
			return
		}
		for key := range b {
			require.Contains(t, a, key)
		}
		require.True(t, a.Contains(halve(b)), "it contains what its part contains")
	})
}

// halve leaves out every second value.
func halve(m map[string]any) runs.Metadata {
	out, leave := runs.Metadata{}, false
	for key, value := range m {
		if leave = !leave; !leave {
			continue
		}
		if list, ok := value.([]any); ok {
			value = list[:len(list)/2]
		}
		out[key] = value
	}
	return out
}
