package model

import "time"

// Limits bound how long a model of a provider may take, and how often it asks again. In each field, 0 means the default and a negative
// value means no limit, or no retries.
type Limits struct {
	Timeout           time.Duration // for a whole call with its retries; default [DefaultTimeout]
	FirstTokenTimeout time.Duration // of a streamed answer, from the request to its first token; default [DefaultFirstTokenTimeout]
	// IdleTimeout is how long a streamed answer may pause between tokens; default [DefaultIdleTimeout]. Comments and pings that only keep
	// the connection open do not count as tokens.
	IdleTimeout time.Duration
	// MaxRetries is how often a request is sent again that failed for a reason that may pass, before an answer has begun: no connection, or
	// the status 408, 409, 429 or 5xx; default [DefaultMaxRetries].
	MaxRetries int
}

// The defaults of [Limits].
const (
	DefaultTimeout           = 10 * time.Minute
	DefaultFirstTokenTimeout = 2 * time.Minute
	DefaultIdleTimeout       = time.Minute
	DefaultMaxRetries        = 2
)

// WithDefaults returns the limits with their defaults filled in. No limit becomes 0.
func (l Limits) WithDefaults() Limits {
	l.Timeout = orDefault(l.Timeout, DefaultTimeout)
	l.FirstTokenTimeout = orDefault(l.FirstTokenTimeout, DefaultFirstTokenTimeout)
	l.IdleTimeout = orDefault(l.IdleTimeout, DefaultIdleTimeout)
	l.MaxRetries = orDefault(l.MaxRetries, DefaultMaxRetries)
	return l
}

func orDefault[T ~int | ~int64](value, usual T) T {
	if value == 0 {
		return usual
	}
	return max(value, 0)
}
