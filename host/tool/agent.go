package tool

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// Agent returns a tool that runs an agent: the model gives it a prompt and gets its answer. Each call is a run of its own.
// It does not know the history of the calling agent, and its messages do not get into that history. [RunAgent] describes
// questions, events, threads and crashes; the threads stay in the store after the run. If the agent keeps threads, the tool
// is idempotent.
//
// If a run of the agent fails, the tool fails. The tool does not close the agent.
func Agent(name, description string, agent *host.Agent, options ...Option) (host.Tool, error) {
	parameters, err := parametersOf[agentArguments]()
	if err != nil {
		return nil, err
	}
	t := &agentTool{agent: agent}
	t.spec = abi.ToolSpec{Name: name, Description: description, Parameters: parameters, Idempotent: KeepsThreads(agent)}
	for _, option := range options {
		option(&t.spec)
	}
	return t, nil
}

// KeepsThreads reports whether an agent keeps threads, so that its runs continue after a crash.
func KeepsThreads(agent *host.Agent) bool {
	_, err := agent.State(context.Background(), "?", 0)
	return !errors.Is(err, host.ErrNoCheckpointer)
}

type agentArguments struct {
	Prompt string `json:"prompt" jsonschema:"the task, with all that is needed to know for it"`
}

type agentTool struct {
	spec  abi.ToolSpec
	agent *host.Agent
}

func (t *agentTool) Spec() abi.ToolSpec { return t.spec }

// Call runs the agent, or continues its run.
func (t *agentTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	var args wire.Map
	if _, err := args.UnmarshalMsg(call.Args); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	prompt, _ := args.Get("prompt").AsString()
	begin := host.Input{Messages: []abi.Message{abi.Human(prompt)}, Context: rt.ContextValue()}
	result, err := RunAgent(ctx, rt, t.spec.Name, t.agent, begin)
	if err != nil {
		return nil, err
	}
	return host.TextOutput(result.Answer()), nil
}
