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
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// run is one run of an agent. Its fields belong to the goroutine that runs it; goroutines of tool calls only read.
type run struct {
	agent   *build // as it was when the run began
	id      string
	input   Input
	seed    uint64
	state   *State
	cursors []history.Cursor // by step
	sink    *sink            // nil: nobody listens
	ids     idSource

	at        int  // the step that comes next, or is performed
	passed    bool // the breakpoint before it was passed
	paused    bool // the run stopped at the breakpoint before it
	questions questions
	batch     batch
	journal   journal
	failed    string   // why the run that it goes on with had stopped
	branches  bool     // it goes on behind an older checkpoint
	last      string   // the name of the step that was made last
	begun     bool     // the input was taken; until then the thread is as it was
	givenUp   string   // id of the thread's earlier run, if this one ends it
	wasOver   bool     // the run that it goes on with was over before
	unsaved   bool     // something happened since the thread was saved
	keeping   *keeping // the hold on the thread
	budget    budget
	cancelled bool // its context ended before it did

	notices []string // what happened to the agent before the run
	refused error    // the agent is closed
	leave   func()   // called once, when the run is over
}

// errStopped is the cause of a cancellation by the consumer of a stream.
var errStopped = fmt.Errorf("the consumer of the stream stopped: %w", context.Canceled)

// Run runs the agent until it is done, fails, or waits for an answer, which the result's Status tells. The result is
// never nil: of a run that failed it holds what it had until then.
func (a *Agent) Run(ctx context.Context, in Input) (*Result, error) {
	r := a.newRun(ctx, in)
	err := r.do(ctx)
	return r.result(err), err
}

// Stream runs the agent as Run does and yields events as they happen, in the caller's goroutine. The last event has the
// type end; a run that fails then yields its error. When the consumer stops, the run is cancelled.
func (a *Agent) Stream(ctx context.Context, in Input) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		r := a.newRun(ctx, in)
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
	r := a.newRun(ctx, in)
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
func (a *Agent) newRun(ctx context.Context, in Input) (r *run) {
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
	r.notices, r.refused, r.leave = notices, err, leave
	return r
}

func (a *build) newRun(in Input) *run {
	seed := in.Seed
	if seed == 0 {
		seed = a.seed()
	}
	var buf [20]byte
	return &run{
		agent: a, id: string(strconv.AppendUint(append(buf[:0], "run-"...), seed, 16)), seed: seed, ids: idSource{seed: seed},
		input: in, at: a.program.entry, cursors: make([]history.Cursor, len(a.program.steps)),
		state: &State{table: &a.fields, values: a.fields.initial()}, budget: budget{limits: &a.toolCalls, recursion: a.limit},
	}
}

// do performs the run and its first and last event.
func (r *run) do(ctx context.Context) error {
	var start time.Time
	defer r.leave()
	defer func() { _ = r.letGo() }() // when something panics
	err := r.refused
	if err == nil {
		err = r.open(ctx)
	}
	if r.keeping != nil {
		var unwatch func()
		ctx, unwatch = r.keeping.watch(ctx)
		defer unwatch()
	}
	events := r.events()
	if events.on() {
		start = r.agent.now()
		events.send(&Event{Type: EventRun, Messages: r.input.Messages, Answers: r.questions.given})
	}
	for _, text := range r.notices {
		r.agent.logger.Warn(text, "run", r.id)
		if events.on() {
			events.send(&Event{Type: EventWarn, Text: text})
		}
	}
	if events.on() {
		for _, text := range r.agent.advice { // the log has it since the agent was built
			events.send(&Event{Type: EventWarn, Text: text})
		}
	}
	if err == nil {
		err = r.start(ctx)
	}
	if err == nil {
		err = r.loop(ctx)
	}
	err = r.close(ctx, err)
	if r.over(err) {
		r.tellEnd(ctx, r.id)
	}
	if events.on() {
		end := &Event{
			Type: EventEnd, Status: r.status(err), Next: r.next(), Interrupts: r.questions.waiting(),
			Duration: r.agent.now().Sub(start),
		}
		if err != nil {
			end.Error = eventError(err)
		}
		events.send(end)
	}
	return err
}

// start applies the input and saves it: a new run, or answers to an interrupted one.
func (r *run) start(ctx context.Context) error {
	if !r.input.goesOn() {
		if err := r.applyInput(); err != nil {
			return err
		}
	}
	if err := r.saveStart(ctx); err != nil {
		return err
	}
	r.begun = true
	if r.givenUp != "" {
		r.tellEnd(ctx, r.givenUp)
	}
	return nil
}

// saveStart saves what the input changes. Behind an older checkpoint that is where the thread goes on, whatever the input:
// what tools do is journalled behind it.
func (r *run) saveStart(ctx context.Context) error {
	switch {
	case r.keeping == nil, r.input.Continue && !r.branches:
		return nil
	case r.keeping.durability == DurabilityExit:
		r.unsaved = true
		return nil
	case r.input.goesOn() && r.branches:
		return r.save(ctx, checkpoint.SourceFork, nil)
	default:
		return r.save(ctx, checkpoint.SourceInput, nil)
	}
}

// giveUp ends the thread's earlier run, if that did not end by itself: what its tools finished is kept, what lasts as long
// as the run or a step is not.
func (r *run) giveUp() {
	if len(r.batch.results) > 0 {
		if err := r.commitBatch(); err != nil {
			r.warn(ToolsStep, "of the results of the thread's last run only the answers are kept: "+err.Error())
		}
	}
	if update := r.answerCutOff(); !update.IsZero() {
		if err := r.commit(ToolsStep, []sourcedUpdate{{update, ToolsStep}}); err != nil {
			r.warn(ToolsStep, "what is known of tool calls that were cut off is not kept: "+err.Error())
		}
	}
	r.journal.tell()
	r.journal.drop(r.warn)
	r.state = r.state.forNewRun()
}

// next is the step that comes next; "" if there is no run to go on with.
func (r *run) next() string {
	if !r.begun {
		return ""
	}
	return r.agent.program.name(r.at)
}

// applyInput applies what an earlier run of the thread left, and then the input's messages and fields.
func (r *run) applyInput() error {
	a := r.agent
	r.giveUp()
	update := &Update{Messages: r.input.Messages}
	for _, name := range slices.Sorted(maps.Keys(r.input.State)) {
		slot, ok := a.fields.slots[name]
		if !ok {
			return &UpdateError{Step: "input", Field: name, Err: errors.New("is not declared; declare it in the agent's State")}
		}
		if a.fields.fields[slot].HideInput {
			r.warn("input", fmt.Sprintf("field %q is hidden from the caller; its value is ignored", name))
			continue
		}
		raw, err := Encode(r.input.State[name])
		if err != nil {
			return &UpdateError{Step: "input", Field: name, Err: err}
		}
		update.State.Set(name, raw)
	}
	if update.IsZero() {
		return r.commit("input", nil)
	}
	return r.commit("input", []sourcedUpdate{{update, "input"}})
}

// loop walks through the program, from the step at which the run stands.
func (r *run) loop(ctx context.Context) error {
	for p := r.agent.program; r.at != endStep; {
		at := r.at
		if ctx.Err() != nil {
			return r.cancellation(ctx, nil)
		}
		if r.paused = p.steps[at].breakBefore && !r.passed; r.paused {
			r.unsaved = true
			return nil
		}
		jump, err := r.step(ctx, at)
		switch {
		case err != nil && ctx.Err() != nil:
			return r.cancellation(ctx, err)
		case err != nil:
			if p.steps[at].kind != stepTools { // which knows which of its calls have failed
				r.journal.unlearn("", "")
			}
			return err
		case r.questions.wait():
			return nil
		}
		if err := r.advance(jump); err != nil {
			return err
		}
		if r.paused = p.steps[at].breakAfter && r.at != endStep; r.paused {
			return nil
		}
		if err := r.budget.checkSteps(p.steps[at].name, r.input.goesOn()); err != nil {
			return err
		}
		if r.at != endStep && r.keeping.savesAfter(p.steps[at].kind) {
			r.journal.drop(r.warn)
			if err := r.save(ctx, checkpoint.SourceLoop, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// advance goes on to the step behind the present one, which is done.
func (r *run) advance(jump abi.Target) error {
	p, done := r.agent.program, r.at
	next, err := p.next(done, jump, r.state, r.budget.modelDone())
	if err != nil {
		return err
	}
	if jump == abi.JumpModel && next != p.loopEntry {
		r.warn(p.steps[done].name, "the jump to the model is ignored: the run has no model steps left (max_loops)")
	}
	r.batch.clear()
	r.at, r.passed, r.last = next, false, p.steps[done].name
	r.questions.clear()
	r.budget.steps++
	r.journal.endStep(p.steps[done].kind == stepTools)
	if r.at == endStep {
		r.journal.drop(r.warn)
	}
	return nil
}

// cancellation is the error of a run whose context ended; failure is what the run reported then, if anything.
func (r *run) cancellation(ctx context.Context, failure error) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, checkpoint.ErrLost) {
		return r.threadError(cause)
	}
	r.cancelled = true
	if failure == nil || errors.Is(failure, cause) {
		return fmt.Errorf("run cancelled: %w", cause)
	}
	return fmt.Errorf("run cancelled: %w: %w", cause, failure)
}

// step performs one step and returns the jump that it asks for.
func (r *run) step(ctx context.Context, at int) (abi.Target, error) {
	s := &r.agent.program.steps[at]
	if s.kind != stepTools && r.questions.block("") {
		return "", nil
	}
	r.unsaved = true
	if events := r.events(); events.on() {
		events.send(&Event{Type: EventStep, Step: s.name, Index: r.budget.steps + 1})
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
	case err == nil && (r.paused || r.questions.wait()):
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
	shown := r.shown()
	return &Result{
		RunID: r.id, Thread: r.input.Thread, Status: r.status(err), Messages: shown.Messages(), State: shown.output(),
		Structured: shown.structured(),
		Interrupts: r.questions.waiting(), Next: r.next(), Usage: r.budget.usage.total(), Steps: r.budget.steps,
	}
}

// callSeed is the seed of one call of a hook or tool: it follows from the run's seed and the call's place in the run.
func (r *run) callSeed(call, layer int) uint64 {
	return placeSeed(r.seed+uint64(r.budget.steps+1)*0x9e3779b97f4a7c15, call, layer)
}

func placeSeed(base uint64, call, layer int) uint64 {
	x := base + uint64(call+1)*0xbf58476d1ce4e5b9 + uint64(layer+1)*0x94d049bb133111eb
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
