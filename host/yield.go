package host

import (
	"context"
	"errors"
	"fmt"
)

// ErrDraining is the error of a run on an agent that drains.
var ErrDraining = errors.New("the agent is draining; run it in another process, or again later")

// yields reports whether the run, which was just saved, is to stop here.
func (r *run) yields() bool {
	if r.entry.drains.Load() {
		return true
	}
	ask := r.input.Yield
	return ask != nil && ask(Boundary{Next: r.next(), Checkpoint: r.thread.parent, Steps: r.budget.steps})
}

// Drain makes all runs yield, see [Input.Yield], and waits for them to end. New runs are refused with [ErrDraining]; threads can
// still be read and updated. No model call and no tool is cut off, so that a run without a thread, or with [DurabilityExit], goes on
// to its end. If ctx ends first, Drain returns an error that wraps its cause; the runs still yield. Call Close afterwards.
func (a *Agent) Drain(ctx context.Context) error {
	a.draining.Store(true)
	wake := context.AfterFunc(ctx, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.idle.Broadcast()
	})
	defer wake()
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.runs > 0 && ctx.Err() == nil {
		a.idle.Wait()
	}
	if a.runs > 0 {
		return fmt.Errorf("runs that have not ended yet: %d: %w", a.runs, context.Cause(ctx))
	}
	return nil
}
