package checkpoint_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
)

// counting is a store that counts how often it assembles a thread.
type counting struct {
	checkpoint.Store

	loads int
}

func (c *counting) Load(ctx context.Context, thread string, at checkpoint.ID) (*checkpoint.Thread, error) {
	c.loads++
	return c.Store.Load(ctx, thread, at)
}

func TestALongPastIsNotLoadedStateByState(t *testing.T) {
	t.Parallel()
	const checkpoints = 1000
	store := &counting{Store: memory.New()}
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	var log history.Log
	var saved history.Cursor
	names := &ids{}
	for n := range checkpoints {
		log, err = log.Apply(&abi.Update{Messages: []abi.Message{abi.Human(fmt.Sprint(n))}}, names)
		require.NoError(t, err)
		r := checkpoint.Record{Parent: checkpoint.ID(n), Time: time.UnixMilli(int64(n)), Cursor: log.Cursor(), Messages: log.List().Len()}
		r.Changes, r.Whole = log.Since(saved)
		saved = log.Cursor()
		_, err = session.Save(t.Context(), &checkpoint.Commit{Record: r, Log: log})
		require.NoError(t, err)
	}
	require.NoError(t, session.Close())
	seen := 0
	for past, err := range checkpoint.Pasts(t.Context(), store, "t") {
		require.NoError(t, err)
		require.EqualValues(t, past.Record.ID, past.Thread.Log.List().Len())
		seen++
	}
	require.Equal(t, checkpoints, seen)
	require.LessOrEqual(t, store.loads, 8, "one for the newest, and one for each page")
	store.loads = 0
	for _, err := range checkpoint.Pasts(t.Context(), store, "t") {
		require.NoError(t, err)
		break
	}
	require.LessOrEqual(t, store.loads, 2)
}
