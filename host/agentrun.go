package host

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/agenthost/agenthost/host/history"
)

// errStopped is the cause of the cancellation of a run when the consumer of its stream stops.
var errStopped = fmt.Errorf("the consumer of the stream stopped: %w", context.Canceled)

// Run runs the agent until it is done, fails, or waits for an answer; the result's Status says which. The result is never
// nil: for a failed run it holds everything up to the failure.
func (a *Agent) Run(ctx context.Context, in Input) (*Result, error) {
	r := a.newRun(ctx, &in)
	err := r.do(ctx)
	return r.result(err), err
}

// Stream runs the agent as Run does and yields events as they happen, in the caller's goroutine. The last event has the
// type end; a run that fails yields its error with that event. When the consumer stops, the run is cancelled.
func (a *Agent) Stream(ctx context.Context, in Input) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		r := a.newRun(ctx, &in)
		r.sink = &sink{run: r, yield: yield, stop: stop}
		err := r.do(ctx)
		r.sink.rethrow()
		if err != nil && !r.sink.stopped {
			yield(Event{Type: EventEnd, Seq: r.sink.seq, Run: r.id, Status: r.status(err), Next: r.next()}, err)
		}
	}
}

// RunEvents runs the agent as Run does and passes every event to handle, in the caller's goroutine. An error of handle
// cancels the run.
func (a *Agent) RunEvents(ctx context.Context, in Input, handle func(Event) error) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := a.newRun(ctx, &in)
	var handling error
	r.sink = &sink{run: r, stop: stop, yield: func(e Event, _ error) bool {
		handling = handle(e)
		return handling == nil
	}}
	err := r.do(ctx)
	r.sink.rethrow()
	if handling != nil {
		err = handling
	}
	return r.result(err), err
}

// newRun begins a run, which do ends.
func (a *Agent) newRun(ctx context.Context, in *Input) (r *run) {
	b, notices, err := a.enter(ctx)
	leave := func() {
		if err == nil {
			a.leave(b)
		}
	}
	defer func() {
		if r == nil { // the configuration's Seed panics
			leave()
		}
	}()
	r = b.newRun(in)
	r.entry = entry{notices: notices, err: err, leave: leave, drains: &a.draining}
	return r
}

func (a *build) newRun(in *Input) *run {
	seed := in.Seed
	if seed == 0 {
		seed = a.seed()
	}
	var buf [20]byte
	return &run{
		agent: a, id: string(strconv.AppendUint(append(buf[:0], "run-"...), seed, 16)), seed: seed, ids: idSource{seed: seed},
		model: a.config.Model, input: *in, state: &State{table: &a.fields, values: a.fields.initial()},
		progress: progress{step: a.program.entry, cursors: make([]history.Cursor, len(a.program.steps))},
		thread:   thread{id: in.Thread, durability: a.config.Durability},
		budget:   budget{limits: &a.toolCalls, recursion: a.limit},
	}
}
