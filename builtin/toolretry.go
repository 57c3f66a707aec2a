package builtin

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// ToolRetry runs a tool again when it has failed, at most max_retries times and with growing delays. After the last failure
// the model gets an error as the answer to its call, or the run fails, see on_failure.
//
// The keys and delays are those of model_retry. If a model inside a tool has failed and its provider asks for a delay, the
// retry waits at least that long, but at most max_delay. The end of the run ends a delay at once. Each failed attempt that
// is followed by another one is reported as a warning.
//
// Without retry_on all errors are retried, except those of a model inside the tool that cannot pass, such as a wrong key.
//
// Only errors are retried. A tool that answers with the status error has answered, and the host itself answers calls with
// invalid arguments and calls of unknown tools. Interrupts, cancellation and errors that concern the run are never retried:
// a limit, an impossible jump or an impossible update. Inner middleware that turns an error into an answer hides it: put
// tool_error outside.
//
// A tool may have done its work before it failed: list the tools that may run twice in tools. Each attempt has its own
// execution number ([host.Runtime.Execution]), idempotency key and, where tools have a timeout, its own time. An attempt is
// the rest of the call, so inner middleware repeats its work in each attempt. Calls that hooks and tools make are retried too.
//
// Behaviour and texts are those of LangChain 1.5.0's ToolRetryMiddleware.
type ToolRetry struct {
	Retry

	// Tools are the tools whose errors are retried; empty means all.
	Tools []string `yaml:"tools"`
}

var toolRetryEntry = Entry{
	Name:    "tool_retry",
	Summary: "runs a tool again when it has failed, with growing delays",
	Example: `- tool_retry:
    max_retries: 3
    tools: [search]
    initial_delay: 500ms
    on_failure: {format: "{tool} does not work now: {message}"}
`,
	Needs: needsSearch,
	New:   func() host.Middleware { return &ToolRetry{} },
}

// Name returns "tool_retry".
func (r ToolRetry) Name() string { return "tool_retry" }

// Hooks checks the configuration.
func (r ToolRetry) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	retrier, err := r.compile(env.Name)
	if err != nil {
		return nil, err
	}
	behavior := r.OnFailure
	if now := formerBehaviors[behavior.Behavior]; now != "" {
		env.Logger.Warn(fmt.Sprintf("on_failure='%s' is deprecated and will be removed in a future version. Use on_failure='%s' instead.",
			behavior.Behavior, now))
		behavior.Behavior = now
	}
	answer, err := behavior.compile("Tool '{tool}' failed after {attempts} with {type}: {message}. Please try again.",
		wordType, wordMessage, wordAttempts, wordTool)
	if err != nil {
		return nil, err
	}
	wrap := func(
		ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		message, attempts, err := retry(ctx, rt, retrier, hasFailed[*host.ToolError], func() (*abi.Message, error) { return next(ctx, req) })
		if attempts == 0 || answer.fails {
			return message, nil, err
		}
		called := req.Call
		if req.Known() {
			called.Name = req.Tool.Spec().Name
		}
		m := abi.ToolFailure(called, answer.text(err, cause(err), attempts, called.Name))
		return &m, nil, nil
	}
	return &host.Hooks{
		WrapToolCall: host.WrapToolHook{Func: wrap, Tools: r.Tools},
		Expects:      r.Tools,
		Order: []host.Order{{
			Inside: toolErrorEntry.Name, Reason: "tool_error inside of it answers errors, which are then not retried",
		}},
	}, nil
}

// formerBehaviors maps the deprecated names of behaviors, which LangChain still accepts, to the current ones.
var formerBehaviors = map[string]string{"raise": onFailureError, "return_message": onFailureContinue}
