package temporal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// perform performs the run of a thread that comes first. It may be started again at any time, on any worker.
func (w *Worker) perform(ctx context.Context, s segment) (*verdict, error) {
	stop := w.beat(ctx)
	defer stop()
	run, end := uncut(ctx)
	defer end()
	v := &verdict{}
	performed, err := w.engine.Perform(run, s.Owner, s.Thread)
	switch {
	case errors.Is(err, runs.ErrNoThread):
		return w.look(ctx, s, v)
	case errors.Is(err, host.ErrDraining):
		return nil, later("draining", err, 100*time.Millisecond)
	case err != nil:
		return nil, err
	case performed == nil:
		if err := w.unclaimed(ctx, s); err != nil {
			return nil, err
		}
	default:
		v.Run, v.Agent = performed.Run.ID, performed.Run.Agent
		v.More = performed.Outcome == nil
	}
	return w.look(ctx, s, v)
}

// later is an error after which Temporal starts the activity again, on any worker, after some time.
func later(kind string, err error, after time.Duration) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), kind, temporal.ApplicationErrorOptions{
		NextRetryDelay: after, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// unclaimed returns an error if this worker could not claim the run of a thread that comes first, and one must.
func (w *Worker) unclaimed(ctx context.Context, s segment) error {
	running, err := w.store.FindRuns(ctx, s.Owner, s.Thread, &runs.RunQuery{Status: runs.Running, Limit: 1})
	if err != nil && !errors.Is(err, runs.ErrNoThread) {
		return err
	}
	if len(running) > 0 {
		return later("busy", fmt.Errorf("the run %s belongs to another process, or to one that died a moment ago", running[0].ID), min(w.lease/4, time.Second))
	}
	next, err := w.next(ctx, s)
	if err != nil || next == nil {
		return err
	}
	err = fmt.Errorf("the run %s needs the agent %q, which this worker does not have, or it has just become due", next.ID, next.Agent)
	return later("agent", err, time.Second)
}

// next returns the run of a thread that comes next; nil if none is due.
func (w *Worker) next(ctx context.Context, s segment) (next *runs.Run, err error) {
	now := time.Now() //nolint:forbidigo // runs wait in real time
	for offset := 0; ; offset += runs.MaxPage {
		page, err := w.store.FindRuns(ctx, s.Owner, s.Thread, &runs.RunQuery{Status: runs.Pending, Limit: runs.MaxPage, Offset: offset})
		if errors.Is(err, runs.ErrNoThread) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range page { // the newest first
			if !page[i].Due.After(now) {
				next = &page[i]
			}
		}
		if len(page) < runs.MaxPage {
			return next, nil
		}
	}
}

// look adds to a verdict what the store says of the thread, and of runs that somebody waits for.
func (w *Worker) look(ctx context.Context, s segment, v *verdict) (*verdict, error) {
	t, err := w.store.Thread(ctx, s.Owner, s.Thread)
	if err != nil && !errors.Is(err, runs.ErrNoThread) {
		return nil, err
	}
	var waiting []string
	if err == nil {
		for i := range t.Waiting {
			waiting = append(waiting, t.Waiting[i].ID)
		}
		v.Waiting = len(waiting) > 0
		if !v.More {
			next, err := w.next(ctx, s)
			if err != nil {
				return nil, err
			}
			v.More = next != nil
		}
	}
	for _, id := range s.Await {
		r, err := w.store.Run(ctx, s.Owner, id)
		switch {
		case errors.Is(err, runs.ErrNoRun):
			v.Over = append(v.Over, over{Run: id})
		case err != nil:
			return nil, err
		case r.Status.Over():
			v.Over = append(v.Over, over{Run: id, Status: r.Status, Failure: r.Failure, Waiting: waiting})
		}
	}
	return v, nil
}

// beat tells Temporal that the worker lives, as long as its claims last. The function that it returns ends that.
func (w *Worker) beat(ctx context.Context) (stop func()) {
	every := activity.GetInfo(ctx).HeartbeatTimeout / 3
	if every <= 0 {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every) //nolint:forbidigo // Temporal counts real time
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if w.engine.Alive() {
					activity.RecordHeartbeat(ctx)
				}
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// uncut returns a context that ends only if somebody cancels the workflow. The context of an activity also ends if Temporal has given the attempt up, such
// as after an outage; but as long as the worker has its claims, nobody else can perform the run.
func uncut(ctx context.Context) (context.Context, context.CancelFunc) {
	run, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); temporal.IsCanceledError(cause) {
			stop(cause)
		}
	})
	return run, func() {
		release()
		stop(nil)
	}
}
