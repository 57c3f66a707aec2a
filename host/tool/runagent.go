package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// innerRun is a run of an agent inside a tool call.
type innerRun struct {
	rt    *host.Runtime
	name  string
	agent *host.Agent
}

// RunAgent runs an agent inside a tool call or hook until it has completed, for those that delegate work. Begin is the input of the
// run; RunAgent sets its Seed and, in tools, its Thread. Name identifies the agent in errors, events and threads. The result is never nil.
//
// If the agent keeps threads and the calling run has one, each execution of the tool has a thread of its own, named after
// the agent and [host.Runtime.IdempotencyKey]. Hooks, which have no such key, name the thread in begin.Thread, and each of their
// calls with another name. If the agent asks a person a question, the calling run asks it, under the id
// of the agent's own interrupt. The error is then a [*host.InterruptError]; when the tool runs again with the answer, the
// agent continues. The agent also continues after a crash, as soon as the lease of the dead process has ended, so such a
// tool is idempotent. If only the agent keeps no threads, its interrupt is an ordinary error, because no answer could reach
// it. The threads stay in the store; [host.Agent.Forget] removes them.
//
// Events of the agent become events of the type custom, named "agent", with the data {agent: its name, call_id: the id of
// the call, event: the event}. Tokens and changes of the state are left out. When the agent has ended, its token usage is
// added to the caller's.
func RunAgent(ctx context.Context, rt *host.Runtime, name string, agent *host.Agent, begin host.Input) (*host.Result, error) {
	r := innerRun{rt: rt, name: name, agent: agent}
	input, err := r.input(ctx, begin)
	if err != nil {
		return &host.Result{Thread: input.Thread, Status: host.Failed}, r.wrong(err)
	}
	result, err := r.run(ctx, input)
	if input.Thread == "" || !goesOn(ctx, result) { // a run that continues is counted later
		rt.Spend(result.Usage, result.Cost)
	}
	switch {
	case err != nil:
		return result, r.wrong(err)
	case result.Status != host.Interrupted:
		return result, nil
	case len(result.Interrupts) == 0:
		return result, r.wrong(fmt.Errorf(
			"it stopped at a breakpoint before %s, but a run inside a tool cannot continue from a breakpoint; remove the breakpoint", result.Next))
	case input.Thread == "" && rt.ThreadID() != "":
		return result, r.wrong(errors.New("it asks a person a question, but keeps no threads, so it cannot receive the answer; give it a checkpoint store"))
	}
	asked := make([]abi.Interrupt, len(result.Interrupts))
	for i := range result.Interrupts {
		asked[i] = abi.Interrupt{Key: result.Interrupts[i].ID, Value: result.Interrupts[i].Value}
	}
	return result, &host.InterruptError{Interrupts: asked}
}

// run runs the agent. After a crash it waits once for the end of the lease that the dead process has left. If the lease is
// renewed, its holder is alive.
func (r *innerRun) run(ctx context.Context, input host.Input) (*host.Result, error) {
	told := func(e host.Event) error {
		r.tell(&e)
		return nil
	}
	result, err := r.agent.RunEvents(ctx, input, told)
	refused, _ := errors.AsType[*host.ThreadError](err)
	busy, ok := errors.AsType[*checkpoint.BusyError](err)
	if !ok || busy.Until.IsZero() || refused == nil || refused.Thread != input.Thread {
		return result, err
	}
	r.rt.Warn(fmt.Sprintf("agent %s: waiting until another run releases its thread: %v", r.name, busy))
	timer := time.NewTimer(time.Until(busy.Until) + leaseMargin) //nolint:forbidigo // leases end in real time
	defer timer.Stop()
	select {
	case <-timer.C:
		return r.agent.RunEvents(ctx, input, told)
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
}

// leaseMargin is how long after the end of a lease the thread is certainly free.
const leaseMargin = 100 * time.Millisecond

// goesOn reports whether a run of an agent with threads continues when the calling run does.
func goesOn(ctx context.Context, result *host.Result) bool {
	cutOff := ctx.Err() != nil && !errors.Is(context.Cause(ctx), host.ErrToolTimeout)
	return result.Status == host.Interrupted || cutOff && result.Status != host.Completed
}

func (r *innerRun) wrong(err error) error { return fmt.Errorf("agent %s: %w", r.name, err) }

// input returns the input that begins a run of the agent, or that continues the run of this execution.
func (r *innerRun) input(ctx context.Context, begin host.Input) (host.Input, error) {
	thread := begin.Thread
	if key := r.rt.IdempotencyKey(); key != "" {
		thread = r.name + "-" + key
	}
	begin.Thread, begin.Seed, begin.Parent = "", r.rt.Seed(), r.rt.RunID()
	if r.rt.ThreadID() == "" || thread == "" {
		return begin, nil
	}
	held, err := r.agent.State(ctx, thread, 0)
	if errors.Is(err, host.ErrNoCheckpointer) {
		return begin, nil
	}
	begin.Thread = thread
	switch {
	case errors.Is(err, host.ErrUnknownThread), errors.Is(err, checkpoint.ErrNoThread):
		return begin, nil
	case err != nil:
		return begin, err
	}
	next := host.Input{Thread: thread, Context: begin.Context, AcceptChanges: begin.AcceptChanges, Parent: begin.Parent}
	for i := range held.Interrupts {
		id := held.Interrupts[i].ID
		if answer := r.rt.Answers().Get(id); !answer.IsZero() {
			next.Resume = append(next.Resume, host.Answer{Interrupt: id, Value: answer})
		}
	}
	next.Continue = next.Resume == nil
	return next, nil
}

// tell emits an event of the agent.
func (r *innerRun) tell(e *host.Event) {
	if e.Type == host.EventToken || e.Type == host.EventState {
		return
	}
	text, err := json.Marshal(&InnerEvent{Agent: r.name, CallID: r.rt.CallID(), Event: *e})
	var data wire.Raw
	if err == nil {
		data, err = wire.FromJSON(text, wire.Limits{})
	}
	if err != nil {
		r.rt.Warn("agent " + r.name + ": an event is left out: " + err.Error())
		return
	}
	r.rt.Emit(AgentEvent, data)
}
