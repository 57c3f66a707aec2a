package leases

import (
	"context"
	"slices"
	"time"
)

// answer is what a store says to an attempt.
type answer struct {
	renewed, lost []string
	err           error
}

// attempt tries to extend leases. Meanwhile it watches the clock of all leases, because a driver may not heed its context.
func (r *Renewer) attempt(batch []*Lease) {
	keys := make([]Key, len(batch))
	for i, l := range batch {
		keys[i] = l.Key
	}
	began := now()
	ctx, cancel := context.WithTimeout(r.ctx, r.every())
	defer cancel()
	answers := make(chan answer, 1)
	r.runs.Go(func() {
		renewed, lost, err := r.renew(ctx, keys)
		answers <- answer{renewed, lost, err}
	})
	overdue := began.Add(r.every())
	watch := time.NewTimer(0) //nolint:forbidigo // as now
	defer watch.Stop()
	for {
		watch.Reset(r.nextLoss(overdue))
		select {
		case a := <-answers:
			r.settle(batch, began, &a)
			return
		case <-watch.C:
			r.expire(now(), overdue)
		case <-r.wake: // there is another lease
		}
	}
}

// nextLoss returns when the next lease is lost, from now on, unless an attempt that is overdue at the time given succeeds.
func (r *Renewer) nextLoss(overdue time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until = never
	for l := range r.open {
		if at := l.lostAt(overdue); at.Before(r.until) {
			r.until = at
		}
	}
	return r.until.Sub(now())
}

// expire takes away the leases that are lost by now.
func (r *Renewer) expire(at, overdue time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.open {
		if !l.lostAt(overdue).After(at) {
			r.takeAway(l)
		}
	}
}

// settle notes what came of an attempt.
func (r *Renewer) settle(batch []*Lease, began time.Time, a *answer) {
	if a.err != nil {
		a.renewed, a.lost = nil, nil
	}
	slices.Sort(a.renewed)
	slices.Sort(a.lost)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range batch {
		if _, open := r.open[l]; !open { // it was released or lost meanwhile
			continue
		}
		switch {
		case has(a.renewed, l.Token):
			l.renewed, l.failed = began, false
		case has(a.lost, l.Token):
			r.takeAway(l)
		default:
			l.failed, l.again = true, now().Add(r.pause())
		}
	}
}

// has reports whether a sorted list has a token.
func has(sorted []string, token string) bool {
	_, found := slices.BinarySearch(sorted, token)
	return found
}
