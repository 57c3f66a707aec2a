package builtin

import (
	"context"
	"errors"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// ToolError turns an error of a tool, or of inner middleware, into an answer for the model. Without it, the error would fail
// the run. The answer has the status error.
//
// Interrupts, cancellation and the end of the call's own time are not errors of the tool and pass. So do a limit that fails
// the run, an impossible jump and an impossible update: they concern the run, unless a tool reports them about a run of its
// own, as a subagent does.
//
// Behaviour is that of LangChain's ToolErrorMiddleware, with a template in place of its function. Around a tool_retry with
// on_failure: error it answers the error of the last attempt.
type ToolError struct {
	// OnError is the answer to an error, and the types of the errors to answer. Required.
	OnError ToolErrorAnswer `yaml:"on_error"`
	Tools   []string        `yaml:"tools"` // the tools whose errors are answered; none: all
}

var toolErrorEntry = Entry{
	Name:    "tool_error",
	Summary: "answers the model with the error of a tool, in place of a failed run",
	Example: `- tool_error:
    on_error: {format: "{tool} failed: {message}"}
    tools: [search]
`,
	Needs: needsSearch,
	New:   func() host.Middleware { return &ToolError{} },
}

// ToolErrorAnswer says which errors are answered, and how.
type ToolErrorAnswer struct {
	// Format is the answer, with {tool}, {type} and {message}.
	Format string `yaml:"format"`
	// Types are the types of error to answer, as events name them; none: all. An error that wraps one of these types is
	// answered, too; other errors fail the run.
	Types []string `yaml:"types"`
}

// Name returns "tool_error".
func (e ToolError) Name() string { return "tool_error" }

// Hooks checks the format.
func (e ToolError) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	if e.OnError.Format == "" {
		return nil, errors.New(`on_error.format is missing; give it a text such as "{tool} failed: {message}"`)
	}
	format, err := newTemplate("on_error.format", e.OnError.Format, "{tool}", "{type}", "{message}")
	if err != nil {
		return nil, err
	}
	answer := func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		message, err := next(ctx, req)
		if err == nil || ctx.Err() != nil || !ofTool(err) || !hasType(err, e.OnError.Types) {
			return message, nil, err
		}
		m := abi.ToolFailure(req.Call, format.fill(req.Call.Name, host.ErrorDocument(err).Type, host.ErrorDocument(cause(err)).Message))
		return &m, nil, nil
	}
	return &host.Hooks{WrapToolCall: host.WrapToolHook{Func: answer, Tools: e.Tools}, Expects: e.Tools}, nil
}

// ofTool reports whether an error is a failure of a tool or of middleware. Control flow and errors of the run are not.
func ofTool(err error) bool {
	if host.IsControlFlow(err) {
		return false
	}
	if _, ok := errors.AsType[*host.ToolError](err); ok {
		return true
	}
	_, limit := errors.AsType[*host.LimitError](err)
	_, jump := errors.AsType[*host.JumpError](err)
	_, update := errors.AsType[*host.UpdateError](err)
	return !limit && !jump && !update
}

// hasType reports whether an error, or one that it wraps, has one of these types. An empty list means any type.
func hasType(err error, types []string) bool {
	if len(types) == 0 || slices.Contains(types, host.ErrorDocument(err).Type) {
		return true
	}
	switch wrapper := err.(type) { //nolint:errorlint // each layer is looked at separately
	case interface{ Unwrap() error }:
		inner := wrapper.Unwrap()
		return inner != nil && hasType(inner, types)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(wrapper.Unwrap(), func(inner error) bool { return inner != nil && hasType(inner, types) })
	}
	return false
}

// cause returns the error of a tool or hook without the errors that the host wrapped around it: the model knows nothing of
// steps.
func cause(err error) error {
	var inner error
	switch wrapper := err.(type) { //nolint:errorlint // only the outermost layers are the host's
	case *host.ToolError:
		inner = wrapper.Err
	case *host.HookError:
		inner = wrapper.Err
	}
	if inner == nil {
		return err
	}
	return cause(inner)
}
