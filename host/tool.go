package host

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Tool is something that the model may ask to run. Its methods may be called from several goroutines at once. Package host/tool
// makes tools from Go functions.
type Tool interface {
	// Spec describes the tool. It returns the same spec each time.
	Spec() abi.ToolSpec
	// Call runs the tool with arguments that fit the spec's parameters. An error fails the run, unless a middleware turns it
	// into an answer.
	Call(ctx context.Context, rt *Runtime, call *abi.ToolCall) (*ToolOutput, error)
}

// ToolOutput is what a tool returns.
type ToolOutput struct {
	Content  abi.Content
	Artifact wire.Raw // data for the caller; the model never sees it
	Failed   bool     // the answer gets the status "error"; the run goes on
	Update   *Update  // other changes of the state; nil: none

	id string // of the answer; "": the run gives it one
}

// TextOutput returns the output of a tool that answers with a text.
func TextOutput(text string) *ToolOutput { return &ToolOutput{Content: abi.Text(text)} }

// ToolPooled is a tool that needs an instance of a pool to run.
type ToolPooled interface {
	Tool
	Pool() *Pool
}

// ToolInTurn is a tool with a state of its own. Its calls of one response run one after the other, in order, while other
// tools run in parallel. If a call waits for an answer, the calls after it wait too. Calls made by hooks and tools do not
// wait.
type ToolInTurn interface {
	Tool
	InTurn()
}

// ToolRequest is a tool call on its way through the wrap_tool_call hooks. To change it, use the With methods, which return a
// changed copy.
type ToolRequest struct {
	Call    abi.ToolCall
	Tool    Tool          // the tool that will run; nil: the agent has no tool of that name
	Asked   *abi.ToolCall // the call that the model, a hook or a tool asked for
	Revised *abi.ToolCall // the call after [WrapToolHook.Revise]; Asked itself if no hook changed it
}

// Known reports whether the request has a tool to run.
func (r *ToolRequest) Known() bool { return r.Tool != nil }

// WithArgs returns a copy with these arguments.
func (r *ToolRequest) WithArgs(args wire.Raw) *ToolRequest {
	out := *r
	out.Call.Args = args
	return &out
}

// WithName returns a copy whose call has this name. The tool that runs stays the same.
func (r *ToolRequest) WithName(name string) *ToolRequest {
	out := *r
	out.Call.Name = name
	return &out
}

// WithTool returns a copy that runs this tool.
func (r *ToolRequest) WithTool(t Tool) *ToolRequest {
	out := *r
	out.Tool = t
	return &out
}
