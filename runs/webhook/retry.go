package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"time"
)

// The pauses between attempts: a second, and each time twice as long.
const (
	firstPause = time.Second
	lastPause  = 5 * time.Minute // also the longest that a server may ask for
)

// passes reports whether another attempt may succeed.
func passes(err error) bool {
	if status, ok := errors.AsType[*StatusError](err); ok {
		switch status.Status {
		case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
			return true
		default:
			return status.Status >= 500
		}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return false
	}
	return !errors.Is(err, ErrRefused)
}

// pause returns how long to wait after an attempt, counted from 1.
func pause(attempt int, asked time.Duration) time.Duration {
	return min(max(firstPause<<(attempt-1), asked), lastPause)
}

// wait reports whether the context lasts longer than the pause.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
