package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/checkpointtest"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

func open(t *testing.T, path string, options sqlite.Options) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func TestStore(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(t *testing.T) checkpoint.Store {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "agent.db"), sqlite.Options{})
	})
}
