package host

import (
	"errors"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Retry reports whether the same input may succeed later although a run failed with err, and how long it is good to wait; 0 means
// that nobody knows. That is so if another run holds the thread, if the lease of the thread was lost, if the database cannot be reached
// or is locked, if the agent drains, and if the model says so. Whoever tries again should set [Input.Once].
func Retry(err error) (after time.Duration, ok bool) {
	if busy, is := errors.AsType[*checkpoint.BusyError](err); is {
		if busy.Until.IsZero() {
			return 0, true
		}
		return max(0, time.Until(busy.Until)), true //nolint:forbidigo // leases go by real time
	}
	for _, passing := range []error{checkpoint.ErrBusy, checkpoint.ErrLost, checkpoint.ErrUnavailable, checkpoint.ErrLocked, ErrDraining} {
		if errors.Is(err, passing) {
			return 0, true
		}
	}
	if failed, is := errors.AsType[*ModelError](err); is {
		return failed.RetryAfter, failed.Retryable
	}
	return 0, false
}
