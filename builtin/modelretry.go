package builtin

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// ModelRetry calls the model again when it has failed. It does so at most max_retries times, with growing delays between.
// When the last attempt has failed too, the run ends with an answer that says so, or fails, see on_failure.
//
// Retry n, counted from 0, waits initial_delay × backoff_factor ** n, at most max_delay, and with jitter up to 25 % less or
// more. A provider that asks to wait is obeyed: the delay is then at least what it asks for, as far as max_delay allows. The
// end of the run ends a delay at once. Each failed attempt that another one follows shows as a warning.
//
// All errors are retried if retry_on does not say otherwise, also those that will not pass, such as a wrong key; {retry_on:
// [retryable]} leaves that to the provider. Never retried are interrupts and cancellation, and errors that speak of the run:
// a limit, a jump or an update that cannot be. An attempt is the rest of the model step: middleware further inside does its work
// again in each. A model_fallback may stand inside, and begins with the first model in each attempt, or outside: then
// on_failure must be error, since nothing has failed where an answer says so.
//
// Tokens of an attempt that failed may have been shown; those of the next have another index, which makes them void. The
// answer with which a run goes on after the last failure does not come as tokens.
//
// Behaviour and texts are those of LangChain 1.4.7's ModelRetryMiddleware, which does not ask what a provider asks for.
type ModelRetry struct {
	// MaxRetries is how often the model is called again: 0 is never. nil: 2.
	MaxRetries *int `yaml:"max_retries" schema:"default=2,min=0"`
	// RetryOn are the errors to retry: types, as events name them, kinds of a model's errors, such as rate_limit, overloaded,
	// server, timeout and connection, or retryable, which is all of which the provider says that trying again may help. An
	// error that wraps one of them counts too. nil: all errors. An error that is not retried fails the run at once.
	RetryOn []string `yaml:"retry_on"`
	// OnFailure says what follows when the last attempt has failed. continue (the default): an AI message says so, and the run
	// goes on with it as with any answer, which mostly ends it. error: the run fails. {format: TEXT}: as continue, with a text
	// that may have {type}, {message} and {attempts}.
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

// Hooks checks the numbers and texts.
func (r ModelRetry) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	config := retryConfig{
		maxRetries: r.MaxRetries, retryOn: r.RetryOn, retryOnFunc: r.RetryOnFunc, backoffFactor: r.BackoffFactor,
		initialDelay: r.InitialDelay, maxDelay: r.MaxDelay, jitter: r.Jitter,
	}
	retrier, err := config.compile(env.Name)
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
		return model.Reply(abi.AI(answer.text(err, modelCause(err), attempts))), nil, nil
	}
	hooks := &host.Hooks{WrapModelCall: host.WrapModelHook{Func: wrap, PassesTokens: true}}
	if !answer.fails {
		hooks.Order = []host.Order{{
			Outside: modelFallbackEntry.Name,
			Reason:  "inside of it, it answers in the place of a model that has failed, and no other model is asked; set its on_failure to error",
		}}
	}
	return hooks, nil
}

// modelCause returns what a model or hook returned, without what the host put around it.
func modelCause(err error) error {
	err = cause(err)
	if m, ok := err.(*host.ModelError); ok && m.Err != nil { //nolint:errorlint // only the outermost layer is the host's
		return m.Err
	}
	return err
}
