package checkpointtest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// texts returns the messages of a thread at a checkpoint.
func (c *check) texts(thread string, at checkpoint.ID) []string {
	c.t.Helper()
	held, err := c.store.Load(c.t.Context(), thread, at)
	require.NoError(c.t, err)
	return textsOf(held.Log.List())
}

func textsOf(list history.List) []string {
	out := []string{}
	for _, m := range list.All() {
		out = append(out, m.Content.Text())
	}
	return out
}

// pasts checks that all checkpoints of a thread at once have what each has alone.
func (c *check) pasts(thread string) {
	c.t.Helper()
	n := 0
	for past, err := range checkpoint.Pasts(c.t.Context(), c.store, thread) {
		require.NoError(c.t, err)
		want, err := c.store.Load(c.t.Context(), thread, past.Record.ID)
		require.NoError(c.t, err)
		got := past.Thread
		require.Equal(c.t, textsOf(want.Log.List()), textsOf(got.Log.List()), "checkpoint %d", past.Record.ID)
		require.Equal(c.t, want.State.Raw().JSON(), got.State.Raw().JSON())
		require.Equal(c.t, []checkpoint.ID{want.ID, want.Newest, want.Record.Parent}, []checkpoint.ID{got.ID, got.Newest, got.Record.Parent})
		require.Equal(c.t, want.Program, got.Program)
		require.Equal(c.t, want.Executions, got.Executions)
		require.Equal(c.t, want.Log.Cursor(), got.Log.Cursor())
		n++
	}
	require.Len(c.t, c.idsOf(thread), n)
}

func (c *check) tree() {
	w := c.open("t")
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(0)}}})
	w.say("one")
	w.say("two")
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(1)}}})
	w.goBack(2)
	require.EqualValues(c.t, 5, w.say("other"))
	w.apply(&abi.Update{Remove: []string{"m1"}})
	w.save(checkpoint.Record{State: wire.Map{{Key: "b", Value: wire.Int(2)}}})

	for at, want := range map[checkpoint.ID][]string{
		1: {}, 2: {"one"}, 3: {"one", "two"}, 4: {"one", "two"}, 5: {"one", "other"}, 6: {"other"}, 0: {"other"},
	} {
		require.Equal(c.t, want, c.texts("t", at), "checkpoint %d", at)
	}
	for at, want := range map[checkpoint.ID]string{3: `{"a":0}`, 4: `{"a":1}`, 5: `{"a":0}`, 6: `{"a":0,"b":2}`, 0: `{"a":0,"b":2}`} {
		held, err := c.store.Load(c.t.Context(), "t", at)
		require.NoError(c.t, err)
		require.Equal(c.t, want, held.State.Raw().JSON(), "checkpoint %d", at)
		require.EqualValues(c.t, 6, held.Newest)
	}
	held := w.load()
	require.Equal(c.t, []checkpoint.ID{6, 6, 5}, []checkpoint.ID{held.ID, held.Newest, held.Record.Parent})
	held = w.goBack(4)
	require.Equal(c.t, []checkpoint.ID{4, 6, 3}, []checkpoint.ID{held.ID, held.Newest, held.Record.Parent})
	require.EqualValues(c.t, 7, w.say("three"))
	require.Equal(c.t, []string{"one", "two", "three"}, c.texts("t", 0))
	for n := range 60 { // more than a page of checkpoints
		w.say(fmt.Sprint("more ", n))
		if n%7 == 0 {
			w.goBack(checkpoint.ID(3 + n/2))
		}
	}
	w.close()
	c.pasts("t")
}

// root begins again before the first checkpoint, beside what is there.
func (c *check) root() {
	ctx := c.t.Context()
	w := c.open("t")
	_, err := c.store.Load(ctx, "t", checkpoint.Root)
	require.ErrorIs(c.t, err, checkpoint.ErrNoThread)
	held, err := w.session.Load(ctx, checkpoint.Root)
	require.NoError(c.t, err)
	require.Nil(c.t, held)
	program := &checkpoint.Program{Digest: "p"}
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(1)}}, Program: program})
	w.say("one")
	execution := checkpoint.Execution{CallID: "1", N: 1, Started: 1}
	require.NoError(c.t, w.session.Journal(ctx, &execution))

	for _, load := range []func() (*checkpoint.Thread, error){
		func() (*checkpoint.Thread, error) { return c.store.Load(ctx, "t", checkpoint.Root) },
		func() (*checkpoint.Thread, error) { return w.session.Load(ctx, checkpoint.Root) },
	} {
		held, err := load()
		require.NoError(c.t, err)
		require.Equal(c.t, &checkpoint.Thread{Newest: 2}, held)
	}
	require.ErrorIs(c.t, w.session.Journal(ctx, &execution), checkpoint.ErrNoCheckpoint, "there is nothing that it could be behind")
	w.goBack(checkpoint.Root)
	part := w.commit(checkpoint.Record{})
	part.Whole = false
	_, err = w.session.Save(ctx, part)
	require.ErrorContains(c.t, err, "it has no parent and is not whole")
	w.ids.n = 9
	require.EqualValues(c.t, 3, w.say("other"))
	require.EqualValues(c.t, 4, w.say("more"))
	held = w.load()
	require.Equal(c.t, []string{"other", "more"}, textsOf(held.Log.List()))
	require.Empty(c.t, held.State)
	require.Nil(c.t, held.Program)
	require.Equal(c.t, []string{"one"}, c.texts("t", 2))
	require.Equal(c.t, []checkpoint.Execution{execution}, w.goBack(2).Executions, "what was cut off there is as open as it was")
	records, err := c.store.History(ctx, "t", 0, 9)
	require.NoError(c.t, err)
	require.Equal(c.t, []checkpoint.ID{3, 0, 1, 0}, []checkpoint.ID{records[0].Parent, records[1].Parent, records[2].Parent, records[3].Parent})
	w.close()
	c.pasts("t")
	require.NoError(c.t, c.store.Fork(ctx, "t", 0, "copy"))
	c.pasts("copy")
	require.Equal(c.t, []checkpoint.ID{4, 3}, c.idsOf("copy"))
	c.rollBack("t", 3)
	require.Equal(c.t, []string{"other"}, c.texts("t", 0))
}

func (c *check) history() {
	w := c.open("t")
	w.apply(everyKind())
	w.save(checkpoint.Record{Source: checkpoint.SourceInput, State: wire.Map{{Key: "a", Value: wire.Int(1)}}})
	w.apply(&abi.Update{Messages: []abi.Message{abi.AI("done")}, Remove: []string{"m1"}})
	w.save(checkpoint.Record{Source: checkpoint.SourceLoop, Step: "model", Unset: []string{"a"}, Checkpoint: everything()})
	w.goBack(1)
	w.say("else")

	all, err := c.store.History(c.t.Context(), "t", 0, 10)
	require.NoError(c.t, err)
	require.Len(c.t, all, 3)
	require.Equal(c.t, []checkpoint.ID{3, 1, 2, 1, 1, 0}, []checkpoint.ID{
		all[0].ID, all[0].Parent, all[1].ID, all[1].Parent, all[2].ID, all[2].Parent,
	})
	second, first := all[1], all[2]
	require.Equal(c.t, checkpoint.SourceInput, first.Source)
	require.True(c.t, first.Whole)
	require.Len(c.t, first.Changes, 5)
	require.Equal(c.t, 5, first.Messages)
	require.Equal(c.t, `{"a":1}`, first.State.Raw().JSON())
	require.False(c.t, second.Whole)
	require.Equal(c.t, []any{checkpoint.SourceLoop, "model", []string{"a"}}, []any{second.Source, second.Step, second.Unset})
	require.Equal(c.t, everything(), second.Checkpoint)
	require.Equal(c.t, []string{"m6", "m1"}, []string{second.Changes[0].ID, second.Changes[1].ID})
	require.Equal(c.t, "done", second.Changes[0].Entry.Message().Content.Text())
	require.True(c.t, second.Changes[1].Removed)
	require.Equal(c.t, time.UnixMilli(1_700_000_002_000).UTC(), second.Time)

	for _, page := range []struct {
		before checkpoint.ID
		limit  int
		want   []checkpoint.ID
	}{{0, 1, []checkpoint.ID{3}}, {3, 1, []checkpoint.ID{2}}, {3, 5, []checkpoint.ID{2, 1}}, {1, 5, []checkpoint.ID{}}, {9, 2, []checkpoint.ID{3, 2}}} {
		records, err := c.store.History(c.t.Context(), "t", page.before, page.limit)
		require.NoError(c.t, err)
		ids := make([]checkpoint.ID, 0, len(records))
		for i := range records {
			ids = append(ids, records[i].ID)
		}
		require.Equal(c.t, page.want, ids)
	}
	w.close()
	c.pasts("t")
}

func (c *check) whole() {
	w := c.open("t")
	w.say("one")
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(1)}, {Key: "b", Value: wire.Int(1)}}})
	w.apply(&abi.Update{Overwrite: true, Messages: []abi.Message{abi.Human("summary")}})
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(2)}}, Program: &checkpoint.Program{Digest: "p"}})
	w.say("more")
	held := w.load()
	require.Equal(c.t, []string{"summary", "more"}, textsOf(held.Log.List()))
	require.Equal(c.t, `{"a":2}`, held.State.Raw().JSON(), "nothing comes from before")
	require.Equal(c.t, []string{"one"}, c.texts("t", 2))
	w.close()
	c.pasts("t")
}

func (c *check) programs() {
	w := c.open("t")
	first := &checkpoint.Program{Digest: "1", Middleware: []checkpoint.Part{{Name: "a"}, {Name: "b", Version: "2", Digest: "ff"}}}
	second := &checkpoint.Program{Digest: "2"}
	w.save(checkpoint.Record{Program: first})
	w.say("one")
	w.save(checkpoint.Record{Program: second})
	require.Equal(c.t, second, w.load().Program)
	require.Equal(c.t, first, w.goBack(2).Program)
	w.say("two")
	require.Equal(c.t, first, w.load().Program)
	w.close()
	c.pasts("t")
}

func (c *check) threads() {
	for _, name := range []string{"b", "a", "c", "ä b"} {
		w := c.open(name)
		w.say(name)
		w.save(checkpoint.Record{Checkpoint: checkpoint.Checkpoint{Next: "tools", Run: checkpoint.Run{ID: "run-" + name}}})
		if name != "c" {
			w.close()
		}
	}
	c.open("never saved")
	all, err := c.store.Find(c.t.Context(), checkpoint.Query{})
	require.NoError(c.t, err)
	require.Len(c.t, all, 4)
	for i, name := range []string{"a", "b", "c", "ä b"} {
		info := all[i]
		require.Equal(c.t, []any{name, checkpoint.ID(2), 1, "tools", "run-" + name, name == "c"},
			[]any{info.Thread, info.Head, info.Messages, info.Newest.Next, info.Newest.Run.ID, info.State == checkpoint.Running})
		require.Equal(c.t, time.UnixMilli(1_700_000_002_000).UTC(), info.Updated.UTC())
	}
	page, err := c.store.Find(c.t.Context(), checkpoint.Query{After: "a", Limit: 2})
	require.NoError(c.t, err)
	require.Equal(c.t, []string{"b", "c"}, []string{page[0].Thread, page[1].Thread})
	page, err = c.store.Find(c.t.Context(), checkpoint.Query{After: "ä b", Limit: 2})
	require.NoError(c.t, err)
	require.Empty(c.t, page)
}

func (c *check) fork() {
	w := c.open("t")
	w.say("one")
	w.say("two")
	w.goBack(1)
	w.say("other")
	require.NoError(c.t, w.session.Journal(c.t.Context(), &checkpoint.Execution{CallID: "1", N: 1}))
	ctx := c.t.Context()
	require.NoError(c.t, c.store.Fork(ctx, "t", 0, "copy"))
	require.NoError(c.t, c.store.Fork(ctx, "t", 2, "older"))
	require.Equal(c.t, []string{"one", "other"}, c.texts("copy", 0))
	require.Equal(c.t, []string{"one", "two"}, c.texts("older", 0))
	_, err := c.store.Load(ctx, "copy", 2)
	require.ErrorIs(c.t, err, checkpoint.ErrNoCheckpoint, "it is on another branch")
	records, err := c.store.History(ctx, "copy", 0, 9)
	require.NoError(c.t, err)
	require.Equal(c.t, []checkpoint.ID{3, 1}, []checkpoint.ID{records[0].ID, records[1].ID})
	require.Len(c.t, records, 2)

	copied := c.open("copy")
	require.Len(c.t, copied.load().Executions, 1, "what had started when the thread was copied is as open here")
	older, err := c.store.Load(ctx, "older", 0)
	require.NoError(c.t, err)
	require.Empty(c.t, older.Executions)
	copied.goBack(0)
	copied.id = 3
	require.EqualValues(c.t, 4, copied.say("more"))
	require.Equal(c.t, []string{"one", "other"}, c.texts("t", 0))
	require.Equal(c.t, []string{"one", "other", "more"}, c.texts("copy", 0))
	require.ErrorIs(c.t, c.store.Fork(ctx, "t", 0, "copy"), checkpoint.ErrThreadExists)
	require.ErrorIs(c.t, c.store.Fork(ctx, "t", 9, "new"), checkpoint.ErrNoCheckpoint)
	require.ErrorIs(c.t, c.store.Fork(ctx, "t", checkpoint.Root, "new"), checkpoint.ErrNoCheckpoint)
	opened := c.open("opened")
	require.ErrorIs(c.t, c.store.Fork(ctx, "t", 0, "opened"), checkpoint.ErrThreadExists, "a run has it")
	require.Nil(c.t, opened.load())
	opened.close()
	require.ErrorIs(c.t, c.store.Fork(ctx, "nothing", 0, "new"), checkpoint.ErrNoThread)
	_, err = c.store.Load(ctx, "new", 0)
	require.ErrorIs(c.t, err, checkpoint.ErrNoThread)
	copied.close()
	w.close()
}

func (c *check) remove() {
	ctx := c.t.Context()
	w := c.open("t")
	w.say("one")
	require.NoError(c.t, w.session.Journal(ctx, &checkpoint.Execution{CallID: "1", N: 1}))
	require.ErrorIs(c.t, c.store.Delete(ctx, "t"), checkpoint.ErrBusy)
	w.close()
	require.NoError(c.t, c.store.Delete(ctx, "t"))
	require.ErrorIs(c.t, c.store.Delete(ctx, "t"), checkpoint.ErrNoThread)
	again := c.open("t")
	require.Nil(c.t, again.load())
	require.EqualValues(c.t, 1, again.say("new"))
	require.Empty(c.t, again.load().Executions)
	again.close()
}

func (c *check) journal() {
	ctx := c.t.Context()
	w := c.open("t")
	w.say("one")
	started := checkpoint.Execution{Message: "m3", CallID: "3", N: 2, Tool: "search", Started: 5}
	require.NoError(c.t, w.session.Journal(ctx, &started))
	require.Equal(c.t, []checkpoint.Execution{started}, w.load().Executions)
	done := ended()
	require.NoError(c.t, w.session.Journal(ctx, &done))
	other := checkpoint.Execution{Message: "m4", CallID: "3", N: 2, Tool: "search"}
	require.NoError(c.t, w.session.Journal(ctx, &other))
	require.ElementsMatch(c.t, []checkpoint.Execution{done, other}, w.load().Executions)
	w.close()

	w.session = c.open("t").session
	require.ElementsMatch(c.t, []checkpoint.Execution{done, other}, w.load().Executions, "it stays when a run dies")
	require.Empty(c.t, w.goBack(1).Executions[2:])
	w.say("two")
	require.Empty(c.t, w.load().Executions)
	require.NoError(c.t, w.session.Journal(ctx, &started))
	require.Empty(c.t, w.goBack(1).Executions, "it belongs to the newest checkpoint")

	w.say("another branch")
	require.Empty(c.t, w.load().Executions)
	require.Equal(c.t, []checkpoint.Execution{started}, w.goBack(2).Executions, "what was cut off there is as open as it was")
	w.id = 2
	w.say("behind it")
	require.Equal(c.t, []checkpoint.Execution{started}, w.goBack(2).Executions)
	require.Empty(c.t, w.goBack(3).Executions)
	w.close()

	w.session = c.open("new").session
	require.ErrorIs(c.t, w.session.Journal(c.t.Context(), &started), checkpoint.ErrNoCheckpoint, "there is nothing that it could be behind")
	w.close()
}

// oddCalls journals calls with ids that a model or hook might make up.
func (c *check) oddCalls() {
	w := c.open("t")
	w.say("one")
	ids := []string{"", "a\x00b", strings.Repeat("ß7x", 3000), "'; --"}
	for i, id := range ids {
		require.NoError(c.t, w.session.Journal(c.t.Context(), &checkpoint.Execution{CallID: id, N: 1, Started: 1}))
		require.Len(c.t, w.load().Executions, i+1)
	}
	require.Error(c.t, w.session.Journal(c.t.Context(), &checkpoint.Execution{CallID: "\xff", N: 1}), "it could not be read again")
	require.Len(c.t, w.load().Executions, len(ids))
	w.close()
}

// invalid saves documents that could not be read again: nothing must be written.
func (c *check) invalid() {
	w := c.open("t")
	w.say("one")
	for _, record := range []checkpoint.Record{
		{Checkpoint: checkpoint.Checkpoint{Failure: "\xff"}},
		{State: wire.Map{{Key: "a", Value: wire.Raw{0xc1}}}},
		{Checkpoint: checkpoint.Checkpoint{Questions: []checkpoint.Question{{Key: "\xff"}}}},
	} {
		_, err := w.session.Save(c.t.Context(), w.commit(record))
		require.ErrorContains(c.t, err, "the data cannot be saved")
	}
	require.EqualValues(c.t, 1, w.load().Newest)
	all, err := c.store.Find(c.t.Context(), checkpoint.Query{})
	require.NoError(c.t, err)
	require.Len(c.t, all, 1)
	require.NoError(c.t, all[0].Err)
	w.close()
}

// again repeats a commit, like a run whose first answer was lost.
func (c *check) again() {
	ctx := c.t.Context()
	w := c.open("t")
	w.say("one")
	w.apply(&abi.Update{Messages: []abi.Message{abi.Human("two")}})
	commit := w.commit(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(1)}}})
	id, err := w.session.Save(ctx, commit)
	require.NoError(c.t, err)
	require.EqualValues(c.t, 2, id)
	w.apply(&abi.Update{Messages: []abi.Message{abi.Human("three")}})
	w.now++
	id, err = w.session.Save(ctx, w.commit(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(2)}}}))
	require.NoError(c.t, err)
	w.saved, w.id = w.log.Cursor(), id
	require.Equal(c.t, []string{"one", "two", "three"}, c.texts("t", 0))
	require.Equal(c.t, `{"a":2}`, w.load().State.Raw().JSON())
	w.say("four")
	require.Equal(c.t, []string{"one", "two", "three", "four"}, c.texts("t", 0))
	w.close()
}

func (c *check) names() {
	for _, name := range []string{"", "a\nb", "\xff", strings.Repeat("x", checkpoint.MaxThreadName+1)} {
		_, err := c.store.Open(c.t.Context(), name)
		require.ErrorIs(c.t, err, checkpoint.ErrThreadName, "%q", name)
	}
	for _, name := range []string{" ", "a/b:c%20'; --", "größe 🙂", strings.Repeat("x", checkpoint.MaxThreadName), "NULL", "T", "t", "a_b", "a%b"} {
		w := c.open(name)
		require.Nil(c.t, w.load(), "%q", name)
		w.say(name)
		require.Equal(c.t, []string{name}, c.texts(name, 0))
		w.close()
	}
	w := c.open("t")
	require.ErrorIs(c.t, c.store.Fork(c.t.Context(), "t", 0, ""), checkpoint.ErrThreadName)
	w.close()
}

func (c *check) absent() {
	ctx := c.t.Context()
	w := c.open("t")
	_, err := c.store.Load(ctx, "t", 0)
	require.ErrorIs(c.t, err, checkpoint.ErrNoThread, "it is open and was not saved")
	_, err = c.store.History(ctx, "t", 0, 1)
	require.ErrorIs(c.t, err, checkpoint.ErrNoThread)
	w.say("one")
	for _, at := range []checkpoint.ID{2, 99, math.MaxInt64, math.MaxUint64 - 1} {
		_, err = c.store.Load(ctx, "t", at)
		require.ErrorIs(c.t, err, checkpoint.ErrNoCheckpoint, fmt.Sprint(at))
		_, err = w.session.Load(ctx, at)
		require.ErrorIs(c.t, err, checkpoint.ErrNoCheckpoint, fmt.Sprint(at))
	}
	for _, parent := range []checkpoint.ID{7, checkpoint.Root} {
		commit := w.commit(checkpoint.Record{})
		commit.Parent = parent
		_, err = w.session.Save(ctx, commit)
		require.ErrorIs(c.t, err, checkpoint.ErrNoCheckpoint)
	}
	page, err := c.store.History(ctx, "t", checkpoint.Root, 9)
	require.NoError(c.t, err)
	require.Len(c.t, page, 1)
	require.EqualValues(c.t, 1, w.load().Newest)
	w.close()
}
