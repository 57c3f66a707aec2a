package threadstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/test/pgtest"
)

// keeps tests that a store keeps a thread and a value, beyond its being closed if it lasts.
func keeps(t *testing.T, text string, lasts bool) {
	t.Helper()
	address, err := threadstore.Parse(text)
	require.NoError(t, err)
	opened, err := address.Open(t.Context())
	require.NoError(t, err)
	agent, err := host.New(host.Config{Model: &scripted.Echo{}, Checkpointer: opened, Store: opened.Values})
	require.NoError(t, err)
	_, err = agent.Run(t.Context(), host.Input{Thread: "ada", Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	_, err = store.Put(t.Context(), opened.Values, store.Namespace{"users"}, "ada", "likes tea", store.PutOptions{})
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	require.NoError(t, opened.Close())

	again, err := address.OpenExisting(t.Context())
	if !lasts {
		require.ErrorIs(t, err, threadstore.ErrInMemory)
		return
	}
	require.NoError(t, err)
	held, err := again.Load(t.Context(), "ada", 0)
	require.NoError(t, err)
	require.Equal(t, 2, held.Log.List().Len())
	value, version, err := store.Get[string](t.Context(), again.Values, store.Namespace{"users"}, "ada")
	require.NoError(t, err)
	require.Equal(t, "likes tea", value)
	require.Equal(t, uint64(1), version)
	require.NoError(t, again.Close())
}

func TestStores(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		keeps(t, "memory", false)
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		keeps(t, "sqlite:"+filepath.Join(t.TempDir(), "agent.db"), true)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		keeps(t, pgtest.Address(t), true)
	})
}

func TestLookingMakesNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agent.db")
	address, err := threadstore.Parse("sqlite:agent.db")
	require.NoError(t, err)
	_, err = address.In(filepath.Dir(path)).OpenExisting(t.Context())
	require.EqualError(t, err, `sqlite "`+path+`": there is no such file; the first run creates it`)
	require.NoFileExists(t, path)
}

func TestStoresThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "text.db")
	require.NoError(t, os.WriteFile(path, []byte("this is not a database, and it is long enough to be read as one by its head"), 0o600))
	for text, want := range map[string]error{
		"sqlite:" + path: checkpoint.ErrCorrupt,
		"postgres://nobody:s3cret@127.0.0.1:1/agent": checkpoint.ErrUnavailable,
	} {
		address, err := threadstore.Parse(text)
		require.NoError(t, err)
		_, err = address.Open(t.Context())
		require.ErrorIs(t, err, want, text)
		require.NotContains(t, err.Error(), "s3cret")
	}
	_, err := threadstore.Address{}.Open(t.Context())
	require.EqualError(t, err, "the address names no store; use memory, sqlite:PATH or a postgres URL")
}

func TestConnections(t *testing.T) {
	t.Parallel()
	address, err := threadstore.Parse(pgtest.Address(t))
	require.NoError(t, err)
	for wanted, opens := range map[int]int{0: 8, 3: 3} {
		store, err := address.WithConnections(wanted).Open(t.Context())
		require.NoError(t, err)
		database, ok := store.Store.(*postgres.Store)
		require.True(t, ok)
		require.Equal(t, opens, database.Database().Writes().Stats().MaxOpenConnections)
		require.NoError(t, store.Close())
	}
}
