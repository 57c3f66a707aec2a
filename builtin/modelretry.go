package builtin

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// ModelRetry calls the model again when it has failed, at most max_retries times and with growing delays. After the last
// failure the run ends with an answer that reports it, or fails, see on_failure.
//
// Retry n, counted from 0, waits initial_delay × backoff_factor ** n, but at most max_delay; jitter makes it up to 25 %
// shorter or longer. If the provider asks for a delay, the retry waits at least that long, but at most max_delay. The end of
// the run ends a delay at once. Each failed attempt that is followed by another one is reported as a warning.
//
// Without retry_on all errors are retried, except those of a provider that cannot pass, such as a wrong key, an invalid
// request or a refusal: these fail the run at once, whatever on_failure says. Interrupts, cancellation and errors that
// concern the run are never retried: a limit, an impossible jump or an impossible update. An attempt is the rest of the
// model step, so inner middleware repeats its work in each attempt. A model_fallback inside starts with the first model
// in each attempt. A model_fallback outside requires on_failure: error, because it does not regard an answer as a
// failure.
//
// Tokens of a failed attempt may already have been shown. Tokens of the next attempt have another index, which makes the
// earlier ones void. The answer after the last failure does not come as tokens.
//
// An answer after the last failure has the stop reason error, so the run's status is failed although the run goes on to its
// end; agenthost run prints the answer, and exits with the code 6.
//
// Behaviour and texts are those of LangChain 1.5.0's ModelRetryMiddleware, which ignores the delay that a provider asks for.
type ModelRetry struct {
	Retry
}

var modelRetryEntry = Entry{
	Name:    "model_retry",
	Summary: "calls the model again when it has failed, with growing delays",
	Example: `- model_retry:
    max_retries: 3
    retry_on: [retryable]
    initial_delay: 0.5
    on_failure: error
`,
	New: func() host.Middleware { return &ModelRetry{} },
}

// Name returns "model_retry".
func (r ModelRetry) Name() string { return "model_retry" }

// Hooks checks the configuration.
func (r ModelRetry) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	retrier, err := r.compile(env.Name)
	if err != nil {
		return nil, err
	}
	answer, err := r.OnFailure.compile("Model call failed after {attempts} with {type}: {message}", wordType, wordMessage, wordAttempts)
	if err != nil {
		return nil, err
	}
	wrap := func(
		ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, attempts, err := retry(ctx, rt, retrier, hasFailed[*host.ModelError], func() (*model.Response, error) { return next(ctx, req) })
		if attempts == 0 || answer.fails {
			return resp, nil, err
		}
		report := abi.AI(answer.text(err, modelCause(err), attempts))
		report.Meta.Set("stop_reason", wire.String(model.StopError))
		reply := model.Reply(report)
		reply.StopReason = model.StopError
		return reply, nil, nil
	}
	hooks := &host.Hooks{WrapModelCall: host.WrapModelHook{Func: wrap, PassesTokens: true}}
	if !answer.fails {
		hooks.Order = []host.Order{{
			Outside: modelFallbackEntry.Name,
			Reason:  "inside of it, it answers in the place of a failed model, and no other model is asked; set its on_failure to error",
		}}
	}
	return hooks, nil
}

// modelCause returns the error of a model or hook, without the errors that the host wrapped around it.
func modelCause(err error) error {
	err = cause(err)
	if m, ok := err.(*host.ModelError); ok && m.Err != nil { //nolint:errorlint // only the outermost layer is the host's
		return m.Err
	}
	return err
}
