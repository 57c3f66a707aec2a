package builtin

import (
	"errors"
	"fmt"
)

// Retry is the configuration that [ModelRetry] and [ToolRetry] share: how often and when they try again, after which errors,
// and what happens after the last failure.
//
// Retry n, counted from 0, waits initial_delay × backoff_factor ** n, but at most max_delay; jitter makes it up to 25 %
// shorter or longer. If the provider of a failed model asks for a delay, the retry waits at least that long, but at most
// max_delay.
type Retry struct {
	// MaxRetries is how often a failed call is tried again; 0 means never. nil: 2.
	MaxRetries *int `yaml:"max_retries" schema:"default=2,min=0"`
	// RetryOn lists the errors to retry: types, as events name them, such as timeout; kinds of a model's error, such as
	// rate_limit, overloaded, server, timeout and connection; or retryable, for every error that is marked as retryable by the
	// provider, a plugin or itself. An error that wraps a listed error is retried too. Any other error ends the attempts at once,
	// and on_failure does not apply to it. nil: all errors, except those of a provider that cannot pass, such as a wrong key or an
	// invalid request.
	RetryOn []string `yaml:"retry_on"`
	// OnFailure is what happens when the last attempt has failed. continue (the default): a text takes the place of the result,
	// and the run goes on. error: the run fails. {format: TEXT}: like continue, with your own text, which may contain {type},
	// {message}, {attempts} and, for tools, {tool}.
	OnFailure OnFailure `yaml:"on_failure"`
	// BackoffFactor is the factor by which each delay is longer than the one before; 0 makes all delays equal. nil: 2.
	BackoffFactor *float64 `yaml:"backoff_factor" schema:"default=2,min=0"`
	// InitialDelay is the delay before the first retry: a number of seconds, or a duration such as "500ms". nil: 1 second.
	InitialDelay *Seconds `yaml:"initial_delay" schema:"default=1,min=0"`
	// MaxDelay is the longest delay, before jitter. nil: 60 seconds.
	MaxDelay *Seconds `yaml:"max_delay" schema:"default=60,min=0"`
	// Jitter makes each delay up to 25 % shorter or longer at random, so that many agents do not call at once. nil: true.
	Jitter *bool `yaml:"jitter" schema:"default=true"`

	// RetryOnFunc reports whether to retry an error. It replaces RetryOn.
	RetryOnFunc func(err error) bool `yaml:"-"`
}

// The defaults of [Retry].
const (
	defaultRetries       = 2
	defaultBackoffFactor = 2.0
	defaultInitialDelay  = Seconds(1)
	defaultMaxDelay      = Seconds(60)
)

// maxRetries is the largest max_retries; a larger number is a mistake.
const maxRetries = 1_000_000

// retryable in retry_on means every error that is marked as retryable.
const retryable = "retryable"

// compile checks the configuration of the middleware with this name.
func (c *Retry) compile(name string) (*retrier, error) {
	retries := valueOr(c.MaxRetries, defaultRetries)
	r := &retrier{
		name: name, attempts: retries + 1, on: c.RetryOn, onFunc: c.RetryOnFunc,
		delay: delayPolicy{
			initial: valueOr(c.InitialDelay, defaultInitialDelay), limit: valueOr(c.MaxDelay, defaultMaxDelay),
			factor: valueOr(c.BackoffFactor, defaultBackoffFactor), jitter: valueOr(c.Jitter, true),
		},
	}
	switch {
	case retries < 0:
		return nil, errors.New("max_retries must be >= 0")
	case retries > maxRetries:
		return nil, fmt.Errorf("max_retries must be <= %d", maxRetries)
	case r.on != nil && len(r.on) == 0:
		return nil, errors.New("retry_on is empty; name the errors to retry, or leave it out to retry all that may pass")
	case r.on != nil && r.onFunc != nil:
		return nil, errors.New("both retry_on and RetryOnFunc are set; use one of them")
	}
	return r, r.delay.check()
}

// valueOr returns an optional value, or the default if it is not set.
func valueOr[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}
