package host

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Tool is something that the model may ask to run. Its methods may be called from several goroutines at once. Package
// host/tool makes tools of Go functions.
type Tool interface {
	// Spec describes the tool. It says the same each time.
	Spec() abi.ToolSpec
	// Call runs the tool with arguments that fit the spec's parameters. An error aborts the run, unless a middleware
	// turns it into an answer.
	Call(ctx context.Context, rt *Runtime, call *abi.ToolCall) (*ToolOutput, error)
}

// ToolOutput is what a tool returns.
type ToolOutput struct {
	Content  abi.Content
	Artifact wire.Raw // for the program; the model never sees it
	Failed   bool     // the answer gets the status error; the run goes on
	Update   *Update  // what else changes in the state; nil: nothing
}

// TextOutput is the output of a tool that answers with a text.
func TextOutput(text string) *ToolOutput { return &ToolOutput{Content: abi.Text(text)} }

// ToolPooled is a tool that needs an instance of a pool to run.
type ToolPooled interface {
	Tool
	Pool() *Pool
}

// ToolInTurn is a tool that has a state: its calls of one response run one after the other, in their order, while other
// tools run beside them. Those behind one that waits for an answer wait too. Calls that hooks and tools make by themselves do
// not wait.
type ToolInTurn interface {
	Tool
	InTurn()
}

// ToolRequest is a tool call on its way through the wrap_tool_call hooks. Change it with the With… methods, which
// return a changed copy.
type ToolRequest struct {
	Call    abi.ToolCall
	Tool    Tool          // what will run; nil: the agent has no tool of that name
	Asked   *abi.ToolCall // what the model, a hook or a tool asked for
	Revised *abi.ToolCall // what a [WrapToolHook.Revise] has made of it before it began; Asked itself if none did
}

// Known reports whether there is a tool to run.
func (r *ToolRequest) Known() bool { return r.Tool != nil }

// WithArgs returns a copy with other arguments.
func (r *ToolRequest) WithArgs(args wire.Raw) *ToolRequest {
	out := *r
	out.Call.Args = args
	return &out
}

// WithName returns a copy with another name of the call. The tool that runs stays the same.
func (r *ToolRequest) WithName(name string) *ToolRequest {
	out := *r
	out.Call.Name = name
	return &out
}

// WithTool returns a copy that runs another tool.
func (r *ToolRequest) WithTool(t Tool) *ToolRequest {
	out := *r
	out.Tool = t
	return &out
}
