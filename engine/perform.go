package engine

import (
	"context"
	"errors"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// Performed is what became of a run that [Engine.Perform] has claimed.
type Performed struct {
	Run *runs.Run // as it was claimed
	// Outcome is how the run ended. It is nil if the run was given back, because the engine drains or a database failed, or if another
	// process has it: somebody has to go on with it.
	Outcome *runs.Outcome
}

// Perform claims the run of a thread that comes first, and performs it. It returns nil if there is no run to claim: the thread has none, it is
// not due, another process has it, or its agent is not here. When ctx ends, the run is cancelled as if its client had done so, and what it did stays.
//
// The error is [host.ErrDraining] after Close, [runs.ErrNoThread], or that of the store.
func (e *Engine) Perform(ctx context.Context, owner, thread string) (*Performed, error) {
	a, err := e.enter(ctx, owner, thread)
	if a == nil {
		return nil, err
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		a.stop()
		<-a.done
	}
	return &Performed{Run: a.run, Outcome: a.over}, nil
}

// enter claims a run and begins with it.
func (e *Engine) enter(ctx context.Context, owner, thread string) (*attempt, error) {
	e.mu.Lock()
	if e.draining {
		e.mu.Unlock()
		return nil, host.ErrDraining
	}
	e.entering++
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.entering--
		e.idle.Broadcast()
	}()
	asked := time.Since(e.began) //nolint:forbidigo // leases go by real time
	claimed, err := e.config.Store.ClaimIn(ctx, e.worker, owner, thread)
	if claimed == nil {
		return nil, err
	}
	e.extended(asked)
	return e.begin(valued{e.ctx, ctx}, claimed), nil
}

// valued is a context that lives as long as the engine, and has the values of a caller, such as the span that a run belongs to.
type valued struct {
	context.Context //nolint:containedctx // it is a context

	values context.Context //nolint:containedctx // it is a context
}

func (v valued) Value(key any) any {
	if own := v.Context.Value(key); own != nil {
		return own
	}
	return v.values.Value(key)
}

// stop cancels the run as its client would.
func (a *attempt) stop() {
	ctx, done := a.outlast()
	defer done()
	_, err := a.engine.config.Store.Cancel(ctx, a.run.Owner, a.run.ID, runs.CancelKeep)
	if err != nil && !errors.Is(err, runs.ErrRunOver) && !errors.Is(err, runs.ErrNoRun) {
		a.engine.log.Error("a run cannot be cancelled in the store; it ends here", "run", a.run.ID, "error", err)
		a.cancel(&cancelled{runs.CancelKeep})
	}
}
