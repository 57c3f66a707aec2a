package host

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// run is one run of an agent. Its fields belong to the goroutine that runs it; goroutines of tool calls only read.
type run struct {
	agent   *Agent
	id      string
	thread  string
	input   Input
	seed    uint64
	state   *State
	cursors []history.Cursor // by step
	steps   int
	usage   abi.Usage
	sink    *sink // nil: nobody listens
	ids     idSource
	waiting []Interrupt // what the run waits for

	malformed int  // responses with malformed tool calls in a row
	cancelled bool // its context ended before it did
}

// errStopped is the cause of a cancellation by the consumer of a stream.
var errStopped = fmt.Errorf("the consumer of the stream stopped: %w", context.Canceled)

// Run runs the agent until it is done, fails, or waits for an answer, which the result's Status tells. The result is
// never nil: of a run that failed it holds what it had until then.
func (a *Agent) Run(ctx context.Context, in Input) (*Result, error) {
	r := a.newRun(in)
	err := r.do(ctx)
	return r.result(err), err
}

// Stream runs the agent as Run does and yields events as they happen, in the caller's goroutine. The last event has the
// type end; a run that fails then yields its error. When the consumer stops, the run is cancelled.
func (a *Agent) Stream(ctx context.Context, in Input) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		r := a.newRun(in)
		r.sink = &sink{run: r, yield: yield, stop: stop}
		err := r.do(ctx)
		r.sink.rethrow()
		if err != nil && !r.sink.stopped {
			yield(Event{Type: EventEnd, Seq: r.sink.seq, Run: r.id, Status: r.status(err)}, err)
		}
	}
}

// RunEvents runs the agent as Run does and passes every event to handle, in the caller's goroutine. An error of handle
// cancels the run.
func (a *Agent) RunEvents(ctx context.Context, in Input, handle func(Event) error) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := a.newRun(in)
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

func (a *Agent) newRun(in Input) *run {
	r := &run{agent: a, thread: in.Thread, input: in, seed: a.seed()}
	var buf [20]byte
	id := strconv.AppendUint(append(buf[:0], "run-"...), r.seed, 16)
	r.id = string(id)
	r.ids.seed = r.seed
	if len(a.program.steps) > 0 {
		r.cursors = make([]history.Cursor, len(a.program.steps))
	}
	return r
}

// do performs the run and its first and last event.
func (r *run) do(ctx context.Context) error {
	var start time.Time
	events := r.events()
	if events.on() {
		start = r.agent.now()
		events.send(&Event{Type: EventRun, Messages: r.input.Messages})
	}
	err := r.start()
	if err == nil {
		err = r.loop(ctx)
	}
	if events.on() {
		end := &Event{Type: EventEnd, Status: r.status(err), Interrupts: r.waiting, Duration: r.agent.now().Sub(start)}
		if err != nil {
			end.Error = eventError(err)
		}
		events.send(end)
	}
	return err
}

// start makes the first state: the fields' initial values and the input.
func (r *run) start() error {
	a := r.agent
	r.state = &State{table: &a.fields, values: a.fields.initial()}
	update := &Update{Messages: r.input.Messages}
	for _, name := range slices.Sorted(maps.Keys(r.input.State)) {
		slot, ok := a.fields.slots[name]
		if !ok {
			return &UpdateError{Step: "input", Field: name, Reason: "is not declared; declare it in the agent's State"}
		}
		if a.fields.fields[slot].HideInput {
			r.warn("input", fmt.Sprintf("field %q is hidden from the caller; its value is ignored", name))
			continue
		}
		raw, err := Encode(r.input.State[name])
		if err != nil {
			return &UpdateError{Step: "input", Field: name, Reason: err.Error()}
		}
		update.State.Set(name, raw)
	}
	if update.IsZero() {
		return nil
	}
	return r.commit("input", []sourcedUpdate{{update, "input"}})
}

// loop walks through the program.
func (r *run) loop(ctx context.Context) error {
	p := r.agent.program
	for at := p.entry; at != endStep; {
		if ctx.Err() != nil {
			return r.cancellation(ctx, nil)
		}
		jump, err := r.step(ctx, at)
		if err != nil && ctx.Err() != nil {
			return r.cancellation(ctx, err)
		}
		if err != nil {
			return err
		}
		if len(r.waiting) > 0 {
			return nil
		}
		r.steps++
		if r.steps >= r.agent.limit {
			return &LimitError{
				Code: CodeRecursionLimit, Step: r.agent.program.steps[at].name, Received: r.steps, Maximum: r.agent.limit,
				Message: fmt.Sprintf("recursion limit: %d steps without reaching the end; raise RecursionLimit or look for a loop",
					r.agent.limit),
			}
		}
		if at, err = p.next(at, jump, r.state); err != nil {
			return err
		}
	}
	return nil
}

// cancellation is the error of a run whose context ended; failure is what the run reported then, if anything.
func (r *run) cancellation(ctx context.Context, failure error) error {
	r.cancelled = true
	cause := context.Cause(ctx)
	if failure == nil || errors.Is(failure, cause) {
		return fmt.Errorf("run cancelled: %w", cause)
	}
	return fmt.Errorf("run cancelled: %w: %w", cause, failure)
}

// step performs one step and returns the jump that it asks for.
func (r *run) step(ctx context.Context, at int) (abi.Target, error) {
	s := &r.agent.program.steps[at]
	if events := r.events(); events.on() {
		events.send(&Event{Type: EventStep, Step: s.name, Index: r.steps + 1})
	}
	switch s.kind {
	case stepModel:
		return "", r.modelStep(ctx, s)
	case stepTools:
		return "", r.toolsStep(ctx, s)
	default:
		return r.nodeStep(ctx, at, s)
	}
}

func (r *run) status(err error) Status {
	switch {
	case err == nil && len(r.waiting) > 0:
		return Interrupted
	case err == nil:
		return Completed
	case r.cancelled:
		return Cancelled
	default:
		return Failed
	}
}

func (r *run) result(err error) *Result {
	return &Result{
		RunID: r.id, Thread: r.thread, Status: r.status(err), Messages: r.state.Messages(), State: r.state.output(),
		Interrupts: r.waiting, Usage: r.usage, Steps: r.steps,
	}
}

// callSeed is the seed of one call of a hook or tool: it follows from the run's seed and the call's place in the run.
func (r *run) callSeed(call, layer int) uint64 {
	x := r.seed + uint64(r.steps+1)*0x9e3779b97f4a7c15 + uint64(call+1)*0xbf58476d1ce4e5b9 + uint64(layer+1)*0x94d049bb133111eb
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
