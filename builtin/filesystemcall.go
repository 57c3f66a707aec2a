package builtin

import (
	"context"
	"errors"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/tool"
)

// tools returns the tools with these names.
func (f *filesystem) tools(names []string, descriptions map[string]string) []host.Tool {
	describe := func(name, usual string) string {
		if text, ok := descriptions[name]; ok {
			return text
		}
		return usual
	}
	made := []host.Tool{
		fileFunc(f, "ls", describe("ls", lsDescription), (*fileCall).ls, tool.Idempotent()),
		fileFunc(f, "read_file", describe("read_file", readFileDescription), (*fileCall).readFile, tool.Idempotent()),
		fileFunc(f, "write_file", describe("write_file", writeFileDescription), (*fileCall).writeFile, tool.Idempotent()),
		fileFunc(f, "edit_file", describe("edit_file", editFileDescription), (*fileCall).editFile),
		fileFunc(f, "delete", describe("delete", deleteDescription), (*fileCall).remove, tool.Idempotent()),
		fileFunc(f, "glob", describe("glob", globDescription), (*fileCall).glob, tool.Idempotent()),
		fileFunc(f, "grep", describe("grep", grepDescription), (*fileCall).grep, tool.Idempotent()),
	}
	return slices.DeleteFunc(made, func(t host.Tool) bool { return !slices.Contains(names, t.Spec().Name) })
}

// fileTool is a tool that works on files.
type fileTool struct {
	host.Tool
	fsys *filesystem
}

// fileCall is a call of a [fileTool].
type fileCall struct {
	*filesystem

	rt    *host.Runtime
	call  *abi.ToolCall
	files backend.Files
	asked bool // a human has approved the call
}

// fileCallKey is the context key of the call.
type fileCallKey struct{}

// fileFunc returns a tool that calls a function. The function returns the output for the model.
func fileFunc[In any](
	f *filesystem, name, description string, fn func(c *fileCall, ctx context.Context, in In) (*host.ToolOutput, error), options ...tool.Option,
) host.Tool {
	inner := tool.Func(name, description, func(ctx context.Context, in In) (*host.ToolOutput, error) {
		c, _ := ctx.Value(fileCallKey{}).(*fileCall) // Call sets it
		output, err := fn(c, ctx, in)
		if err != nil {
			return c.failure(ctx, err)
		}
		return output, nil
	}, options...)
	return &fileTool{Tool: inner, fsys: f}
}

// Call calls the function and adds the changes of the state to its output.
func (t *fileTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	files, err := t.fsys.opened.At(rt, call.ID)
	if err != nil {
		return failedOutput("Error: " + err.Error()), nil //nolint:nilerr // the error is an answer for the model
	}
	c := &fileCall{filesystem: t.fsys, rt: rt, call: call, files: files}
	output, err := t.Tool.Call(context.WithValue(ctx, fileCallKey{}, c), rt, call)
	if err == nil && !output.Failed {
		output.Update = files.Changes()
	}
	return output, err
}

// failure returns an error as an output for the model. Errors that do not concern the call stay errors of the run.
func (c *fileCall) failure(ctx context.Context, err error) (*host.ToolOutput, error) {
	if answer, ok := errors.AsType[*answeredError](err); ok {
		output := host.TextOutput(answer.message.Content.Text())
		output.Failed = answer.message.Failed()
		return output, nil
	}
	if _, ok := errors.AsType[refusal](err); ok || host.IsControlFlow(err) || ctx.Err() != nil {
		return nil, err // a human can correct an invalid answer
	}
	return failedOutput("Error: " + err.Error()), nil
}

func failedOutput(text string) *host.ToolOutput {
	output := host.TextOutput(text)
	output.Failed = true
	return output
}

// permissionError is a call that a rule forbids.
type permissionError struct{ operation, path, detail string }

func (e *permissionError) Error() string {
	return "permission denied for " + e.operation + " on " + e.path + e.detail
}

// answeredError is a call that a human has answered instead of its tool.
type answeredError struct{ message *abi.Message }

func (*answeredError) Error() string { return "a human has answered the call" }

// path returns the clean form of a path that the model gave, if the rules allow these operations on it. It asks a human if
// a rule requires it.
func (c *fileCall) path(given string, operations ...string) (string, error) {
	name, err := backend.Clean(given)
	if err != nil {
		return "", err
	}
	interrupts := false
	for _, operation := range operations {
		switch c.rules.mode(operation, name) {
		case fileDeny:
			return "", &permissionError{operation: operation, path: name}
		case fileInterrupt:
			interrupts = true
		case fileAllow:
		}
	}
	if interrupts {
		err = c.ask()
	}
	return name, err
}

// readable reports whether a path may appear in a result, and whether a human must be asked first.
func (c *fileCall) readable(name string) (shows, asks bool) {
	mode := c.rules.mode(fileRead, name)
	return mode != fileDeny, mode == fileInterrupt
}

// ask asks a human about the call. The error is the interrupt, or the human's answer in place of a result.
func (c *fileCall) ask() error {
	if c.asked {
		return nil
	}
	p := &policy{ReviewPolicy: ReviewPolicy{AllowedDecisions: []DecisionType{Approve, Reject, Respond}}}
	r := &reviewer{name: c.env.Name, logger: c.env.Logger, policies: map[string]*policy{c.call.Name: p}, prefix: reviewDescription}
	v, err := r.decide(c.rt, c.call)
	switch {
	case err != nil:
		return err
	case v.answer != nil:
		return &answeredError{v.answer}
	}
	c.asked = true
	return nil
}
