package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

const (
	maxAttempts = 3
	firstDelay  = 200 * time.Millisecond
	mostDelay   = 5 * time.Second // the longest delay that a server may ask for
)

// repeats reports whether a request that failed is sent again, and waits before that.
func (c *Client) repeats(ctx context.Context, method string, attempt int, asked string, err error) bool {
	if attempt+1 >= maxAttempts || ctx.Err() != nil || !passes(method, err) {
		return false
	}
	delay := firstDelay << (2 * attempt)
	if seconds, err := strconv.ParseUint(asked, 10, 16); err == nil {
		if delay = time.Duration(seconds) * time.Second; delay > mostDelay {
			return false
		}
	}
	return wait(ctx, delay) == nil
}

// wait waits for some time.
func wait(ctx context.Context, some time.Duration) error {
	timer := time.NewTimer(some)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// passes reports whether a failure may pass, and the request may be repeated.
func passes(method string, err error) bool {
	if refused, ok := errors.AsType[*Error](err); ok {
		switch refused.Status {
		case http.StatusTooManyRequests:
			return true
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return method == http.MethodGet
		default:
			return false
		}
	}
	if _, odd := errors.AsType[*answerError](err); odd {
		return false
	}
	return method == http.MethodGet || unsent(err)
}
