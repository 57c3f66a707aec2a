package checkpointtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// found returns the names of the threads that a query finds.
func (c *check) found(q checkpoint.Query) []string {
	c.t.Helper()
	infos, err := c.store.Find(c.t.Context(), q)
	require.NoError(c.t, err)
	names := []string{}
	for i := range infos {
		names = append(names, infos[i].Thread)
	}
	return names
}

// ends are checkpoints after which runs end, by the name of their thread, and the state of the thread.
func ends() map[string]checkpoint.State {
	return map[string]checkpoint.State{
		"over": checkpoint.Done, "asks": checkpoint.Waiting, "half answered": checkpoint.Waiting, "answered": checkpoint.Stopped,
		"breakpoint": checkpoint.Stopped, "cancelled": checkpoint.Stopped, "failed": checkpoint.Failed, "midway": checkpoint.Stopped,
		"asks, cancelled": checkpoint.Waiting,
	}
}

// endOf returns the checkpoint of a thread of ends.
func endOf(name string) checkpoint.Record {
	open, answered := checkpoint.Question{ID: "q1", Key: "ok"}, checkpoint.Question{ID: "q2", Key: "ok", Answer: wire.Bool(true)}
	return checkpoint.Record{Checkpoint: map[string]checkpoint.Checkpoint{
		"over": {}, "asks": {Next: "tools", Questions: []checkpoint.Question{open}},
		"half answered": {Next: "tools", Questions: []checkpoint.Question{answered, open}},
		"answered":      {Next: "tools", Questions: []checkpoint.Question{answered}},
		"breakpoint":    {Next: "tools", Paused: true}, "cancelled": {Next: "model", Failure: "context canceled", Cancelled: true},
		"failed": {Next: "model", Failure: "overloaded"}, "midway": {Next: "model"},
		"asks, cancelled": {Next: "tools", Failure: "context canceled", Cancelled: true, Questions: []checkpoint.Question{open}},
	}[name]}
}

// states finds threads by their state.
func (c *check) states() {
	for name := range ends() {
		w := c.open(name)
		w.save(checkpoint.Record{Checkpoint: checkpoint.Checkpoint{Next: "model"}})
		w.save(endOf(name))
		require.Equal(c.t, []string{name}, c.found(checkpoint.Query{State: checkpoint.Running}))
		require.NotContains(c.t, c.found(checkpoint.Query{State: ends()[name]}), name, "a run has it open")
		w.close()
	}
	c.open("never saved").close()
	unsaved := c.open("not saved yet")
	want := map[checkpoint.State][]string{checkpoint.Running: nil, checkpoint.Orphaned: nil}
	for name, state := range ends() {
		want[state] = append(want[state], name)
	}
	for _, state := range checkpoint.States {
		slices.Sort(want[state])
		require.ElementsMatch(c.t, want[state], c.found(checkpoint.Query{State: state}), state)
	}
	unsaved.close()
	infos, err := c.store.Find(c.t.Context(), checkpoint.Query{})
	require.NoError(c.t, err)
	states := map[string]checkpoint.State{}
	for i := range infos {
		require.Equal(c.t, endOf(infos[i].Thread).Checkpoint, infos[i].Newest)
		states[infos[i].Thread] = infos[i].State
	}
	require.Equal(c.t, ends(), states)

	w := c.open("over")
	w.close()
	require.Contains(c.t, c.found(checkpoint.Query{State: checkpoint.Done}), "over", "opening it changes nothing")
	w = c.open("asks")
	w.id = w.load().ID
	w.save(endOf("over"))
	w.close()
	require.Equal(c.t, []string{"asks", "over"}, c.found(checkpoint.Query{State: checkpoint.Done}))
	require.Equal(c.t, []string{"asks, cancelled", "half answered"}, c.found(checkpoint.Query{State: checkpoint.Waiting}))
	require.NoError(c.t, c.store.Delete(c.t.Context(), "over"))
	require.Equal(c.t, []string{"asks"}, c.found(checkpoint.Query{State: checkpoint.Done}))
}

// statesAfterRollback finds threads that were rolled back or copied by what they are now.
func (c *check) statesAfterRollback() {
	ctx := c.t.Context()
	w := c.open("t")
	w.save(endOf("over"))
	w.save(checkpoint.Record{Checkpoint: checkpoint.Checkpoint{Next: "model"}})
	w.save(endOf("asks"))
	w.save(endOf("failed"))
	w.close()
	require.NoError(c.t, c.store.Fork(ctx, "t", 3, "copy"))
	for to, state := range []checkpoint.State{4: checkpoint.Failed, 3: checkpoint.Waiting, 2: checkpoint.Stopped, 1: checkpoint.Done} {
		if state != "" {
			require.NoError(c.t, c.store.Fork(ctx, "t", checkpoint.ID(to), fmt.Sprint("at ", to)))
			require.Equal(c.t, []string{fmt.Sprint("at ", to)}, c.found(checkpoint.Query{State: state, Prefix: "at"}))
			require.NoError(c.t, c.store.Delete(ctx, fmt.Sprint("at ", to)))
		}
	}
	for _, step := range []struct {
		to    checkpoint.ID
		state checkpoint.State
	}{{4, checkpoint.Failed}, {3, checkpoint.Waiting}, {2, checkpoint.Stopped}, {1, checkpoint.Done}} {
		c.rollBack("t", step.to)
		for _, state := range checkpoint.States {
			require.Equal(c.t, state == step.state, slices.Contains(c.found(checkpoint.Query{State: state}), "t"), "%d %s", step.to, state)
		}
		infos, err := c.store.Find(ctx, checkpoint.Query{Prefix: "t"})
		require.NoError(c.t, err)
		require.Equal(c.t, []any{step.to, step.state}, []any{infos[0].Head, infos[0].State})
	}
	c.rollBack("t", checkpoint.Root)
	for _, state := range append(slices.Clone(checkpoint.States), "") {
		require.NotContains(c.t, c.found(checkpoint.Query{State: state}), "t", "it is like one that was never saved")
	}
	w = c.open("t")
	w.save(endOf("asks"))
	w.close()
	require.Equal(c.t, []string{"copy", "t"}, c.found(checkpoint.Query{State: checkpoint.Waiting}))
}

// pages reads threads page by page, by prefix and by time.
func (c *check) pages() {
	names := []string{"A", "a", "a/1", "a/2", "a/3", "a\U0010ffff", "a\U0010ffffx", "b", "ä b", "äc", "\ud7ff", "\ue000", "\U0010ffff"}
	for i, name := range names {
		w := c.open(name)
		w.now = int64(i) * 1000
		w.save(endOf([]string{"over", "asks"}[i%2]))
		w.close()
	}
	for _, prefix := range []string{"", "A", "a", "a/", "a/2", "a\U0010ffff", "ä", "\ud7ff", "\U0010ffff", "z"} {
		want := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, prefix) })
		require.ElementsMatch(c.t, want, c.found(checkpoint.Query{Prefix: prefix}), "%q", prefix)
		for limit := 1; limit <= 3; limit++ {
			var got []string
			for info, err := range checkpoint.AllThreads(c.t.Context(), c.store, checkpoint.Query{Prefix: prefix, Limit: limit}) {
				require.NoError(c.t, err)
				got = append(got, info.Thread)
			}
			require.Equal(c.t, want, append([]string{}, got...), "%q, %d to a page", prefix, limit)
		}
	}
	require.Equal(c.t, []string{"a", "a/2", "a\U0010ffff"}, c.found(checkpoint.Query{State: checkpoint.Waiting, Prefix: "a"}))
	require.Equal(c.t, []string{"a/2"}, c.found(checkpoint.Query{State: checkpoint.Waiting, Prefix: "a", After: "a", Limit: 1}))
	require.Equal(c.t, []string{"b"}, c.found(checkpoint.Query{Prefix: "b", After: "A"}), "a prefix may sort after the last page")
	require.Empty(c.t, c.found(checkpoint.Query{Prefix: "A", After: "b"}))

	at := func(n int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(n+1)*1000) }
	require.Equal(c.t, names[2:5], c.found(checkpoint.Query{UpdatedSince: at(2), UpdatedBefore: at(5)}))
	require.Equal(c.t, names[3:5], c.found(checkpoint.Query{UpdatedSince: at(2).Add(1), UpdatedBefore: at(4).Add(1)}))
	require.Equal(c.t, []string{"a", "a/2"}, c.found(checkpoint.Query{State: checkpoint.Waiting, UpdatedBefore: at(4)}))
	require.Equal(c.t, []string{"\ue000"}, c.found(checkpoint.Query{State: checkpoint.Waiting, UpdatedSince: at(11)}))
}

// many finds as many threads as a query without a limit allows.
func (c *check) many() {
	for i := range checkpoint.DefaultLimit + 1 {
		w := c.open(fmt.Sprintf("%03d", i))
		w.save(checkpoint.Record{})
		w.close()
	}
	require.Len(c.t, c.found(checkpoint.Query{}), checkpoint.DefaultLimit)
	require.Len(c.t, c.found(checkpoint.Query{State: checkpoint.Done, Limit: 200}), checkpoint.DefaultLimit+1)
}

// invalidQueries refuses queries that nothing can match.
func (c *check) invalidQueries() {
	for _, q := range []checkpoint.Query{
		{State: "lost"}, {Limit: -1}, {Prefix: "a\x00"}, {Prefix: "\xff"}, {After: "\n"}, {After: strings.Repeat("x", checkpoint.MaxThreadName+1)},
	} {
		_, err := c.store.Find(c.t.Context(), q)
		require.Error(c.t, err, "%+v", q)
		require.True(c.t, utf8.ValidString(err.Error()))
	}
}

// orphaned finds threads whose process died.
func orphaned(t *testing.T, shared Shared) {
	t.Helper()
	a, b := &check{t, shared.A}, &check{t, shared.B}
	dead := map[string]*writer{}
	for name := range ends() {
		w := a.open(name)
		w.save(endOf(name))
		dead[name] = w
	}
	dead["never saved"] = a.open("never saved")
	alive := a.open("alive")
	alive.save(endOf("midway"))
	for name := range dead {
		shared.Expire(t, name)
	}
	died := ends()
	died["midway"], died["answered"] = checkpoint.Orphaned, checkpoint.Orphaned
	for _, state := range checkpoint.States {
		var want []string
		for name, is := range died {
			if is == state {
				want = append(want, name)
			}
		}
		if state == checkpoint.Running {
			want = []string{"alive"}
		}
		slices.Sort(want)
		require.Equal(t, append([]string{}, want...), b.found(checkpoint.Query{State: state}), state)
	}
	infos, err := b.store.Find(t.Context(), checkpoint.Query{Prefix: "midway"})
	require.NoError(t, err)
	require.Equal(t, checkpoint.Orphaned, infos[0].State)

	w := b.open("midway")
	require.Equal(t, []string{"alive", "midway"}, b.found(checkpoint.Query{State: checkpoint.Running}), "somebody has adopted it")
	w.id = w.load().ID
	w.save(endOf("over"))
	w.close()
	require.Equal(t, []string{"answered"}, b.found(checkpoint.Query{State: checkpoint.Orphaned}))
	require.Equal(t, []string{"midway", "over"}, b.found(checkpoint.Query{State: checkpoint.Done}), "with a lease that has expired and without one")
	b.rollBack("answered", 1)
	require.Empty(t, b.found(checkpoint.Query{State: checkpoint.Orphaned}), "whoever rolls it back decides what happens next")
	require.Contains(t, b.found(checkpoint.Query{State: checkpoint.Stopped}), "answered")
	alive.close()
	for _, w := range dead {
		_ = w.session.Close()
	}
}
