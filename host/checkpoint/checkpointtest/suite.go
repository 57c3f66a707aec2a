// Package checkpointtest has the tests that every store of threads must pass.
package checkpointtest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// Run tests the stores that open returns. Every store that open returns must be empty.
func Run(t *testing.T, open func(t *testing.T) checkpoint.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(c *check)
	}{
		{"a thread that was never saved", (*check).neverSaved},
		{"a thread holds what was saved", (*check).holds},
		{"fields change one by one", (*check).fields},
		{"what was loaded stays as it is", (*check).isolated},
		{"views of new messages go on", (*check).views},
		{"a thread has one session", (*check).exclusive},
		{"of many that open a thread one does", (*check).race},
		{"many open and close a thread that nobody saves", (*check).fleeting},
		{"a session that is closed saves nothing", (*check).closed},
		{"a commit may be used again", (*check).reused},
		{"threads are independent", (*check).independent},
		{"threads are used at once", (*check).concurrent},
		{"a thread is a tree", (*check).tree},
		{"the root", (*check).root},
		{"history", (*check).history},
		{"a history that is written anew stands alone", (*check).whole},
		{"programs", (*check).programs},
		{"list of threads", (*check).threads},
		{"threads by their state", (*check).states},
		{"threads by their state after a rollback", (*check).statesAfterRollback},
		{"pages of threads", (*check).pages},
		{"more threads than a page has", (*check).many},
		{"invalid queries", (*check).invalidQueries},
		{"fork", (*check).fork},
		{"delete", (*check).remove},
		{"rollback", (*check).rollback},
		{"rollback to the root", (*check).rollbackToRoot},
		{"forks and rollbacks", (*check).rollbackOfForks},
		{"journal", (*check).journal},
		{"journal of calls with odd ids", (*check).oddCalls},
		{"what could not be read again", (*check).invalid},
		{"a commit that was kept and whose answer was lost", (*check).again},
		{"names", (*check).names},
		{"what is not there", (*check).absent},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(&check{t, open(t)})
		})
	}
}

// check is one test of one store.
type check struct {
	t     *testing.T
	store checkpoint.Store
}

// ids numbers messages.
type ids struct{ n int }

func (s *ids) New() string {
	s.n++
	return fmt.Sprint("m", s.n)
}

func (*ids) Take(string) bool { return false }

// writer is a session with the thread's history and its last commit.
type writer struct {
	t       *testing.T
	session checkpoint.Session
	ids     ids
	log     history.Log
	saved   history.Cursor
	id      checkpoint.ID
	now     int64
}

func (c *check) open(thread string) *writer {
	c.t.Helper()
	session, err := c.store.Open(c.t.Context(), thread)
	require.NoError(c.t, err)
	return &writer{t: c.t, session: session}
}

func (w *writer) apply(u *abi.Update) {
	w.t.Helper()
	log, err := w.log.Apply(u, &w.ids)
	require.NoError(w.t, err)
	w.log = log
}

// commit makes a commit of everything since the last one.
func (w *writer) commit(r checkpoint.Record) *checkpoint.Commit {
	changes, whole := w.log.Since(w.saved)
	w.now += 1000
	c := &checkpoint.Commit{Record: r, Log: w.log}
	c.Parent, c.Time, c.Changes, c.Whole = w.id, time.UnixMilli(1_700_000_000_000+w.now), changes, whole
	c.Cursor, c.Messages = w.log.Cursor(), w.log.List().Len()
	return c
}

func (w *writer) save(r checkpoint.Record) checkpoint.ID {
	w.t.Helper()
	id, err := w.session.Save(w.t.Context(), w.commit(r))
	require.NoError(w.t, err)
	w.saved, w.id = w.log.Cursor(), id
	return id
}

// say appends a message and saves it.
func (w *writer) say(text string) checkpoint.ID {
	w.t.Helper()
	w.apply(&abi.Update{Messages: []abi.Message{abi.Human(text)}})
	return w.save(checkpoint.Record{})
}

func (w *writer) load() *checkpoint.Thread {
	w.t.Helper()
	held, err := w.session.Load(w.t.Context(), 0)
	require.NoError(w.t, err)
	return held
}

// goBack continues from another checkpoint.
func (w *writer) goBack(to checkpoint.ID) *checkpoint.Thread {
	w.t.Helper()
	held, err := w.session.Load(w.t.Context(), to)
	require.NoError(w.t, err)
	w.log, w.saved, w.id = held.Log, held.Log.Cursor(), to
	if to == checkpoint.Root {
		w.saved, w.id = history.Cursor{}, 0 // what follows is whole
	}
	return held
}

func (w *writer) close() {
	w.t.Helper()
	require.NoError(w.t, w.session.Close())
}

func (c *check) neverSaved() {
	for range 2 {
		w := c.open("t")
		require.Nil(c.t, w.load())
		w.close()
	}
}

// everyKind returns an update with every kind of message.
func everyKind() *abi.Update {
	ai := abi.AI("calls", abi.Call("1", "search", map[string]any{"q": []any{1, "x", nil}}))
	ai.InvalidToolCalls = []abi.InvalidToolCall{{ID: "2", Name: "broken", Args: `{"q":`, Error: "unexpected end"}}
	ai.Usage = &abi.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3}
	answer := abi.ToolResult(ai.ToolCalls[0], "found")
	answer.Artifact = wire.Int(7)
	return &abi.Update{Messages: []abi.Message{
		abi.System("be brief"), abi.Human("hi"), ai, answer, abi.ToolFailure(abi.ToolCall{ID: "2", Name: "broken"}, "no"),
	}}
}

func everything() checkpoint.Checkpoint {
	return checkpoint.Checkpoint{
		Run: checkpoint.Run{
			ID: "run-1", Seed: 1<<64 - 1, IDSeed: 11, IDs: 9, Steps: 8, ModelSteps: 7, Malformed: 6, ToolTokens: 5,
			Usage: checkpoint.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3, CacheReadTokens: 4, CacheCreationTokens: 5, ReasoningTokens: 6},
		},
		Next: "tools", Paused: true, Failure: "it broke",
		Finished: []checkpoint.FinishedCall{{
			Index: 2, CallID: "3", Message: abi.ToolResult(abi.Call("3", "search", nil), "found"),
			Updates: []checkpoint.Update{{Step: "x.wrap_tool_call", Update: &abi.Update{
				Messages: []abi.Message{abi.Human("note")}, State: wire.Map{{Key: "a", Value: wire.Int(1)}},
			}}},
		}},
		Cursors: []checkpoint.Cursor{{Step: "x.before_model", Epoch: 1, Seq: 3}},
		Questions: []checkpoint.Question{
			{
				ID: "ask-1", Step: "tools", CallID: "1", Key: "ok", Value: wire.String("may I?"), Answer: wire.Bool(true),
				AnsweredBy: "ann", AnsweredAt: 9, Fresh: true,
			},
			{ID: "ask-2", Step: "x.wrap_tool_call", Nested: "call-1", Key: "why", Value: wire.Map(nil).Raw()},
		},
		Executions: []checkpoint.Execution{ended(), {CallID: "4", N: 1, Attempts: 2, Tool: "send", Args: wire.Map(nil).Raw(), Started: 7}},
	}
}

// ended returns an execution with all fields set.
func ended() checkpoint.Execution {
	return checkpoint.Execution{
		Message: "m3", CallID: "3", N: 2, Attempts: 1, Tool: "search", Args: wire.Map{{Key: "q", Value: wire.Int(1)}}.Raw(), Started: 5,
		Outcome: &checkpoint.Outcome{
			Message: abi.ToolResult(abi.Call("3", "search", nil), "found"),
			Updates: []checkpoint.Update{{Step: "tools", Update: &abi.Update{State: wire.Map{{Key: "a", Value: wire.Int(1)}}}}},
			Failed:  true,
		},
	}
}

func (c *check) holds() {
	w := c.open("t")
	w.apply(everyKind())
	state := wire.Map{{Key: "a", Value: wire.Int(1)}, {Key: "b", Value: wire.String("x")}}
	w.save(checkpoint.Record{State: state, Checkpoint: everything()})
	for range 2 {
		held := w.load()
		require.Equal(c.t, w.log.List().Messages(), held.Log.List().Messages())
		require.Equal(c.t, w.log.Cursor(), held.Log.Cursor())
		require.Equal(c.t, state, held.State)
		require.Equal(c.t, everything(), held.Record.Checkpoint)
		w.close()
		w.session = c.open("t").session
	}
	w.close()
}

func (c *check) fields() {
	w := c.open("t")
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(1)}, {Key: "b", Value: wire.Int(2)}}})
	w.save(checkpoint.Record{State: wire.Map{{Key: "b", Value: wire.Int(3)}, {Key: "c", Value: wire.Int(4)}}, Unset: []string{"a"}})
	w.save(checkpoint.Record{})
	require.Equal(c.t, `{"b":3,"c":4}`, w.load().State.Raw().JSON())
	w.close()
}

func (c *check) isolated() {
	w := c.open("t")
	w.apply(&abi.Update{Messages: []abi.Message{abi.Human("one")}})
	w.save(checkpoint.Record{State: wire.Map{{Key: "a", Value: wire.Int(1)}}})
	before, other := w.load(), w.load()
	w.apply(&abi.Update{Messages: []abi.Message{abi.Human("two")}})
	w.save(checkpoint.Record{Unset: []string{"a"}})

	threads := []*checkpoint.Thread{before, other, w.load(), w.load()}
	forks := make([]history.Log, 0, len(threads))
	for i, loaded := range threads {
		forked, err := loaded.Log.Apply(&abi.Update{Messages: []abi.Message{abi.Human(fmt.Sprint("elsewhere ", i))}}, &ids{n: 10})
		require.NoError(c.t, err)
		forks = append(forks, forked)
	}
	for i := range forks {
		last, _ := forks[i].List().Last()
		require.Equal(c.t, fmt.Sprint("elsewhere ", i), last.Content.Text())
	}
	require.Equal(c.t, 1, other.Log.List().Len())
	require.Equal(c.t, `{"a":1}`, other.State.Raw().JSON())
	require.Equal(c.t, w.log.List().Messages(), w.load().Log.List().Messages())
	w.close()
}

// views checks that a position in the history means the same before and after it was stored, whatever changed in between.
func (c *check) views() {
	w := c.open("t")
	updates := []*abi.Update{
		everyKind(),
		{Messages: []abi.Message{abi.Human("more"), {ID: "m2", Role: abi.RoleHuman, Content: abi.Text("replaced")}}},
		{Remove: []string{"m1"}},
		{Messages: []abi.Message{abi.Human("again")}, Remove: []string{"m6"}},
		{Overwrite: true, Messages: []abi.Message{abi.Human("summary")}},
		{Messages: []abi.Message{abi.AI("end")}},
	}
	places := make([]history.Cursor, 0, len(updates))
	for _, u := range updates {
		places = append(places, w.log.Cursor())
		w.apply(u)
		w.save(checkpoint.Record{})
		held := w.load()
		for _, place := range places {
			want, got := w.log.View(abi.ViewNew(), place), held.Log.View(abi.ViewNew(), place)
			require.Equal(c.t, want.Items.Messages(), got.Items.Messages())
			require.Equal(c.t, want.Patch.Messages(), got.Patch.Messages())
			require.ElementsMatch(c.t, want.Remove, got.Remove)
			require.Equal(c.t, []any{want.From, want.Reset, want.Total}, []any{got.From, got.Reset, got.Total})
		}
	}
	w.close()
}

func (c *check) exclusive() {
	w := c.open("t")
	_, err := c.store.Open(c.t.Context(), "t")
	require.ErrorIs(c.t, err, checkpoint.ErrBusy)
	w.close()
	again := c.open("t")
	w.close() // closing a session twice must not end another one
	_, err = c.store.Open(c.t.Context(), "t")
	require.ErrorIs(c.t, err, checkpoint.ErrBusy)
	again.close()
}

// race opens one thread from several goroutines at once.
func (c *check) race() {
	const openers = 16
	var workers sync.WaitGroup
	sessions := make([]checkpoint.Session, openers)
	failures := make([]error, openers)
	for i := range openers {
		workers.Go(func() { sessions[i], failures[i] = c.store.Open(c.t.Context(), "t") })
	}
	workers.Wait()
	opened := 0
	for i := range openers {
		if failures[i] != nil {
			require.ErrorIs(c.t, failures[i], checkpoint.ErrBusy)
			continue
		}
		opened++
		require.NoError(c.t, sessions[i].Close())
	}
	require.Equal(c.t, 1, opened)
}

// fleeting opens and closes a thread from several goroutines at once, so that it keeps appearing and disappearing.
func (c *check) fleeting() {
	const openers, times = 4, 50
	var workers sync.WaitGroup
	failures := make(chan error, openers*times)
	for range openers {
		workers.Go(func() {
			for range times {
				session, err := c.store.Open(c.t.Context(), "t")
				if err == nil {
					err = session.Close()
				}
				failures <- err
			}
		})
	}
	workers.Wait()
	close(failures)
	for err := range failures {
		var busy *checkpoint.BusyError
		if err == nil {
			continue
		}
		require.ErrorAs(c.t, err, &busy)
		if !busy.Until.IsZero() {
			require.WithinDuration(c.t, time.Now(), busy.Until, time.Minute)
		}
	}
}

func (c *check) closed() {
	old := c.open("t")
	old.close()
	w := c.open("t")
	w.save(checkpoint.Record{Checkpoint: checkpoint.Checkpoint{Next: "new"}})
	_, err := old.session.Save(c.t.Context(), old.commit(checkpoint.Record{Checkpoint: checkpoint.Checkpoint{Next: "old"}}))
	require.ErrorIs(c.t, err, checkpoint.ErrClosed)
	require.ErrorIs(c.t, old.session.Journal(c.t.Context(), &checkpoint.Execution{CallID: "1", N: 1}), checkpoint.ErrClosed)
	require.Equal(c.t, "new", w.load().Record.Checkpoint.Next)
	w.close()
}

// reused changes a commit after it was saved.
func (c *check) reused() {
	w := c.open("t")
	commit := w.commit(checkpoint.Record{Checkpoint: checkpoint.Checkpoint{Next: "model"}, Unset: []string{"a"}})
	_, err := w.session.Save(c.t.Context(), commit)
	require.NoError(c.t, err)
	commit.Checkpoint.Next, commit.Unset = "tools", nil
	require.Equal(c.t, "model", w.load().Record.Checkpoint.Next)
	w.close()
}

func (c *check) independent() {
	a, b := c.open("a"), c.open("b")
	a.apply(&abi.Update{Messages: []abi.Message{abi.Human("a")}})
	a.save(checkpoint.Record{State: wire.Map{{Key: "f", Value: wire.Int(1)}}})
	require.Nil(c.t, b.load())
	b.save(checkpoint.Record{})
	require.Empty(c.t, b.load().State)
	require.Equal(c.t, 0, b.load().Log.List().Len())
	require.Equal(c.t, 1, a.load().Log.List().Len())
	a.close()
	b.close()
}

func (c *check) concurrent() {
	const threads, commits = 8, 20
	var workers sync.WaitGroup
	failures := make(chan error, threads)
	for n := range threads {
		workers.Go(func() { failures <- c.appendMessages(fmt.Sprint("t", n), commits) })
	}
	workers.Wait()
	close(failures)
	for err := range failures {
		require.NoError(c.t, err)
	}
	for n := range threads {
		w := c.open(fmt.Sprint("t", n))
		require.Equal(c.t, commits, w.load().Log.List().Len())
		w.close()
	}
}

func (c *check) appendMessages(thread string, n int) error {
	session, err := c.store.Open(c.t.Context(), thread)
	if err != nil {
		return err
	}
	w := &writer{t: c.t, session: session}
	for range n {
		if w.log, err = w.log.Apply(&abi.Update{Messages: []abi.Message{abi.Human(thread)}}, &w.ids); err != nil {
			return err
		}
		if w.id, err = session.Save(c.t.Context(), w.commit(checkpoint.Record{})); err != nil {
			return err
		}
		w.saved = w.log.Cursor()
	}
	return session.Close()
}
