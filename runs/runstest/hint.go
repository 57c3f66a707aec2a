package runstest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// ear collects the hints of a store.
type ear struct {
	c     *check
	hints chan runs.Hint
}

// listen listens to a store until the test ends.
func (c *check) listen(s runs.Store) *ear {
	e := &ear{c, make(chan runs.Hint, 1000)}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Listen(ctx, func(h runs.Hint) { e.hints <- h }) }()
	c.t.Cleanup(func() {
		stop()
		require.ErrorIs(c.t, <-ended, context.Canceled)
	})
	for _, kind := range []runs.HintKind{runs.HintQueue, runs.HintCancel, runs.HintEvents, runs.HintEnd, runs.HintThread} {
		e.wait(kind, "")
	}
	return e
}

// wait waits for a hint.
func (e *ear) wait(kind runs.HintKind, run string) {
	e.c.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case h := <-e.hints:
			if h.Kind == kind && (h.Run == run || h.Run == "") {
				return
			}
		case <-deadline:
			e.c.t.Fatalf("there was no hint %q of %q", kind, run)
		}
	}
}

// waitFor waits for the hint that a run was submitted to a thread.
func (e *ear) waitFor(thread string) {
	e.c.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case h := <-e.hints:
			if h.Kind == runs.HintThread && (h.Thread == thread || h.Thread == "") {
				return
			}
		case <-deadline:
			e.c.t.Fatalf("there was no hint of the thread %q", thread)
		}
	}
}

func (c *check) hints() { c.heard(c.listen(c.s)) }

// heard holds that what happens in the store of the test is heard.
func (c *check) heard(e *ear) {
	w := worker("w")
	t := c.thread()
	first := c.submitTo(t.ID)
	e.wait(runs.HintQueue, first.ID)
	e.waitFor(t.ID)
	second := c.submitTo(t.ID)
	e.wait(runs.HintQueue, second.ID)
	e.waitFor(t.ID)
	c.mine(w, first)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(first.ID, 1)}))
	e.wait(runs.HintEvents, first.ID)
	_, err := c.s.Cancel(c.ctx(), ann, first.ID, runs.CancelKeep)
	require.NoError(c.t, err)
	e.wait(runs.HintCancel, first.ID)
	require.NoError(c.t, c.s.Release(c.ctx(), w, first.ID))
	e.wait(runs.HintQueue, first.ID)
	c.mine(w, first)
	c.succeed(w, first.ID)
	e.wait(runs.HintEnd, first.ID)
	e.wait(runs.HintQueue, "")
	third := c.submitTo(t.ID, func(r *runs.Run) { r.Strategy = runs.StrategyInterrupt })
	e.wait(runs.HintEnd, second.ID)
	c.mine(w, third)
	c.submitTo(t.ID, func(r *runs.Run) { r.Strategy = runs.StrategyRollback })
	e.wait(runs.HintCancel, third.ID)
	empty := c.thread()
	require.NoError(c.t, c.s.DeleteThread(c.ctx(), ann, empty.ID))
	e.waitFor(empty.ID)
}
