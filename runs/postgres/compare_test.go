package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	threads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/runs/postgres"
	"github.com/agenthost/agenthost/runs/runstest"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestItDoesWhatTheStoreInMemoryDoes(t *testing.T) {
	t.Parallel()
	var clock runstest.Clock
	database, err := threads.Open(t.Context(), pgtest.Address(t), threads.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, database.Close()) })
	store, err := postgres.Open(t.Context(), database, postgres.Options{Now: clock.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	runstest.Compare(t, &clock, memory.New(memory.Options{Now: clock.Now}), store)
}
