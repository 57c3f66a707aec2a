package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/store"
)

// Runtime gives one call of a hook or a tool access to its run. It is valid only during that call.
type Runtime struct {
	run      *run
	state    *State
	step     string
	n        uint64
	seed     uint64
	view     abi.ViewSpec
	cursor   history.Cursor
	answers  wire.Map
	emit     emitter
	span     span         // of the call
	observed *Observation // nil: nothing, or nobody wants to know

	callID    string         // id of the model's call that this belongs to
	nested    string         // id of the innermost call by a hook or tool that this belongs to
	depth     int            // nesting depth of such calls
	made      *callsMade     // what the hook or tool has called itself; nil: nothing
	execution *execution     // the execution of the tool; nil: this is a hook
	outer     *Runtime       // the outermost hook or tool that such a call belongs to; nil: this is it
	limit     operationLimit // of that hook or tool
	closed    error          // an interrupt or cancellation that goes outward, whatever the hook or tool returns
}

// RunID returns the id of the run.
func (rt *Runtime) RunID() string { return rt.run.id }

// ThreadID returns the id of the thread; "" in a run without a thread.
func (rt *Runtime) ThreadID() string { return rt.run.thread.id }

// Step returns the name of the hook, "middleware.hook", or "tools" in a tool.
func (rt *Runtime) Step() string { return rt.step }

// N returns the number of this call of the hook, counted from 1 since the agent was built, including failed and interrupted
// calls. Use it for logs and tests; it is not part of the state.
func (rt *Runtime) N() uint64 { return rt.n }

// Now returns the time by the agent's clock.
func (rt *Runtime) Now() time.Time { return rt.run.agent.now() }

// Seed returns a random number for this call, derived from the run's seed and the place of the call in the run.
func (rt *Runtime) Seed() uint64 { return rt.seed }

// State returns the state as the step found it.
func (rt *Runtime) State() *State { return rt.state }

// View returns the messages that a node hook declared in its view. The view "new" contains the changes since the last call
// of this hook in the thread whose update was applied.
func (rt *Runtime) View() history.View { return rt.state.log.View(rt.view, rt.cursor) }

// Metadata returns Input.Metadata. It must not be changed.
func (rt *Runtime) Metadata() wire.Map { return rt.run.input.Metadata }

// Logger returns the agent's logger.
func (rt *Runtime) Logger() *slog.Logger { return rt.run.agent.logger }

// ContextValue returns Input.Context unchanged.
func (rt *Runtime) ContextValue() any { return rt.run.input.Context }

// ContextAs returns the caller's context value as a T.
func ContextAs[T any](rt *Runtime) (T, error) {
	value, ok := rt.ContextValue().(T)
	if !ok {
		return value, fmt.Errorf("the run's context value is a %T, not a %T", rt.ContextValue(), value)
	}
	return value, nil
}

// Tools returns the specs of the agent's tools, in the form and order in which the model sees them.
func (rt *Runtime) Tools() []abi.ToolSpec { return slices.Clone(rt.run.agent.tools.specs) }

// ModelStepsLeft returns how many model steps with tools the run may still take; limited is false if their number is not limited.
// A jump to the model when none is left is ignored or fails the run, see [ToolCallConfig.MaxLoops].
func (rt *Runtime) ModelStepsLeft() (left int, limited bool) {
	return rt.run.budget.modelStepsLeft()
}

// Store returns the agent's store of values that outlive threads; nil if it has none.
func (rt *Runtime) Store() store.Store { return rt.run.agent.config.Store }

// Emit sends an event of the type custom. While tool calls run at once, it drops the event if too many events of later calls wait
// already; an event of the type warn says so.
func (rt *Runtime) Emit(name string, data wire.Raw) {
	if rt.emit.on() {
		rt.emit.send(&Event{Type: EventCustom, Step: rt.step, Name: name, Data: data})
	}
}

// Observation is what a plugin reports about one call of a hook in addition to the result. The hook's event shows it.
type Observation struct {
	Fuel      uint64
	Memory    int64 // of the instance, in bytes
	HostCalls int
	Digest    string
	Instance  uint64
	Fault     string // the type of the fault that the call ended with although the hook returns no error; only a [Tracer] sees it
}

// Observe sets the observation that the event of this call shows.
func (rt *Runtime) Observe(o Observation) {
	if rt.emit.wants(rt.span) {
		kept := o
		rt.observed = &kept
	}
}

// Observed returns the observation so far; it is empty if nobody wants to know.
func (rt *Runtime) Observed() Observation {
	if rt.observed == nil {
		return Observation{}
	}
	return *rt.observed
}

// Warn logs that something in this call was ignored or discarded, and sends an event of the type warn.
func (rt *Runtime) Warn(text string) {
	rt.Logger().Warn(text, "run", rt.run.id, "step", rt.step, logEvent, EventWarn)
	if rt.emit.on() {
		rt.emit.send(&Event{Type: EventWarn, Step: rt.step, Text: text})
	}
}

// Answers returns the answers to this call's interrupts so far, by key.
func (rt *Runtime) Answers() wire.Map { return rt.answers }

// Interrupt asks the outside world a question. If the question has been answered, Interrupt returns the answer. Otherwise it
// returns an [*InterruptError], which the hook or tool must return: the run then ends as interrupted, and when it is
// resumed, the hook or tool runs again from its start. The key must be unique within the call.
func (rt *Runtime) Interrupt(key string, value wire.Raw) (answer wire.Raw, err error) {
	if answer := rt.answers.Get(key); !answer.IsZero() {
		return answer, nil
	}
	return nil, &InterruptError{Interrupts: []abi.Interrupt{{Key: key, Value: value}}}
}

// settle returns the error with which a hook or tool ended that returned err. An interrupt or cancellation inside it prevails.
func (rt *Runtime) settle(err error) error {
	if rt.closed == nil {
		return err
	}
	if err == nil || !errors.Is(err, rt.closed) {
		rt.Warn("the result of the hook is discarded: " + rt.closed.Error())
	}
	return rt.closed
}

// withUpdate returns updates followed by those of the tools that the hook or tool called, and by its own.
func (rt *Runtime) withUpdate(updates []sourcedUpdate, own *Update) []sourcedUpdate {
	if rt.made != nil {
		updates = append(updates, rt.made.updates...)
	}
	if own.IsZero() {
		return updates
	}
	return append(updates, sourcedUpdate{own, rt.step})
}

// report ends the span of the hook, which has ended, and sends its event.
func (rt *Runtime) report(call *abi.ToolCall, start time.Time, messages []abi.Message, update *Update, err error) {
	if !rt.emit.wants(rt.span) {
		return
	}
	event := &Event{
		Type: EventHook, Step: rt.step, Call: call, Duration: rt.run.agent.now().Sub(start),
		Messages: messages,
	}
	if o := rt.observed; o != nil {
		event.Fuel, event.Memory, event.HostCalls, event.Digest, event.Instance, event.Fault = o.Fuel, o.Memory, o.HostCalls, o.Digest, o.Instance, o.Fault
	}
	interrupt, interrupted := asInterrupt(err)
	switch {
	case interrupted:
		event.Interrupts = interruptsOf(rt.step, call, interrupt)
	case err != nil:
		event.Error = eventError(err)
	default:
		event.Update = eventUpdate(update)
	}
	rt.emit.finish(rt.span, event)
}

// runtimeKey is the key under which a tool finds its Runtime.
type runtimeKey struct{}

// WithRuntime returns a context in which [RuntimeOf] finds rt.
func WithRuntime(ctx context.Context, rt *Runtime) context.Context {
	return context.WithValue(ctx, runtimeKey{}, rt)
}

// RuntimeOf returns the Runtime of the tool call that ctx belongs to; nil outside a tool call.
func RuntimeOf(ctx context.Context) *Runtime {
	rt, _ := ctx.Value(runtimeKey{}).(*Runtime)
	return rt
}
