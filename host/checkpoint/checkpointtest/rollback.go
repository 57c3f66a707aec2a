package checkpointtest

import (
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// idsOf returns the checkpoints of a thread, the newest first.
func (c *check) idsOf(thread string) []checkpoint.ID {
	c.t.Helper()
	out := []checkpoint.ID{}
	for r, err := range checkpoint.All(c.t.Context(), c.store, thread) {
		require.NoError(c.t, err)
		out = append(out, r.ID)
	}
	return out
}

func (c *check) rollBack(thread string, to checkpoint.ID) {
	c.t.Helper()
	require.NoError(c.t, c.store.Rollback(c.t.Context(), thread, to))
}

func (c *check) absentAt(thread string, ids ...checkpoint.ID) {
	c.t.Helper()
	for _, id := range ids {
		_, err := c.store.Load(c.t.Context(), thread, id)
		require.ErrorIs(c.t, err, checkpoint.ErrNoCheckpoint)
	}
}

// rollback goes back in a thread with two branches, and on from there.
func (c *check) rollback() {
	ctx, started := c.t.Context(), checkpoint.Execution{CallID: "1", N: 1, Started: 1}
	w := c.open("t")
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(1)}}})
	w.say("one")
	w.say("two")
	require.NoError(c.t, w.session.Journal(ctx, &started))
	w.goBack(2)
	require.NoError(c.t, w.session.Journal(ctx, &started))
	w.say("other")
	w.apply(&abi.Update{Messages: []abi.Message{abi.Human("more")}})
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(2)}}})
	require.ErrorIs(c.t, c.store.Rollback(ctx, "t", 2), checkpoint.ErrBusy)
	w.close()
	before, err := c.store.History(ctx, "t", 0, 9)
	require.NoError(c.t, err)
	texts := func() (out []string) {
		for i := range before {
			for j := range before[i].Changes {
				out = append(out, before[i].Changes[j].Entry.Message().Content.Text())
			}
			out = append(out, before[i].State.Raw().JSON())
		}
		return out
	}
	were := texts()

	for _, to := range []checkpoint.ID{0, 6, math.MaxInt64, math.MaxUint64 - 1} {
		require.ErrorIs(c.t, c.store.Rollback(ctx, "t", to), checkpoint.ErrNoCheckpoint)
	}
	require.Equal(c.t, []checkpoint.ID{5, 4, 3, 2, 1}, c.idsOf("t"))
	c.rollBack("t", 3)
	require.Equal(c.t, []checkpoint.ID{3, 2, 1}, c.idsOf("t"))
	held, err := c.store.Load(ctx, "t", 0)
	require.NoError(c.t, err)
	require.Equal(c.t, []checkpoint.ID{3, 3, 2}, []checkpoint.ID{held.ID, held.Newest, held.Record.Parent})
	require.Equal(c.t, []string{"one", "two"}, textsOf(held.Log.List()))
	require.Equal(c.t, `{"a":1}`, held.State.Raw().JSON())
	require.Empty(c.t, held.Executions, "what had started after it is rolled back too")
	older, err := c.store.Load(ctx, "t", 2)
	require.NoError(c.t, err)
	require.Equal(c.t, []checkpoint.Execution{started}, older.Executions, "what comes before it stays as it is")
	c.absentAt("t", 4, 5)
	infos, err := c.store.Find(ctx, checkpoint.Query{})
	require.NoError(c.t, err)
	require.Equal(c.t, []any{checkpoint.ID(3), 2, held.Record.Time}, []any{infos[0].Head, infos[0].Messages, infos[0].Updated})

	w = c.open("t")
	w.ids.n = 20
	w.goBack(3)
	require.NoError(c.t, w.session.Journal(ctx, &started))
	require.EqualValues(c.t, 6, w.say("three"), "4 and 5 were others")
	require.Empty(c.t, w.goBack(3).Executions, "their result was saved")
	require.EqualValues(c.t, 7, w.say("four"))
	w.close()
	c.rollBack("t", 6)
	c.rollBack("t", 6) // nothing is left to remove
	c.rollBack("t", 1)
	w = c.open("t")
	w.goBack(1)
	require.EqualValues(c.t, 8, w.say("five"))
	require.EqualValues(c.t, 9, w.say("six"))
	require.Equal(c.t, []checkpoint.ID{9, 8, 1}, c.idsOf("t"))
	require.Equal(c.t, []string{"five", "six"}, c.texts("t", 0))
	require.Equal(c.t, were, texts(), "what was read stays as it is")
	w.close()
}

// rollbackToRoot removes everything but the memory of the ids.
func (c *check) rollbackToRoot() {
	ctx := c.t.Context()
	require.ErrorIs(c.t, c.store.Rollback(ctx, "t", checkpoint.Root), checkpoint.ErrNoThread)
	opened := c.open("t")
	require.ErrorIs(c.t, c.store.Rollback(ctx, "t", checkpoint.Root), checkpoint.ErrNoThread, "it was never saved")
	opened.say("one")
	opened.say("two")
	require.NoError(c.t, opened.session.Journal(ctx, &checkpoint.Execution{CallID: "1", N: 1, Started: 1}))
	require.ErrorIs(c.t, c.store.Rollback(ctx, "t", checkpoint.Root), checkpoint.ErrBusy)
	opened.close()

	next := checkpoint.ID(3)
	for range 2 {
		c.rollBack("t", checkpoint.Root)
		require.ErrorIs(c.t, c.store.Rollback(ctx, "t", checkpoint.Root), checkpoint.ErrNoThread)
		require.ErrorIs(c.t, c.store.Rollback(ctx, "t", 1), checkpoint.ErrNoThread)
		_, err := c.store.Load(ctx, "t", 0)
		require.ErrorIs(c.t, err, checkpoint.ErrNoThread)
		_, err = c.store.History(ctx, "t", 0, 9)
		require.ErrorIs(c.t, err, checkpoint.ErrNoThread)
		require.ErrorIs(c.t, c.store.Fork(ctx, "t", 0, "copy"), checkpoint.ErrNoThread)
		infos, err := c.store.Find(ctx, checkpoint.Query{})
		require.NoError(c.t, err)
		require.Empty(c.t, infos)
		for range 2 { // its ids are remembered whoever looks
			w := c.open("t")
			require.Nil(c.t, w.load())
			require.ErrorIs(c.t, w.session.Journal(ctx, &checkpoint.Execution{CallID: "1", N: 1}), checkpoint.ErrNoCheckpoint)
			w.close()
		}
		w := c.open("t")
		require.Equal(c.t, next, w.say("new"))
		held := w.load()
		require.Equal(c.t, []checkpoint.ID{next, next, 0}, []checkpoint.ID{held.ID, held.Newest, held.Record.Parent})
		require.Equal(c.t, []string{"new"}, textsOf(held.Log.List()))
		require.Empty(c.t, held.Executions)
		require.Equal(c.t, next+1, w.say("more"))
		require.Equal(c.t, []checkpoint.ID{next + 1, next}, c.idsOf("t"))
		w.close()
		next += 2
	}
	c.rollBack("t", checkpoint.Root)
	w := c.open("t")
	require.ErrorIs(c.t, c.store.Delete(ctx, "t"), checkpoint.ErrNoThread, "a session has it, and it was never saved")
	require.Equal(c.t, next, w.say("again"))
	w.close()
	c.rollBack("t", checkpoint.Root)
	require.ErrorIs(c.t, c.store.Delete(ctx, "t"), checkpoint.ErrNoThread)
	w = c.open("t")
	require.EqualValues(c.t, 1, w.say("first"), "its ids were forgotten")
	w.close()
}

// rollbackOfForks rolls copies back, copies what was rolled back, and copies to where something was rolled back.
func (c *check) rollbackOfForks() {
	ctx := c.t.Context()
	w := c.open("t")
	for _, text := range []string{"one", "two", "three"} {
		w.say(text)
	}
	w.goBack(1)
	w.say("other")
	w.close()
	require.NoError(c.t, c.store.Fork(ctx, "t", 0, "copy"))
	require.ErrorIs(c.t, c.store.Rollback(ctx, "copy", 3), checkpoint.ErrNoCheckpoint, "the copy does not have it")
	c.rollBack("copy", 1)
	require.Equal(c.t, []checkpoint.ID{1}, c.idsOf("copy"))
	require.Equal(c.t, []string{"one", "other"}, c.texts("t", 0), "it is another thread")
	copied := c.open("copy")
	copied.ids.n = 9
	copied.goBack(1)
	require.EqualValues(c.t, 5, copied.say("more"))
	copied.close()

	c.rollBack("t", 2)
	require.NoError(c.t, c.store.Fork(ctx, "t", 0, "second"))
	second := c.open("second")
	second.ids.n = 9
	second.goBack(2)
	require.EqualValues(c.t, 3, second.say("more"), "the copy never had 3")
	second.close()

	c.rollBack("copy", checkpoint.Root)
	require.NoError(c.t, c.store.Fork(ctx, "t", 0, "copy"), "it is like one that was never saved")
	require.Equal(c.t, []string{"one", "two"}, c.texts("copy", 0))
	require.Equal(c.t, []checkpoint.ID{2, 1}, c.idsOf("copy"))
	copied = c.open("copy")
	copied.ids.n = 9
	copied.goBack(2)
	require.EqualValues(c.t, 6, copied.say("more"), "5 was another")
	copied.close()
	infos, err := c.store.Find(ctx, checkpoint.Query{})
	require.NoError(c.t, err)
	require.Len(c.t, infos, 3)
	for i := range infos {
		require.False(c.t, infos[i].Created.After(time.Now().Add(time.Minute)))
	}
}
