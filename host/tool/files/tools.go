package files

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// Tools returns the tools list_files, read_file, search_files and, if the options permit it, write_file.
func (r *Root) Tools() []host.Tool {
	tools := make([]host.Tool, 0, 4)
	tools = append(tools,
		tool.Func("list_files", listDescription, func(ctx context.Context, in listArgs) (*host.ToolOutput, error) {
			return answer(r.List(ctx, in.Dir, in.Glob, in.Offset, in.Limit))
		}, tool.Idempotent()),
		tool.Func("read_file", readDescription, func(ctx context.Context, in readArgs) (*host.ToolOutput, error) {
			return answer(r.Read(ctx, in.Path, in.Offset, in.Limit))
		}, tool.Idempotent()),
		tool.Func("search_files", searchDescription, func(ctx context.Context, in searchArgs) (*host.ToolOutput, error) {
			return answer(r.Search(ctx, Query(in)))
		}, tool.Idempotent()),
	)
	if !r.options.Write {
		return tools
	}
	return append(tools, tool.Func("write_file", writeDescription, func(_ context.Context, in writeArgs) (*host.ToolOutput, error) {
		return answer(r.Write(in.Path, in.Content))
	}, tool.Idempotent()))
}

// answer returns the result, or the error, as an output for the model. Only a cancellation is an error of the run.
func answer[T fmt.Stringer](result T, err error) (*host.ToolOutput, error) {
	switch {
	case err == nil:
		return host.TextOutput(result.String()), nil
	case host.IsControlFlow(err):
		return nil, err
	default:
		output := host.TextOutput("Error: " + err.Error())
		output.Failed = true
		return output, nil
	}
}
