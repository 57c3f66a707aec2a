package leases

import (
	"context"
	"time"
)

// Key is what a store knows a lease by.
type Key struct {
	Row   int64  // the row that the lease is for
	Token string // unique; whoever knows it holds the lease
}

// Lease is the right to use a row of a store. Its methods are safe for concurrent use.
type Lease struct {
	Key

	renewer *Renewer
	held    context.Context //nolint:containedctx // independent of any call; ends when the lease is lost
	lose    context.CancelCauseFunc

	// The renewer's mutex guards these.
	renewed time.Time // just before the statement that extended the lease last
	failed  bool      // the last attempt to extend it failed
	again   time.Time // when to try again, if failed
}

// Held returns a context that ends when the lease is lost, with the renewer's error as its cause. It does not end when the lease
// is released.
func (l *Lease) Held() context.Context { return l.held }

// Release stops renewing the lease, which the caller then removes from the store. An attempt that has begun may still extend it
// there, unless it is removed before.
func (l *Lease) Release() { l.renewer.release(l) }

// due returns when the lease must be extended.
func (l *Lease) due() time.Time {
	if l.failed {
		return l.again
	}
	return l.renewed.Add(l.renewer.every())
}

// lostAt returns when the lease is lost by this machine's clock. An attempt to extend it must have failed, or be overdue: a
// process that was stopped for a while keeps what nobody has taken.
func (l *Lease) lostAt(overdue time.Time) time.Time {
	out := l.renewed.Add(l.renewer.length - l.renewer.margin())
	if !l.failed && out.Before(overdue) {
		return overdue
	}
	return out
}
