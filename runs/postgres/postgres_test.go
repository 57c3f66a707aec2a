package postgres_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	threads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/postgres"
	"github.com/agenthost/agenthost/runs/runstest"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

func open(t *testing.T, address string) *postgres.Store {
	t.Helper()
	database, err := threads.Open(t.Context(), address, threads.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, database.Close()) })
	store, err := postgres.Open(t.Context(), database, postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func TestStore(t *testing.T) {
	t.Parallel()
	runstest.Run(t, func(t *testing.T) runs.Store {
		t.Helper()
		return open(t, pgtest.Address(t))
	})
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	runstest.RunShared(t, func(t *testing.T) runstest.Shared {
		t.Helper()
		address := pgtest.Address(t)
		return runstest.Shared{A: open(t, address), B: open(t, address)}
	})
}
