package builtin

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// ToolRetry runs a tool again when it has failed. It does so at most max_retries times, with growing delays between. When
// the last attempt has failed too, the model is told so, or the run fails, see on_failure.
//
// Retry n, counted from 0, waits initial_delay × backoff_factor ** n, at most max_delay, and with jitter up to 25 % less or
// more. If a model inside of the tool has failed and its provider asks to wait, the delay is at least what it asks for, as
// far as max_delay allows. The end of the run ends a delay at once. Each failed attempt that another one follows shows as a
// warning.
//
// Only errors are retried: a tool that answers with the status error has answered, and arguments that do not fit and unknown
// tools are answered by the host. Never retried are interrupts, cancellation, and limits, jumps and updates of the run that
// cannot be. An error that middleware further inside has turned into an answer is none any more: put tool_error outside.
//
// A tool may have done its work before it failed. Name the tools that may run twice in tools; each attempt has its own
// [host.Runtime.Execution] and idempotency key, and its own time where tools have a timeout. An attempt is the rest of the
// call: middleware further inside does its work again in each. Calls of tools that hooks and tools make are retried as well.
//
// Behaviour and texts are those of LangChain 1.4.7's ToolRetryMiddleware.
type ToolRetry struct {
	// MaxRetries is how often the tool runs again: 0 is never. nil: 2.
	MaxRetries *int `yaml:"max_retries" schema:"default=2,min=0"`
	// Tools are the tools whose errors are retried; none: all.
	Tools []string `yaml:"tools"`
	// RetryOn are the errors to retry: types, as events name them, such as timeout, or retryable, which is all that say of
	// themselves that trying again may help, as plugins can. If a model inside of the tool has failed, the kind of its error,
	// such as rate_limit, counts too, and so does an error that wraps one of them. nil: all errors. An error that is not
	// retried fails the run at once, if nothing further outside answers it.
	RetryOn []string `yaml:"retry_on"`
	// OnFailure says what follows when the last attempt has failed. continue (the default): the call is answered with an
	// error for the model. error: the run fails. {format: TEXT}: as continue, with a text that may have {tool}, {type},
	// {message} and {attempts}.
	OnFailure OnFailure `yaml:"on_failure"`
	// BackoffFactor is by how much each delay is longer than the one before; 0: all are the same. nil: 2.
	BackoffFactor *float64 `yaml:"backoff_factor" schema:"default=2,min=0"`
	// InitialDelay is the delay before the first retry: a number of seconds, or a duration such as "500ms". nil: 1 second.
	InitialDelay *Seconds `yaml:"initial_delay" schema:"default=1,min=0"`
	// MaxDelay is the longest delay, before jitter. nil: 60 seconds.
	MaxDelay *Seconds `yaml:"max_delay" schema:"default=60,min=0"`
	// Jitter makes each delay up to 25 % shorter or longer at random, so that many agents do not call at once. nil: it does.
	Jitter *bool `yaml:"jitter" schema:"default=true"`

	// RetryOnFunc reports whether an error is retried, in place of RetryOn.
	RetryOnFunc func(err error) bool `yaml:"-"`
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
	New: func() host.Middleware { return &ToolRetry{} },
}

// Name returns "tool_retry".
func (r ToolRetry) Name() string { return "tool_retry" }

// Hooks checks the numbers and texts.
func (r ToolRetry) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	config := retryConfig{
		maxRetries: r.MaxRetries, retryOn: r.RetryOn, retryOnFunc: r.RetryOnFunc, backoffFactor: r.BackoffFactor,
		initialDelay: r.InitialDelay, maxDelay: r.MaxDelay, jitter: r.Jitter,
	}
	retrier, err := config.compile(env.Name)
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
			Inside: toolErrorEntry.Name, Reason: "an error that tool_error has answered further inside is not retried",
		}},
	}, nil
}

// formerBehaviors are names that LangChain had for behaviors, and still takes.
var formerBehaviors = map[string]string{"raise": onFailureError, "return_message": onFailureContinue}
