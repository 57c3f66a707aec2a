package enginetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
)

// dying is a store that a process no longer reaches from some moment on, as if it had died.
type dying struct {
	runs.Store

	dead atomic.Bool
}

var errDead = errors.New("the process is dead")

func (d *dying) Claim(ctx context.Context, w *runs.Worker, limit int) ([]runs.Run, error) {
	if d.dead.Load() {
		return nil, errDead
	}
	return d.Store.Claim(ctx, w, limit)
}

func (d *dying) Renew(ctx context.Context, w *runs.Worker, ids []string) (*runs.Renewal, error) {
	if d.dead.Load() {
		return nil, errDead
	}
	return d.Store.Renew(ctx, w, ids)
}

func (d *dying) Append(ctx context.Context, w *runs.Worker, events []runs.Event) error {
	if d.dead.Load() {
		return errDead
	}
	return d.Store.Append(ctx, w, events)
}

func (d *dying) Finish(ctx context.Context, w *runs.Worker, o *runs.Outcome) error {
	if d.dead.Load() {
		return errDead
	}
	return d.Store.Finish(ctx, w, o)
}

func (d *dying) Release(ctx context.Context, w *runs.Worker, run string) error {
	if d.dead.Load() {
		return errDead
	}
	return d.Store.Release(ctx, w, run)
}

func anotherProcessTakesOver(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, work(), scripted.Say("done"))
	began, let, count := r.blocks()
	shared := r.store
	lost := &dying{Store: shared}
	r.store = lost
	r.config.Middleware = []host.Middleware{host.BeforeModel("dies", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.State().Messages().Len() == 3 && lost.dead.CompareAndSwap(false, true) {
			return nil, errDead // after the tool, whose result is saved
		}
		return nil, nil
	})}
	r.start()
	run := r.submit(say("hi"))
	<-began
	let <- struct{}{}
	require.Eventually(t, lost.dead.Load, 10*time.Second, time.Millisecond)
	r.store = shared
	r.start()
	got := r.over(run)
	require.Equal(t, []any{runs.Success, 2}, []any{got.Status, got.Attempt})
	require.EqualValues(t, 1, count.Load(), "the tool ran once")
	require.Equal(t, []string{"human: hi", "ai: ", "tool: ok", "ai: done"}, r.messages())

	events, err := shared.Events(t.Context(), "ann", run.ID, 0, 0)
	require.NoError(t, err)
	var known []string // what a reader knows who drops what is void
	var saved int
	for i := range events {
		e, err := events[i].Host()
		require.NoError(t, err)
		if i > 0 && events[i].Attempt() > events[i-1].Attempt() {
			known = known[:saved]
		}
		for j := range e.Messages {
			if e.Type == host.EventState {
				known = append(known, string(e.Messages[j].Role)+": "+e.Messages[j].Content.Text())
			}
		}
		if e.Type == host.EventCheckpoint {
			saved = len(known)
		}
	}
	require.Equal(t, r.messages(), known, "nothing is missing, and nothing comes twice")
}
