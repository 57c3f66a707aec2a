package memory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
)

// note is what checkpoint n of these tests holds: short texts of which a page has many, and long ones that need a page of their own.
func note(n int) string {
	length := n
	if n%7 == 0 {
		length = 5000
	}
	return strings.Repeat("x", length)
}

// noted adds checkpoints after a parent, up to the number last.
func noted(t *testing.T, s checkpoint.Store, parent checkpoint.ID, last int) {
	t.Helper()
	session, err := s.Open(t.Context(), "t")
	require.NoError(t, err)
	for n := int(parent) + 1; n <= last; n++ {
		var log history.Log
		c := &checkpoint.Commit{Log: log}
		c.Parent, c.Whole, c.Time, c.Source, c.Cursor = parent, parent == 0, time.UnixMilli(int64(n)), checkpoint.SourceLoop, log.Cursor()
		c.State.Set("note", wire.String(note(n)))
		parent, err = session.Save(t.Context(), c)
		require.NoError(t, err)
	}
	require.NoError(t, session.Close())
}

// A long thread fills several pages. Every checkpoint can be read from them, also after later ones were removed.
func TestThreadOfManyPages(t *testing.T) {
	t.Parallel()
	const most, kept, added = 60, 31, 20
	store := memory.New()
	noted(t, store, 0, most/2)
	noted(t, store, most/2, most) // goes on where closing the session has trimmed the last page
	before, err := store.History(t.Context(), "t", 0, most)
	require.NoError(t, err)
	require.Len(t, before, most)

	require.NoError(t, store.Rollback(t.Context(), "t", kept))
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	parent := checkpoint.ID(kept)
	for n := range added {
		c := &checkpoint.Commit{}
		c.Parent, c.Time, c.Source, c.Cursor.Epoch = parent, time.UnixMilli(int64(n)), checkpoint.SourceLoop, 1
		c.State.Set("note", wire.String("another"))
		parent, err = session.Save(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, checkpoint.ID(most+1+n), parent, "no id is used again")
	}
	require.NoError(t, session.Close())

	for i := range before { // what was read stays as it was
		n := int(before[i].ID)
		require.Equal(t, wire.String(note(n)), before[i].State.Get("note"), "checkpoint %d", n)
		require.Equal(t, time.UnixMilli(int64(n)).UTC(), before[i].Time)
	}
	after, err := store.History(t.Context(), "t", 0, 2*most)
	require.NoError(t, err)
	require.Len(t, after, kept+added)
	for i := range after {
		want := "another"
		if after[i].ID <= kept {
			want = note(int(after[i].ID))
		}
		require.Equal(t, wire.String(want), after[i].State.Get("note"), "checkpoint %d", after[i].ID)
	}
	_, err = store.Load(t.Context(), "t", kept+1)
	require.ErrorIs(t, err, checkpoint.ErrNoCheckpoint)
}
