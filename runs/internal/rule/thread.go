package rule

import (
	"fmt"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// A store keeps a thread at rest: with the status that it has without its runs. Whether it is busy follows from them.

// CreateThread returns a new thread at rest.
func CreateThread(t *runs.Thread, now time.Time) (*runs.Thread, error) {
	rest := t.Copy()
	rest.Created, rest.Updated = runs.Moment(now), runs.Moment(now)
	if rest.Status == "" {
		rest.Status = runs.ThreadIdle
	}
	if rest.Status == runs.ThreadBusy {
		return nil, errNotBusy(t)
	}
	return rest, t.Check()
}

func errNotBusy(t *runs.Thread) error {
	return fmt.Errorf("thread %q has no run and cannot be busy: %w", t.ID, runs.ErrInvalidValue)
}

// SeeThread returns a thread as it is seen from outside.
func SeeThread(rest *runs.Thread, busy bool) *runs.Thread {
	seen := rest.Copy()
	if busy {
		seen.Status, seen.Waiting = runs.ThreadBusy, nil
	}
	return seen
}

// ChangeThread applies a change to a thread, and returns the new thread at rest. A nil change changes only the time.
func ChangeThread(rest *runs.Thread, busy bool, now time.Time, change func(t *runs.Thread) error) (*runs.Thread, error) {
	seen := SeeThread(rest, busy)
	if change != nil {
		if err := change(seen); err != nil {
			return nil, err
		}
	}
	seen.Owner, seen.ID, seen.Created, seen.Updated = rest.Owner, rest.ID, rest.Created, now
	switch {
	case seen.Status == runs.ThreadBusy && busy:
		seen.Status, seen.Waiting = rest.Status, rest.Waiting
	case seen.Status == runs.ThreadBusy:
		return nil, errNotBusy(seen)
	case seen.Status == "":
		seen.Status = runs.ThreadIdle
	}
	if err := seen.Check(); err != nil {
		return nil, err
	}
	return seen.Copy(), nil
}

// Infallible makes a change of a function that cannot fail; nil stays nil.
func Infallible(note func(t *runs.Thread)) func(t *runs.Thread) error {
	if note == nil {
		return nil
	}
	return func(t *runs.Thread) error {
		note(t)
		return nil
	}
}

// Expires returns when a thread expires; the zero time: never.
func Expires(rest *runs.Thread) time.Time {
	if rest.Expiry == nil {
		return time.Time{}
	}
	return rest.Updated.Add(rest.Expiry.After)
}
