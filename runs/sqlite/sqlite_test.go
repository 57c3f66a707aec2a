package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	threads "github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/runs/runstest"
	"github.com/agenthost/agenthost/runs/sqlite"
)

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	file, err := threads.Open(t.Context(), path, threads.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	store, err := sqlite.Open(t.Context(), file, sqlite.Options{})
	require.NoError(t, err)
	return store
}

func TestStore(t *testing.T) {
	t.Parallel()
	runstest.Run(t, func(t *testing.T) runs.Store {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "agent.db"))
	})
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	runstest.RunShared(t, func(t *testing.T) runstest.Shared {
		t.Helper()
		path := filepath.Join(t.TempDir(), "agent.db")
		return runstest.Shared{A: open(t, path), B: open(t, path), Deaf: true}
	})
}

func TestItDoesWhatTheStoreInMemoryDoes(t *testing.T) {
	t.Parallel()
	var clock runstest.Clock
	file, err := threads.Open(t.Context(), filepath.Join(t.TempDir(), "agent.db"), threads.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	store, err := sqlite.Open(t.Context(), file, sqlite.Options{Now: clock.Now})
	require.NoError(t, err)
	runstest.Compare(t, &clock, memory.New(memory.Options{Now: clock.Now}), store)
}
