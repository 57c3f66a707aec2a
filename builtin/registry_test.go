package builtin_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
)

func TestRegistry(t *testing.T) {
	t.Parallel()
	entries := builtin.Registry()
	require.NotEmpty(t, entries)
	require.True(t, slices.IsSortedFunc(entries, func(a, b builtin.Entry) int {
		if a.Name <= b.Name {
			return -1
		}
		return 1
	}), "sorted by name")
	for _, entry := range entries {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			found, ok := builtin.Lookup(entry.Name)
			require.True(t, ok)
			require.Equal(t, entry.Summary, found.Summary)
			require.NotEmpty(t, entry.Summary)
			first, second := entry.New(), entry.New()
			require.Equal(t, reflect.Pointer, reflect.TypeOf(first).Kind(), "a decoder fills it in")
			require.NotSame(t, first, second)
			require.Equal(t, entry.Name, first.Name())
		})
	}
}

func TestLookupOfAnUnknownName(t *testing.T) {
	t.Parallel()
	_, ok := builtin.Lookup("nobody")
	require.False(t, ok)
}

func TestRegistryIsACopy(t *testing.T) {
	t.Parallel()
	builtin.Registry()[0].Name = "changed"
	require.NotEqual(t, "changed", builtin.Registry()[0].Name)
}

func ExampleLookup() {
	entry, ok := builtin.Lookup("model_call_limit")
	fmt.Println(entry.Name, entry.Summary, ok)
	// Output: model_call_limit limits the model calls of a run or thread true
}
