package plugins_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSizes holds every plugin small: it shall load fast, also over a network.
func TestSizes(t *testing.T) {
	t.Parallel()
	const most = 200_000
	modules, err := filepath.Glob("*/*.wasm")
	require.NoError(t, err)
	require.Len(t, modules, 5, "run make plugins and make rust")
	for _, module := range modules {
		info, err := os.Stat(module)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(most), module)
	}
}
