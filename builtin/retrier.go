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

// retrier is a checked [Retry].
type retrier struct {
	name     string // of the middleware
	attempts int    // the largest number of attempts
	on       []string
	onFunc   func(err error) bool
	delay    delayPolicy
}

// The outcomes of a failed attempt. Package backoff does not get the error itself: it would look for its own types in it, and
// a tool may use the package too.
var (
	errAgain = errors.New("another attempt may follow")
	errFinal = errors.New("no attempt may follow")
)

// retry calls attempt until it succeeds, fails with an error that is not retried, or has failed in the last attempt. In the
// last case exhausted is the number of attempts; otherwise it is 0.
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
	default: // the context ended during a delay; the earlier failure is not its cause
		return result, 0, fmt.Errorf("%w before attempt %d of %d: %v", ctx.Err(), attempts+1, r.attempts, err) //nolint:errorlint // see above
	}
}

// wants reports whether the configuration selects an error to be retried.
func (r *retrier) wants(err error) bool {
	if r.onFunc != nil {
		return r.onFunc(err)
	}
	said := saidOf(err)
	if r.on == nil {
		return said.Kind == "" || said.Retryable
	}
	return hasType(err, r.on) || said.Kind != "" && slices.Contains(r.on, string(said.Kind)) ||
		slices.Contains(r.on, retryable) && (said.Retryable || host.ErrorDocument(err).Retryable || saysRetryable(err))
}

// saidOf returns what the provider said about the error of a model; the zero value for other errors.
func saidOf(err error) model.Error {
	if m, ok := errors.AsType[*host.ModelError](err); ok {
		return model.Error{Kind: m.Kind, Retryable: m.Retryable, RetryAfter: m.RetryAfter}
	}
	if said, ok := errors.AsType[*model.Error](err); ok {
		return *said
	}
	return model.Error{}
}

// saysRetryable reports whether an error calls itself retryable.
func saysRetryable(err error) bool {
	var says interface{ Retryable() bool }
	return errors.As(err, &says) && says.Retryable()
}

// ofRun reports whether an error concerns the run or the agent: a limit, an impossible jump or update, a request that the
// agent cannot perform, a thread that cannot be saved.
func ofRun(err error) bool {
	return is[*host.LimitError](err) || is[*host.JumpError](err) || is[*host.UpdateError](err) || is[*host.ConfigError](err) ||
		is[*host.ThreadError](err)
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// hasFailed reports whether an error is a failure of the called model or tool, which reports it as a T, or of an inner
// middleware. Control flow and errors of the run are not failures.
func hasFailed[T error](err error) bool {
	return !host.IsControlFlow(err) && (is[T](err) || !ofRun(err))
}
