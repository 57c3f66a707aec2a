package enginetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
)

// lateBegin is a store in which the first Begin does not come through before the run is cancelled.
type lateBegin struct {
	runs.Store

	late atomic.Bool
	here chan struct{}
}

func (l *lateBegin) Begin(ctx context.Context, w *runs.Worker, run string, newest checkpoint.ID) (checkpoint.ID, error) {
	if l.late.CompareAndSwap(true, false) {
		close(l.here)
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}
	return l.Store.Begin(ctx, w, run, newest)
}

func aRollbackBeforeTheBeginTakesNothingElse(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Say("hello"), scripted.Say("never"))
	store := &lateBegin{Store: r.store, here: make(chan struct{})}
	r.store = store
	r.start()
	r.over(r.submit(say("hi")))
	store.late.Store(true)
	run := r.submit(say("more"))
	<-store.here
	_, err := r.store.Cancel(t.Context(), "ann", run.ID, runs.CancelRollback)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := r.store.Run(t.Context(), "ann", run.ID)
		return errors.Is(err, runs.ErrNoRun)
	}, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, []string{"human: hi", "ai: hello"}, r.messages())
}

// broken is a store of threads that cannot read one.
type broken struct{ checkpoint.Store }

func (broken) Load(context.Context, string, checkpoint.ID) (*checkpoint.Thread, error) {
	return nil, checkpoint.ErrCorrupt
}

func aRunOfABrokenThreadFails(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Say("never"))
	r.threads = broken{r.threads}
	r.start()
	run := r.over(r.submit(say("hi")))
	require.Equal(t, []any{runs.Failed, 1}, []any{run.Status, run.Attempt}, "it would never succeed")
	require.Contains(t, run.Failure.Message, "restore it from a backup")
}
