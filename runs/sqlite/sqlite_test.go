package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	threads "github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model/scripted"
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

// A run that nobody claims when it is submitted waits until the engine looks by itself.
func TestRunsCanBeClaimedAtOnce(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{Model: scripted.NewTurns()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	store := open(t, filepath.Join(t.TempDir(), "agent.db"))
	service, err := runs.NewService(runs.ServiceConfig{Store: store, Agents: map[string]runs.Agent{"helper": {Agent: agent}}})
	require.NoError(t, err)
	t.Cleanup(service.Close)
	assistant, err := service.Resolve(t.Context(), "ann", "helper")
	require.NoError(t, err)
	worker := &runs.Worker{ID: "w", Agents: []string{"helper"}, Lease: time.Hour}
	for range 100 {
		run, err := service.Submit(t.Context(), &runs.Submission{
			Owner: "ann", Assistant: assistant, Task: runs.Task{Messages: []abi.Message{abi.Human("hi")}},
		})
		require.NoError(t, err)
		claimed, err := store.Claim(t.Context(), worker, 10)
		require.NoError(t, err)
		require.Len(t, claimed, 1)
		require.Equal(t, run.ID, claimed[0].ID)
	}
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
