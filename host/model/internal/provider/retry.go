package provider

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/host/model"
)

// The delays before retries, as in the SDKs of OpenAI and Anthropic.
const (
	firstDelay = 500 * time.Millisecond
	mostDelay  = 8 * time.Second
	mostAsked  = time.Minute // the longest delay that a provider may ask for; a caller would take a longer one for a hang
)

// retryDelay returns how long to wait before retry n, from 0, of a request that failed with err. It returns false if the request must
// not be sent again.
func retryDelay(err error, n, most int) (time.Duration, bool) {
	failed, ok := errors.AsType[*model.Error](err)
	if !ok || n >= most || !failed.Retryable || !passes(failed) || failed.RetryAfter > mostAsked {
		return 0, false
	}
	if failed.RetryAfter > 0 {
		return failed.RetryAfter, true
	}
	delay := min(firstDelay<<n, mostDelay)
	return delay - time.Duration(rand.Int64N(int64(delay)/4)), true
}

// passes reports whether a failure before the answer may pass: no connection, or one of these statuses. An answer that cannot be
// read is left to the caller, since it has been paid for.
func passes(failed *model.Error) bool {
	switch failed.Status {
	case 0:
		return failed.Kind == model.ErrorConnection
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	default:
		return failed.Status >= http.StatusInternalServerError
	}
}

// Pause waits, unless ctx ends first.
func Pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
