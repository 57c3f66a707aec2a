package tool

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// Raw returns a tool with a spec and a function that takes the call itself. It is for tools whose parameters are known only
// at run time.
func Raw(
	spec abi.ToolSpec, fn func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error),
) host.Tool {
	return &rawTool{spec, fn}
}

type rawTool struct {
	spec abi.ToolSpec
	fn   func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error)
}

func (t *rawTool) Spec() abi.ToolSpec { return t.spec }

func (t *rawTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	return t.fn(ctx, rt, call)
}
