package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// The defaults of retries.
const (
	defaultRetries       = 2
	defaultBackoffFactor = 2.0
	defaultInitialDelay  = Seconds(1)
	defaultMaxDelay      = Seconds(60)
)

// errorsThatPass stands in retry_on for all errors of which it is said that trying again may help.
const errorsThatPass = "retryable"

// retryConfig is what the configurations of all retries have.
type retryConfig struct {
	maxRetries             *int
	retryOn                []string
	retryOnFunc            func(err error) bool
	backoffFactor          *float64
	initialDelay, maxDelay *Seconds
	jitter                 *bool
}

// retrier does again what has failed.
type retrier struct {
	name     string // of the middleware
	attempts int    // at the most
	on       []string
	onFunc   func(err error) bool
	delay    delayPolicy
}

// compile checks the configuration.
func (c *retryConfig) compile(name string) (*retrier, error) {
	retries := valueOr(c.maxRetries, defaultRetries)
	r := &retrier{
		name: name, attempts: retries + 1, on: c.retryOn, onFunc: c.retryOnFunc,
		delay: delayPolicy{
			initial: valueOr(c.initialDelay, defaultInitialDelay), limit: valueOr(c.maxDelay, defaultMaxDelay),
			factor: valueOr(c.backoffFactor, defaultBackoffFactor), jitter: valueOr(c.jitter, true),
		},
	}
	switch {
	case retries < 0:
		return nil, errors.New("max_retries must be >= 0")
	case retries > maxRetries:
		return nil, fmt.Errorf("max_retries must be <= %d", maxRetries)
	case r.on != nil && len(r.on) == 0:
		return nil, errors.New("retry_on is empty; name the errors to retry, or leave it out to retry all")
	case r.on != nil && r.onFunc != nil:
		return nil, errors.New("there are both retry_on and RetryOnFunc; use one of them")
	}
	return r, r.delay.check()
}

// maxRetries is how many retries there may be: more are a mistake.
const maxRetries = 1_000_000

func valueOr[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// The outcomes of an attempt that failed. The error itself stays out of the sight of package backoff: that looks in it for
// types of its own, and a tool may use the package too.
var (
	errAgain = errors.New("another attempt may follow")
	errFinal = errors.New("no attempt may follow")
)

// retry calls attempt until it succeeds, fails with an error that is none to retry, or has failed often enough. Then, and
// only then, exhausted is how often that was.
func retry[T any](
	ctx context.Context, rt *host.Runtime, r *retrier, failed func(err error) bool, attempt func() (T, error),
) (result T, exhausted int, err error) {
	attempts := 0
	delays := r.delay.start(rt.Seed())
	result, outcome := backoff.Retry(ctx,
		func() (result T, _ error) {
			attempts++
			result, err = attempt()
			switch {
			case err == nil:
				return result, nil
			case ctx.Err() != nil || !failed(err) || !r.wants(err):
				return result, backoff.Permanent(errFinal)
			default:
				delays.asked = Seconds(saidOf(err).RetryAfter.Seconds())
				return result, errAgain
			}
		},
		backoff.WithBackOff(delays), backoff.WithMaxTries(uint(r.attempts)), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			rt.Warn(fmt.Sprintf("%s: attempt %d of %d in %v: %v", r.name, attempts+1, r.attempts, wait.Round(time.Millisecond), err))
		}),
	)
	switch {
	case err == nil || errors.Is(outcome, errFinal):
		return result, 0, err
	case errors.Is(outcome, errAgain):
		return result, attempts, err
	default: // the context has ended while we waited; what failed before is no cause of that
		return result, 0, fmt.Errorf("%w before attempt %d of %d: %v", ctx.Err(), attempts+1, r.attempts, err) //nolint:errorlint // see above
	}
}

// wants reports whether the configuration says that an error is retried.
func (r *retrier) wants(err error) bool {
	if r.onFunc != nil {
		return r.onFunc(err)
	}
	if hasType(err, r.on) {
		return true
	}
	said := saidOf(err)
	return said.Kind != "" && slices.Contains(r.on, string(said.Kind)) ||
		slices.Contains(r.on, errorsThatPass) && (said.Retryable || host.ErrorDocument(err).Retryable || saysRetryable(err))
}

// saidOf returns what a provider has said of an error; nothing if it is none of a model.
func saidOf(err error) model.Error {
	if m, ok := errors.AsType[*host.ModelError](err); ok {
		return model.Error{Kind: m.Kind, Retryable: m.Retryable, RetryAfter: m.RetryAfter}
	}
	if said, ok := errors.AsType[*model.Error](err); ok {
		return *said
	}
	return model.Error{}
}

// saysRetryable reports whether an error says of itself that trying again may help.
func saysRetryable(err error) bool {
	var says interface{ Retryable() bool }
	return errors.As(err, &says) && says.Retryable()
}

// ofRun reports whether an error is one of the run or the agent: a limit, a jump or an update that cannot be, a request that
// the agent cannot perform, a thread that cannot be kept.
func ofRun(err error) bool {
	return is[*host.LimitError](err) || is[*host.JumpError](err) || is[*host.UpdateError](err) || is[*host.ConfigError](err) ||
		is[*host.ThreadError](err)
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// hasFailed reports whether an error is a failure of what an attempt has called, which reports it as a T, or of middleware
// further inside: neither control flow nor of the run.
func hasFailed[T error](err error) bool {
	return !host.IsControlFlow(err) && (is[T](err) || !ofRun(err))
}
