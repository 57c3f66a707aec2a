package plugin

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"
)

// TestALargeStackIsFound holds the field of wazero from which the size of a stack is read.
func TestALargeStackIsFound(t *testing.T) {
	t.Parallel()
	p, err := Wasm{ID: "bench", Bytes: BenchGuests(t)["rust"]}.Load(t.Context(), env())
	require.NoError(t, err)
	i, err := p.newInstance(t.Context())
	require.NoError(t, err)
	for name, f := range i.funcs {
		require.Positive(t, stackSize(f), name)
		require.Less(t, stackSize(f), mostStack, name)
	}
	require.NoError(t, i.close())
	require.NoError(t, p.Close())
	require.Equal(t, math.MaxInt, stackSize(struct{ api.Function }{}), "the size of an unknown function's stack")
	require.Equal(t, math.MaxInt, stackSize(&struct{ api.Function }{}), "the size of an unknown function's stack")
}
