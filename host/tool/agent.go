package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// Agent makes a tool of an agent: the model gives it a prompt, and gets its answer. Each call is a run of its own, which
// knows nothing of the history of the agent that calls, and whose messages do not get into it.
//
// If the agent keeps threads, each execution has its own, named after the tool and [host.Runtime.IdempotencyKey]. What the
// agent asks a person is then asked by the run that called it, under the id of the agent's own interrupt, and its answer goes
// to the agent; an execution that a crash has cut off goes on where it was, and so the tool is idempotent. Without threads
// an interrupt of the agent is an error. The threads stay in the store when the run is over.
//
// A run of the agent that fails is an error of the tool. Its events are events of the type custom, named "agent", with
// {agent: the tool's name, event: the event} as data; tokens and changes of the state are left out. What its model calls use is not
// counted among the caller's. The agent is not closed by the tool.
func Agent(name, description string, agent *host.Agent, options ...Option) (host.Tool, error) {
	t := &agentTool{agent: agent}
	_, err := agent.State(context.Background(), "?", 0)
	t.threads = !errors.Is(err, host.ErrNoCheckpointer)
	parameters, err := parametersOf[agentArguments]()
	if err != nil {
		return nil, err
	}
	t.spec = abi.ToolSpec{Name: name, Description: description, Parameters: parameters, Idempotent: t.threads}
	for _, option := range options {
		option(&t.spec)
	}
	return t, nil
}

type agentArguments struct {
	Prompt string `json:"prompt" jsonschema:"the task, with all that is needed to know for it"`
}

type agentTool struct {
	spec    abi.ToolSpec
	agent   *host.Agent
	threads bool // the agent keeps threads
}

func (t *agentTool) Spec() abi.ToolSpec { return t.spec }

// Call runs the agent, or goes on with its run.
func (t *agentTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	input, err := t.input(ctx, rt, call)
	if err != nil {
		return nil, err
	}
	result, err := t.agent.RunEvents(ctx, input, func(e host.Event) error {
		t.emit(rt, &e)
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("agent %s: %w", t.spec.Name, err)
	case result.Status != host.Interrupted:
		return host.TextOutput(result.Answer()), nil
	case !t.threads:
		return nil, fmt.Errorf("agent %s: it asks a person something, and keeps no threads in which an answer could reach it", t.spec.Name)
	case len(result.Interrupts) == 0:
		return nil, fmt.Errorf("agent %s: it stopped at a breakpoint before %s, where nobody can go on with it", t.spec.Name, result.Next)
	}
	asked := make([]abi.Interrupt, len(result.Interrupts))
	for i := range result.Interrupts {
		asked[i] = abi.Interrupt{Key: result.Interrupts[i].ID, Value: result.Interrupts[i].Value}
	}
	return nil, &host.InterruptError{Interrupts: asked}
}

// input begins a run of the agent, or goes on with the one that this execution has begun.
func (t *agentTool) input(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (host.Input, error) {
	var args wire.Map
	if _, err := args.UnmarshalMsg(call.Args); err != nil {
		return host.Input{}, fmt.Errorf("arguments: %w", err)
	}
	prompt, _ := args.Get("prompt").AsString()
	begin := host.Input{Messages: []abi.Message{abi.Human(prompt)}, Context: rt.ContextValue()}
	if !t.threads {
		return begin, nil
	}
	begin.Thread = t.spec.Name + "-" + rt.IdempotencyKey()
	held, err := t.agent.State(ctx, begin.Thread, 0)
	switch {
	case errors.Is(err, host.ErrUnknownThread), errors.Is(err, checkpoint.ErrNoThread):
		return begin, nil
	case err != nil:
		return begin, fmt.Errorf("agent %s: %w", t.spec.Name, err)
	}
	next := host.Input{Thread: begin.Thread, Context: begin.Context}
	for i := range held.Interrupts {
		id := held.Interrupts[i].ID
		if answer := rt.Answers().Get(id); !answer.IsZero() {
			next.Resume = append(next.Resume, host.Answer{Interrupt: id, Value: answer})
		}
	}
	next.Continue = next.Resume == nil
	return next, nil
}

// emit tells of an event of the agent.
func (t *agentTool) emit(rt *host.Runtime, e *host.Event) {
	if e.Type == host.EventToken || e.Type == host.EventState {
		return
	}
	text, err := json.Marshal(map[string]any{"agent": t.spec.Name, "event": e})
	var data wire.Raw
	if err == nil {
		data, err = wire.FromJSON(text, wire.Limits{})
	}
	if err != nil {
		rt.Warn("an event of the agent " + t.spec.Name + " is left out: " + err.Error())
		return
	}
	rt.Emit("agent", data)
}
