package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
)

// kept returns an event as a store keeps it.
func (a *attempt) kept(event *host.Event) (*runs.Event, error) {
	a.seq++
	kept, err := runs.NewEvent(a.run.ID, a.seq, event)
	if err != nil {
		return nil, err
	}
	if err := kept.Check(); err != nil {
		return runs.NewEvent(a.run.ID, a.seq, &host.Event{Type: host.EventWarn, Time: event.Time, Run: event.Run, Text: fmt.Sprintf(
			"an event of the type %q is left out: %v", event.Type, err)})
	}
	return kept, nil
}

// statusOf returns the status of a run that nobody has ended. One that waits for an answer has succeeded.
func statusOf(result *host.Result, err error) runs.Status {
	if err != nil || result.Status == host.Failed {
		return runs.Failed
	}
	return runs.Success
}

// outcome returns how a run ended that nobody has cancelled.
func (a *attempt) outcome(status runs.Status, result *host.Result, err error) *runs.Outcome {
	o := &runs.Outcome{Run: a.run.ID, Status: status, After: a.newest(result)}
	switch {
	case err != nil:
		document := host.ErrorDocument(err)
		o.Failure = &runs.Failure{Type: document.Type, Message: document.Message}
	case status == runs.Failed:
		o.Failure = &runs.Failure{Type: "model_error", Message: "the model has not answered: " + result.StopReason}
	}
	waiting, stopped := a.waitingOf(result), result != nil && result.Status == host.Interrupted
	o.Thread = func(t *runs.Thread) {
		t.Agent, t.Failure, t.Waiting, t.Status = a.run.Agent, o.Failure, waiting, runs.ThreadIdle
		switch {
		case stopped || len(waiting) > 0: // somebody can still answer, also after a failure
			t.Status = runs.ThreadInterrupted
		case o.Failure != nil:
			t.Status = runs.ThreadFailed
		}
		if o.After != a.before {
			t.Stepped = time.Now() //nolint:forbidigo // the times of a store are those of the machine
		}
	}
	return o
}

// waitingOf returns the questions that wait, as a thread shows them. A run that failed or was cancelled may not have taken up the answers: its thread waits
// for them as before.
func (a *attempt) waitingOf(result *host.Result) []runs.Interrupt {
	if result != nil && (result.Status == host.Completed || result.Status == host.Interrupted) {
		return runs.InterruptsOf(result.Interrupts)
	}
	ctx, done := a.outlast()
	defer done()
	held, err := a.agent.State(ctx, a.thread, 0)
	switch {
	case err == nil:
		return runs.InterruptsOf(held.Interrupts)
	case !errors.Is(err, host.ErrUnknownThread) && !errors.Is(err, checkpoint.ErrNoThread):
		a.engine.log.Warn("whether the thread of a run waits for answers is unknown", "run", a.run.ID, "error", err)
	}
	return nil
}

// cancelledBy ends a run that somebody has cancelled, and undoes it if they want that. It returns nil if that is not possible now.
func (a *attempt) cancelledBy(how runs.Cancel, result *host.Result) *runs.Outcome {
	if how == runs.CancelKeep {
		o := &runs.Outcome{Run: a.run.ID, Status: runs.Interrupted, After: a.newest(result)}
		waiting := a.waitingOf(result)
		o.Thread = func(t *runs.Thread) {
			t.Agent, t.Status, t.Waiting = a.run.Agent, runs.ThreadInterrupted, waiting
			t.Failure = &runs.Failure{Type: "UserInterrupt", Message: (&cancelled{how}).Error()} // the type is LangGraph's
		}
		return o
	}
	if !a.begun { // nobody knows where it began; whoever claims it next finds out first
		return nil
	}
	to := a.before
	if to == 0 {
		to = checkpoint.Root
	}
	ctx, done := a.outlast()
	defer done()
	err := a.agent.Threads.Rollback(ctx, a.thread, to)
	if err != nil && !errors.Is(err, checkpoint.ErrNoThread) {
		a.engine.log.Error("a run cannot be rolled back; trying again", "run", a.run.ID, "error", err)
		return nil
	}
	return &runs.Outcome{Run: a.run.ID, Remove: true}
}

// newest returns the newest checkpoint of the run's thread, or else the one before the run.
func (a *attempt) newest(result *host.Result) checkpoint.ID {
	if result != nil && result.Checkpoint > a.before { // the run has made it
		return result.Checkpoint
	}
	ctx, done := a.outlast()
	defer done()
	newest, err := a.newestOf(ctx)
	if err != nil {
		a.engine.log.Warn("the newest checkpoint of a run is unknown", "run", a.run.ID, "error", err)
		return a.before
	}
	return newest
}

// outlast returns a context for what must still be done when the attempt's own has ended.
func (a *attempt) outlast() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(a.ctx), 10*time.Second)
}

// finish ends the run. What cannot be written is tried again while the process has the run; after that another one goes on with it, and finds
// that it is over.
func (a *attempt) finish(o *runs.Outcome) {
	if o == nil {
		a.giveBack(nil)
		return
	}
	if err := a.addLast(o); err != nil {
		a.giveBack(err)
		return
	}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		ctx, done := a.outlast()
		err := a.pays.Settle(ctx)
		if err == nil {
			err = a.engine.config.Store.Finish(ctx, a.engine.worker, o)
		}
		done()
		switch {
		case err == nil:
			a.ended(o)
			return
		case errors.Is(err, runs.ErrNotClaimed):
			a.lost()
			return
		}
		a.engine.log.Error("the end of a run cannot be written; trying again", "run", a.run.ID, "error", err)
		if wait(a.engine.ctx, pause) != nil {
			return
		}
	}
}

// ended tells who wants to know that the run has ended.
func (a *attempt) ended(o *runs.Outcome) {
	a.over = o
	if tell := a.engine.config.Ended; tell != nil && !o.Remove {
		r := *a.run
		r.Status, r.Failure, r.Before, r.After = o.Status, o.Failure, a.before, o.After
		tell(&r)
	}
}

// addLast adds the events that end the run, after those that are on their way.
func (a *attempt) addLast(o *runs.Outcome) error {
	if o.Remove {
		return nil
	}
	ctx, done := a.outlast()
	defer done()
	rest, err := a.engine.events.take(ctx, a.run.ID)
	if err != nil {
		return err
	}
	if a.last == nil { // the agent has not begun
		a.last = &host.Event{Type: host.EventEnd, Time: time.Now(), Status: host.Failed} //nolint:forbidigo // that of the machine, as in a store
		if o.Failure != nil {
			a.last.Error = &host.EventError{Type: o.Failure.Type, Message: o.Failure.Message}
		}
	}
	rest = append(rest, a.changes...)
	for _, event := range []*host.Event{a.head, a.last} {
		if event == nil {
			continue
		}
		kept, err := a.kept(event)
		if err != nil {
			return err
		}
		rest = append(rest, *kept)
	}
	o.Events = rest
	return nil
}

// lost forgets the events of a run that another process has.
func (a *attempt) lost() {
	a.engine.log.Warn("another process performs the run", "run", a.run.ID)
	ctx, done := a.outlast()
	defer done()
	_, _ = a.engine.events.take(ctx, a.run.ID)
	if err := a.pays.Settle(ctx); err != nil {
		a.engine.log.Error("what a run has cost cannot be written", "run", a.run.ID, "owner", a.run.Owner, "error", err)
	}
}

// giveBack lets another process go on with the run, or this one later.
func (a *attempt) giveBack(why error) {
	if why != nil && !errors.Is(why, context.Canceled) {
		a.engine.log.Warn("a run is given back", "run", a.run.ID, "error", why)
		_ = wait(a.engine.ctx, 100*time.Millisecond) // it would be claimed again at once
	}
	var rest []runs.Event
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err := a.release(&rest)
		if err == nil || errors.Is(err, runs.ErrNotClaimed) {
			return
		}
		if wait(a.engine.ctx, pause) != nil {
			a.engine.log.Error("a run cannot be given back; another process will take it when the claim expires", "run", a.run.ID, "error", err)
			return
		}
		// The claims of a process last as long as it lives, so nobody else would ever take the run.
		a.engine.log.Error("a run cannot be given back; trying again", "run", a.run.ID, "error", err)
	}
}

// release writes the rest of the run's events and gives the run back. rest has those that could not be written before.
func (a *attempt) release(rest *[]runs.Event) error {
	ctx, done := a.outlast()
	defer done()
	more, err := a.engine.events.take(ctx, a.run.ID)
	*rest = append(*rest, more...)
	if err != nil {
		return err
	}
	if len(*rest) > 0 {
		if err := a.engine.config.Store.Append(ctx, a.engine.worker, *rest); err != nil {
			return err
		}
		*rest = nil
	}
	if err := a.pays.Settle(ctx); err != nil {
		return err
	}
	return a.engine.config.Store.Release(ctx, a.engine.worker, a.run.ID)
}
