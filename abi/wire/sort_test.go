package wire_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi/wire"
)

func TestSortStrings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		list := rapid.SliceOf(rapid.String()).Draw(r, "list")
		want := slices.Clone(list)
		slices.Sort(want)
		wire.SortStrings(list)
		require.Equal(r, want, list)
	})
	for n := range 40 { // every length, falling and with equal neighbours
		var list []string
		for i := range n {
			list = append(list, string(rune('a'+(n-i)/2)))
		}
		wire.SortStrings(list)
		require.True(t, slices.IsSorted(list))
	}
}
