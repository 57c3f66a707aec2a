package enginetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
)

// late is a store that takes the events of one run only when the test allows it.
type late struct {
	runs.Store

	run    string
	writes chan struct{} // it is asked to
	let    chan struct{} // closed when it may
}

func (l *late) Append(ctx context.Context, w *runs.Worker, events []runs.Event) error {
	if slices.ContainsFunc(events, func(e runs.Event) bool { return e.Run == l.run }) {
		select {
		case l.writes <- struct{}{}:
		default:
		}
		<-l.let
	}
	return l.Store.Append(ctx, w, events)
}

// A run that writes much must not hold up the end of others.
func aRunEndsWhileEventsOfAnotherAreWritten(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, work(), scripted.Say("two"), scripted.Say("one"))
	began, let, _ := r.blocks()
	store := &late{Store: r.store, run: "run-1", writes: make(chan struct{}, 1), let: make(chan struct{})}
	r.store = store
	r.start()
	allow := sync.OnceFunc(func() { close(store.let) })
	defer allow()
	busy := r.submit(say("hi"))
	<-began
	<-store.writes
	require.Equal(t, runs.Success, r.over(r.submit(say("hi"), func(run *runs.Run) { run.Thread = "other" })).Status)
	allow()
	close(let)
	require.Equal(t, runs.Success, r.over(busy).Status)
}

// shaky is a store that fails to begin a run once, and to give it back a few times.
type shaky struct {
	runs.Store

	begins, releases atomic.Int64
}

var errShaky = errors.New("the database is away")

func (s *shaky) Begin(ctx context.Context, w *runs.Worker, run string, newest checkpoint.ID) (checkpoint.ID, error) {
	if s.begins.Add(1) == 1 {
		return 0, errShaky
	}
	return s.Store.Begin(ctx, w, run, newest)
}

func (s *shaky) Release(ctx context.Context, w *runs.Worker, run string) error {
	if s.releases.Add(1) < 3 {
		return errShaky
	}
	return s.Store.Release(ctx, w, run)
}

// The claims of a process last as long as it lives, so a run that it does not give back would stay where it is.
func aRunIsGivenBackAfterFailures(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Say("hello"))
	store := &shaky{Store: r.store}
	r.store = store
	r.start(func(c *engine.Config) { c.Lease = time.Hour })
	run := r.over(r.submit(say("hi")))
	require.Equal(t, runs.Success, run.Status)
	require.Equal(t, 2, run.Attempt)
	require.EqualValues(t, 3, store.releases.Load())
}
