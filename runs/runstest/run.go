package runstest

import (
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// fullRun returns a run with all fields set that a client decides.
func (c *check) fullRun(thread string) *runs.Run {
	return &runs.Run{
		Owner: ann, ID: c.id(), Thread: thread, Agent: "agent", Assistant: c.id(), Task: runs.Document(`{"input": [1, 2]}`),
		Request: runs.Document(`{"assistant_id": "x"}`), Metadata: runs.Metadata{"a": []any{true}}, Strategy: runs.StrategyReject,
		Due: time.UnixMicro(1_700_000_000_000_001).UTC(), Resumable: true, Webhook: "https://example.com/hook",
	}
}

func (c *check) submit() {
	t := c.thread()
	given := c.fullRun(t.ID)
	want := given.Copy()
	given.Status, given.Number, given.Attempt, given.Before, given.After, given.Cancel = runs.Success, 99, 9, 8, 7, runs.CancelKeep
	given.Failure = &runs.Failure{Type: "x"}
	require.NoError(c.t, c.s.Submit(c.ctx(), given, false, 0, func(t *runs.Thread) {
		require.Equal(c.t, runs.ThreadBusy, t.Status)
		t.Metadata["noted"], t.Agent, t.Config = "yes", "agent", runs.Document(`{"tags": []}`)
	}))
	want.Status, want.Number, want.Created, want.Updated = runs.Pending, given.Number, given.Created, given.Updated
	require.Equal(c.t, want, given, "it gets what only a store knows, and nothing became of it yet")
	require.NotZero(c.t, given.Number)
	require.Equal(c.t, given.Created, given.Updated)
	require.WithinDuration(c.t, time.Now(), given.Created, time.Minute)
	require.Equal(c.t, want, c.readRun(given.ID))

	noted := c.readThread(t.ID)
	require.Equal(c.t, []any{runs.ThreadBusy, runs.Metadata{"noted": "yes"}, "agent", `{"tags": []}`},
		[]any{noted.Status, noted.Metadata, noted.Agent, string(noted.Config)})
	newest := func() uint64 {
		number, err := c.s.NewestRun(c.ctx())
		require.NoError(c.t, err)
		return number
	}
	require.Equal(c.t, given.Number, newest())
	plain := c.submitTo(t.ID)
	require.Greater(c.t, plain.Number, given.Number)
	require.Equal(c.t, plain.Number, newest())
	require.Equal(c.t, runs.StrategyEnqueue, c.readRun(plain.ID).Strategy)

	elsewhere := c.newRun(c.id(), func(r *runs.Run) { r.ID = given.ID })
	require.ErrorIs(c.t, c.s.Submit(c.ctx(), elsewhere, true, 0, nil), runs.ErrExists)
	_, err := c.s.Thread(c.ctx(), ann, elsewhere.Thread)
	require.ErrorIs(c.t, err, runs.ErrNoThread, "a run that is refused leaves no thread")
	_, err = c.s.Run(c.ctx(), ann, missing)
	require.ErrorIs(c.t, err, runs.ErrNoRun)
}

func (c *check) submitThread() {
	r := c.newRun(c.id())
	require.ErrorIs(c.t, c.s.Submit(c.ctx(), r, false, 0, nil), runs.ErrNoThread)
	require.NoError(c.t, c.s.Submit(c.ctx(), r, true, 0, func(t *runs.Thread) {
		require.Equal(c.t, []string{ann, r.Thread}, []string{t.Owner, t.ID})
		t.Metadata["new"] = true
	}))
	t := c.readThread(r.Thread)
	require.Equal(c.t, []any{runs.ThreadBusy, runs.Metadata{"new": true}}, []any{t.Status, t.Metadata})
	require.Equal(c.t, t.Created, t.Updated)
	require.ErrorIs(c.t, c.s.Submit(c.ctx(), c.newRun(r.Thread), true, 0, func(t *runs.Thread) { t.Metadata["a"] = 1 }), runs.ErrInvalidValue)
	require.Len(c.t, c.claims(worker("w"), 10), 1, "the one that was refused is not there")
	_, err := c.s.Cancel(c.ctx(), ann, r.ID, runs.CancelKeep)
	require.NoError(c.t, err)
	w := worker("w")
	c.succeed(w, r.ID)
	require.Equal(c.t, runs.ThreadIdle, c.readThread(r.Thread).Status)
}

func (c *check) reject() {
	strict := func(r *runs.Run) { r.Strategy = runs.StrategyReject }
	t := c.thread()
	first := c.submitTo(t.ID, strict)
	refused := c.newRun(t.ID, strict)
	require.ErrorIs(c.t, c.s.Submit(c.ctx(), refused, true, 0, func(*runs.Thread) {}), runs.ErrThreadBusy, "a pending run keeps it busy")
	w := worker("w")
	c.mine(w, first)
	require.ErrorIs(c.t, c.s.Submit(c.ctx(), refused, true, 0, nil), runs.ErrThreadBusy)
	_, err := c.s.Run(c.ctx(), ann, refused.ID)
	require.ErrorIs(c.t, err, runs.ErrNoRun)
	c.succeed(w, first.ID)
	require.NoError(c.t, c.s.Submit(c.ctx(), refused, true, 0, nil))
	c.submitTo(t.ID)
}

// displace holds what runs with the strategies interrupt and rollback do to the runs of their thread.
func (c *check) displace() {
	for strategy, cancel := range map[runs.Strategy]runs.Cancel{
		runs.StrategyInterrupt: runs.CancelKeep, runs.StrategyRollback: runs.CancelRollback,
	} {
		t, w := c.thread(), worker("w")
		over := c.submitTo(t.ID)
		c.mine(w, over)
		c.succeed(w, over.ID)
		running, pending, elsewhere := c.submitTo(t.ID), c.submitTo(t.ID), c.submitTo(c.id())
		c.mine(w, running)
		next := c.submitTo(t.ID, func(r *runs.Run) { r.Strategy = strategy })

		require.Equal(c.t, []any{runs.Running, cancel}, []any{c.readRun(running.ID).Status, c.readRun(running.ID).Cancel})
		gone, err := c.s.Run(c.ctx(), ann, pending.ID)
		if cancel == runs.CancelRollback {
			require.ErrorIs(c.t, err, runs.ErrNoRun)
		} else {
			require.NoError(c.t, err)
			require.Equal(c.t, runs.Interrupted, gone.Status)
		}
		require.Equal(c.t, runs.Success, c.readRun(over.ID).Status)
		require.Empty(c.t, c.readRun(elsewhere.ID).Cancel, "other threads go on")
		require.Equal(c.t, runs.ThreadBusy, c.readThread(t.ID).Status)
		require.Equal(c.t, []string{elsewhere.ID}, c.claims(w, 10), "the new run waits until the present one has ended")
		c.succeed(w, running.ID)
		c.mine(w, next)
		c.succeed(w, next.ID)
		c.succeed(w, elsewhere.ID)
	}
}

func (c *check) queueFull() {
	most := func(n int, r *runs.Run) error { return c.s.Submit(c.ctx(), r, true, n, nil) }
	first := c.newRun(c.id())
	require.NoError(c.t, most(2, first))
	require.NoError(c.t, most(2, c.newRun(first.Thread)))
	third := c.newRun(c.id())
	require.ErrorIs(c.t, most(2, third), runs.ErrQueueFull)
	_, err := c.s.Thread(c.ctx(), ann, third.Thread)
	require.ErrorIs(c.t, err, runs.ErrNoThread)
	require.NoError(c.t, most(1, c.newRun(c.id(), func(r *runs.Run) { r.Owner = bob })), "each owner has a queue")
	require.NoError(c.t, most(3, third))

	w := worker("w")
	c.mine(w, first)
	require.ErrorIs(c.t, most(3, c.newRun(c.id())), runs.ErrQueueFull, "a running run is not over")
	c.succeed(w, first.ID)
	require.NoError(c.t, most(3, c.newRun(c.id())))
	replaces := c.newRun(third.Thread, func(r *runs.Run) { r.Strategy = runs.StrategyInterrupt })
	require.NoError(c.t, most(3, replaces), "what it displaces does not count")
	require.ErrorIs(c.t, most(2, c.newRun(third.Thread, func(r *runs.Run) { r.Strategy = runs.StrategyRollback })), runs.ErrQueueFull)
	require.Equal(c.t, runs.Pending, c.readRun(replaces.ID).Status, "a run that is refused displaces nothing")
}

func (c *check) findRuns() {
	t := c.thread()
	var all []string
	for range 12 {
		all = append([]string{c.submitTo(t.ID).ID}, all...)
	}
	c.submitTo(c.id())
	w := worker("w")
	c.claims(w, 10)
	find := func(q runs.RunQuery) []string {
		found, err := c.s.FindRuns(c.ctx(), ann, t.ID, &q)
		require.NoError(c.t, err)
		return runIDs(found)
	}
	require.Equal(c.t, all[:runs.DefaultPage], find(runs.RunQuery{}), "the newest first")
	require.Equal(c.t, all, find(runs.RunQuery{Limit: 1 << 40}))
	require.Equal(c.t, all[4:7], find(runs.RunQuery{Limit: 3, Offset: 4}))
	require.Empty(c.t, find(runs.RunQuery{Offset: 12}))
	require.Equal(c.t, all[11:], find(runs.RunQuery{Status: runs.Running}))
	require.Equal(c.t, all[1:3], find(runs.RunQuery{Status: runs.Pending, Limit: 2, Offset: 1}))
	require.Empty(c.t, find(runs.RunQuery{Status: runs.Success}))
	fifth := c.readRun(all[4]).Number
	require.Equal(c.t, all[:4], find(runs.RunQuery{After: fifth}))
	require.Equal(c.t, all[:5], find(runs.RunQuery{After: fifth - 1}))
	require.Equal(c.t, all[1:3], find(runs.RunQuery{After: fifth, Limit: 2, Offset: 1}))
	require.Empty(c.t, find(runs.RunQuery{After: fifth, Status: runs.Running}))
	require.Empty(c.t, find(runs.RunQuery{After: math.MaxUint64}))
	found, err := c.s.FindRuns(c.ctx(), ann, t.ID, &runs.RunQuery{Limit: 1})
	require.NoError(c.t, err)
	require.Equal(c.t, []runs.Run{*c.readRun(all[0])}, found, "a list has whole runs")
	_, err = c.s.FindRuns(c.ctx(), ann, missing, &runs.RunQuery{})
	require.ErrorIs(c.t, err, runs.ErrNoThread)
}

func (c *check) cancelPending() {
	keep, remove := c.submitTo(c.id()), c.submitTo(c.id())
	kept, err := c.s.Cancel(c.ctx(), ann, keep.ID, runs.CancelKeep)
	require.NoError(c.t, err)
	require.Equal(c.t, runs.Interrupted, kept.Status)
	require.Equal(c.t, kept, c.readRun(keep.ID))
	require.Equal(c.t, runs.ThreadIdle, c.readThread(keep.Thread).Status)
	_, err = c.s.Cancel(c.ctx(), ann, keep.ID, runs.CancelRollback)
	require.ErrorIs(c.t, err, runs.ErrRunOver)

	removed, err := c.s.Cancel(c.ctx(), ann, remove.ID, runs.CancelRollback)
	require.NoError(c.t, err)
	require.Equal(c.t, []any{remove.ID, runs.Interrupted}, []any{removed.ID, removed.Status})
	_, err = c.s.Cancel(c.ctx(), ann, remove.ID, runs.CancelRollback)
	require.ErrorIs(c.t, err, runs.ErrNoRun)
	require.Equal(c.t, runs.ThreadIdle, c.readThread(remove.Thread).Status, "the thread stays")
	require.Empty(c.t, c.claims(worker("w"), 10))
	require.ErrorIs(c.t, c.s.Submit(c.ctx(), keep, true, 0, nil), runs.ErrExists)
}

func (c *check) cancelRunning() {
	r, w := c.submitTo(c.id()), worker("w")
	c.mine(w, r)
	cancel := func(how runs.Cancel) *runs.Run {
		row, err := c.s.Cancel(c.ctx(), ann, r.ID, how)
		require.NoError(c.t, err)
		require.Equal(c.t, runs.Running, row.Status)
		require.Equal(c.t, row, c.readRun(r.ID))
		return row
	}
	wanted := func() map[string]runs.Cancel {
		renewal, err := c.s.Renew(c.ctx(), w, []string{r.ID})
		require.NoError(c.t, err)
		return renewal.Cancel
	}
	require.Empty(c.t, wanted())
	require.Equal(c.t, runs.CancelKeep, cancel(runs.CancelKeep).Cancel)
	require.Equal(c.t, map[string]runs.Cancel{r.ID: runs.CancelKeep}, wanted())
	require.Equal(c.t, runs.CancelRollback, cancel(runs.CancelRollback).Cancel)
	require.Equal(c.t, runs.CancelRollback, cancel(runs.CancelKeep).Cancel, "a rollback is not weakened")
	require.Equal(c.t, map[string]runs.Cancel{r.ID: runs.CancelRollback}, wanted())
	require.NoError(c.t, c.s.Release(c.ctx(), w, r.ID))
	pending, err := c.s.Cancel(c.ctx(), ann, r.ID, runs.CancelKeep)
	require.NoError(c.t, err)
	require.Equal(c.t, []any{runs.Pending, runs.CancelRollback}, []any{pending.Status, pending.Cancel}, "somebody must undo what it did")
	require.Equal(c.t, runs.CancelRollback, c.mine(w, r).Cancel, "whoever claims it learns it")
	require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: r.ID, Status: runs.Interrupted}))
	_, err = c.s.Cancel(c.ctx(), ann, r.ID, runs.CancelKeep)
	require.ErrorIs(c.t, err, runs.ErrRunOver)
}

func (c *check) deleteRun() {
	t, w := c.thread(), worker("w")
	first, second := c.submitTo(t.ID), c.submitTo(t.ID)
	c.mine(w, first)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(first.ID, 1)}))
	require.ErrorIs(c.t, c.s.DeleteRun(c.ctx(), ann, first.ID), runs.ErrThreadBusy)
	c.succeed(w, first.ID)
	require.NoError(c.t, c.s.DeleteRun(c.ctx(), ann, first.ID))
	_, err := c.s.Run(c.ctx(), ann, first.ID)
	require.ErrorIs(c.t, err, runs.ErrNoRun)
	_, err = c.s.Events(c.ctx(), ann, first.ID, 0, 1)
	require.ErrorIs(c.t, err, runs.ErrNoRun)
	require.Equal(c.t, runs.ThreadBusy, c.readThread(t.ID).Status)
	require.NoError(c.t, c.s.DeleteRun(c.ctx(), ann, second.ID))
	require.Equal(c.t, runs.ThreadIdle, c.readThread(t.ID).Status)
	require.ErrorIs(c.t, c.s.DeleteRun(c.ctx(), ann, second.ID), runs.ErrNoRun)
}
