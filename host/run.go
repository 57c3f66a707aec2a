package host

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// run is one run of an agent: the spine that walks through the program. What it keeps track of on the way is in five values
// with methods of their own. The fields belong to the goroutine of the run; goroutines of tool calls only read them, except
// where a value has a lock.
type run struct {
	agent    *build // as it was when the run began
	entry    entry
	id       string
	input    Input
	seed     uint64
	state    *State
	progress progress
	ids      idSource
	sink     *sink        // nil: nobody listens
	model    model.Model  // what model steps call unless a hook chooses another
	breaks   *breakpoints // nil: none
	context  runContext
	runtimes []Runtime // for the next calls of node hooks

	traced    string    // the traceparent of the run's span, and before that of the part of the run before; "": there is no tracer
	thread    thread    // the hold on the thread
	journal   journal   // executions of tools
	batch     batch     // results of the present tools step
	questions questions // interrupts and answers of the present step
	budget    budget    // what the run uses up
}

// entry is how the run entered its agent.
type entry struct {
	notices []string // what happened to the agent before the run
	err     error    // the agent is closed
	leave   func()   // called once, when the run is over
	drains  *atomic.Bool
}

// progress is how far the run has come in the program.
type progress struct {
	step      int              // the step that comes next, or is being performed
	last      string           // name of the step that was performed last
	passed    bool             // the breakpoint before step was passed
	paused    bool             // the run stopped at a breakpoint
	yielded   bool             // the run stopped because somebody wanted it to, see Input.Yield
	stays     bool             // the run stopped at a breakpoint before, and this input has led there
	cancelled bool             // the run's context ended before the run
	cursors   []history.Cursor // what the hook of each step has seen of the messages
}

// next returns the name of the step that comes next; "" if there is no run to go on with.
func (r *run) next() string {
	if !r.thread.begun {
		return ""
	}
	return r.agent.program.name(r.progress.step)
}

// do performs the run and its first and last event.
func (r *run) do(ctx context.Context) error {
	var start time.Time
	defer r.entry.leave()
	defer func() { _ = r.thread.release() }() // after a panic; otherwise close has done it
	err := r.entry.err
	if err == nil && r.entry.drains.Load() {
		err = ErrDraining
	}
	if err == nil {
		err = r.configure()
	}
	if err == nil {
		err = r.open(ctx)
	}
	if r.thread.kept() {
		var unwatch func()
		ctx, unwatch = r.thread.watch(ctx)
		defer unwatch()
	}
	ctx, span := r.traceRun(ctx)
	start = r.clock()
	before := r.state.log.List().Len()
	r.tellStart()
	if err == nil {
		err = r.start(ctx)
	}
	if err == nil {
		err = r.loop(ctx)
	}
	err = r.close(ctx, err)
	if r.over(err) {
		r.agent.tellEnd(ctx, r.id)
	}
	if r.events().wants(span) {
		r.tellEnd(span, start, before, err)
	}
	return err
}

// tellStart reports the run's input, and what there is to say about the agent.
func (r *run) tellStart() {
	events := r.events()
	if events.on() {
		events.send(&Event{Type: EventRun, Messages: r.input.Messages, Answers: r.questions.given, Metadata: r.input.Metadata})
	}
	for _, text := range r.entry.notices {
		r.agent.logger.Warn(text, "run", r.id, logEvent, EventWarn)
		if events.on() {
			events.send(&Event{Type: EventWarn, Text: text})
		}
	}
	if events.on() {
		for _, text := range r.agent.advice { // the log has it since the agent was built
			events.send(&Event{Type: EventWarn, Text: text})
		}
	}
}

// tellEnd reports how the run ended. before is how many messages there were when it began.
func (r *run) tellEnd(s span, start time.Time, before int, err error) {
	end := &Event{
		Type: EventEnd, Status: r.status(err), Next: r.next(), Interrupts: r.questions.waiting(),
		Duration: r.agent.now().Sub(start), Cost: r.shownCost(r.budget.usage.spent()),
	}
	if err != nil {
		end.Error = eventError(err)
	}
	r.finishRun(s, end, before)
}

// loop walks through the program from the run's present step.
func (r *run) loop(ctx context.Context) error {
	if r.progress.paused = r.progress.stays; r.progress.paused {
		return nil
	}
	saving := context.WithoutCancel(ctx) // made once for all saves
	for p := r.agent.program; r.progress.step != endStep; {
		at := r.progress.step
		if ctx.Err() != nil {
			return r.cancellation(ctx, nil)
		}
		if r.progress.paused = r.breaks.isBefore(at) && !r.progress.passed; r.progress.paused {
			r.thread.unsaved = true
			return nil
		}
		jump, err := r.step(ctx, at)
		switch {
		case err != nil && ctx.Err() != nil:
			return r.cancellation(ctx, err)
		case err != nil:
			if p.steps[at].kind != stepTools { // the tools step has done so for the calls that failed
				r.journal.unlearn("", "")
			}
			return err
		case r.questions.wait():
			return nil
		}
		if err := r.advance(jump); err != nil {
			return err
		}
		if r.progress.paused = r.breaks.isAfter(at) && r.progress.step != endStep; r.progress.paused {
			return nil
		}
		if err := r.budget.checkSteps(p.steps[at].name, r.input.goesOn()); err != nil {
			return err
		}
		if r.progress.step != endStep && r.thread.savesAfter(p.steps[at].kind) {
			r.journal.drop(r.warn)
			if err := r.save(saving, checkpoint.SourceLoop, nil); err != nil {
				return err
			}
			if r.progress.yielded = r.yields(); r.progress.yielded {
				return nil
			}
		}
	}
	return nil
}

// advance moves on from the present step, which is done, to the one that follows.
func (r *run) advance(jump abi.Target) error {
	p, done := r.agent.program, r.progress.step
	next, err := p.next(done, jump, r.state, r.budget.modelDone())
	if err != nil {
		return err
	}
	if p.goesRound(done, next) {
		switch {
		case r.budget.refusesModelStep():
			return r.endAtLoopLimit()
		case r.budget.lastWord():
			next = p.steps[done].next
		default:
			r.budget.modelSteps++ // otherwise a hook could go round for ever without a model step
		}
	}
	if jump == abi.JumpModel && next != p.loopEntry || jump == abi.JumpTools && next != p.tools {
		r.warn(p.steps[done].name, fmt.Sprintf("the jump to %q is ignored: the run has no model steps left (max_loops)", jump))
	}
	if p.tools == endStep && jump == "" && p.steps[done].router == afterModel {
		r.warnOfLostCalls()
	}
	r.batch.clear()
	r.progress.step, r.progress.passed, r.progress.last = next, false, p.steps[done].name
	r.questions.clear()
	r.budget.steps++
	r.journal.endStep(p.steps[done].kind == stepTools)
	if r.progress.step == endStep {
		r.journal.drop(r.warn)
	}
	return nil
}

// warnOfLostCalls tells of calls that nothing performs because the agent has no tools. A model that is offered none should not call any.
func (r *run) warnOfLostCalls() {
	messages := r.state.log.List()
	at := messages.LastAI()
	if at < 0 {
		return
	}
	for call := range messages.OpenCalls(at) {
		r.warn(ModelStep, fmt.Sprintf("the model called the tool %q, but the agent has no tools; give it the tool", call.Name))
	}
}

// cancellation returns the error of a run whose context ended; failure is the error that the step reported, if any.
func (r *run) cancellation(ctx context.Context, failure error) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, checkpoint.ErrLost) {
		return r.thread.fail(cause)
	}
	r.progress.cancelled = true
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
	r.thread.unsaved = true
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

// commit applies the updates of a step and reports what changed.
func (r *run) commit(step string, updates []sourcedUpdate) error {
	before := r.state
	state, err := before.commit(updates, &r.ids)
	if err != nil {
		return err
	}
	r.ids.settle()
	r.state = state
	if events := r.events(); events.on() && state != before {
		if event := state.changesSince(before); event != nil {
			event.Step = step
			events.send(event)
		}
	}
	return nil
}

func (r *run) events() emitter { return emitter{sink: r.sink} }

// warn logs that something was ignored or discarded, and sends an event about it.
func (r *run) warn(step, text string) {
	r.agent.logger.Warn(text, "run", r.id, "step", step, logEvent, EventWarn)
	if events := r.events(); events.on() {
		events.send(&Event{Type: EventWarn, Step: step, Text: text})
	}
}

func (r *run) status(err error) Status {
	switch {
	case err == nil && (r.progress.paused || r.progress.yielded || r.questions.wait()):
		return Interrupted
	case err == nil && model.EndingOf(stopReason(r.shown().Messages())) == model.Broken:
		return Failed // a middleware answered for the model
	case err == nil:
		return Completed
	case r.progress.cancelled:
		return Cancelled
	default:
		return Failed
	}
}

func (r *run) result(err error) *Result {
	shown := r.shown()
	return &Result{
		RunID: r.id, Thread: r.thread.id, Status: r.status(err), Messages: shown.Messages(), State: shown.output(),
		Structured: shown.structured(), StopReason: stopReason(shown.Messages()),
		Interrupts: r.questions.waiting(), Next: r.next(), Usage: r.budget.usage.total(), Cost: r.budget.usage.spent(),
		ThreadCost: r.thread.spent.Add(r.budget.usage.spent()), Steps: r.budget.steps,
		Checkpoint: r.thread.parent, Yielded: r.progress.yielded,
	}
}

// stopReason returns why the answer to the last input ended: the models of all providers note it in the Meta of their messages.
func stopReason(messages history.List) string {
	for i := messages.Len() - 1; i >= 0; i-- {
		switch m := messages.Entry(i).Message(); m.Role {
		case abi.RoleAI:
			reason, _ := m.Meta.Get("stop_reason").AsString()
			return reason
		case abi.RoleHuman:
			return "" // every answer is older than the input
		default:
		}
	}
	return ""
}

// callSeed returns the seed of one call of a hook or tool, derived from the run's seed and the place of the call in the run.
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
