package leases

import (
	"context"
	"slices"
	"sync"
	"time"
)

// MaxBatch is the maximum number of leases that one call of a [Renew] extends.
const MaxBatch = 1000

// Renew extends leases of a store by the renewer's length, in one statement that waits for nobody. It returns the tokens of
// those that it extended, and of those that are lost because the store has given the row to somebody else. The others are
// tried again soon, as are all if it returns an error.
type Renew func(ctx context.Context, keys []Key) (renewed, lost []string, err error)

// Renewer extends leases until they are released. It has a goroutine while there are any, and another one during an attempt.
type Renewer struct {
	length time.Duration
	cause  error
	renew  Renew

	ctx  context.Context //nolint:containedctx // ends when the renewer is closed
	stop context.CancelFunc
	wake chan struct{} // has room for one
	runs sync.WaitGroup

	mu      sync.Mutex
	open    map[*Lease]struct{}
	running bool
	until   time.Time // when the goroutine wakes by itself
}

// New returns a renewer for leases of one length. The cause is the error of contexts whose lease is lost.
func New(length time.Duration, cause error, renew Renew) *Renewer {
	r := &Renewer{length: length, cause: cause, renew: renew, wake: make(chan struct{}, 1), open: map[*Lease]struct{}{}}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// every returns how often a lease is extended: three times while it lasts.
func (r *Renewer) every() time.Duration { return r.length / 3 }

// pause returns the time between two attempts if the first one failed.
func (r *Renewer) pause() time.Duration { return r.length / 48 }

// margin returns how long before its end a lease counts as lost, so that the holder stops before another one begins.
func (r *Renewer) margin() time.Duration { return r.length / 6 }

// Add renews a lease that was asked for at the time given.
func (r *Renewer) Add(key Key, given time.Time) *Lease {
	l := &Lease{Key: key, renewer: r, renewed: given}
	l.held, l.lose = context.WithCancelCause(context.Background())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		l.lose(r.cause)
		return l
	}
	r.open[l] = struct{}{}
	switch {
	case !r.running:
		r.running = true
		r.runs.Go(r.run)
	case l.due().Before(r.until):
		r.rouse()
	}
	return l
}

func (r *Renewer) release(l *Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, l)
	if len(r.open) == 0 {
		r.rouse() // to end
	}
}

// Close stops renewing, and waits for an attempt that is under way. Leases that were not released are lost.
func (r *Renewer) Close() {
	r.mu.Lock()
	r.stop()
	for l := range r.open {
		r.takeAway(l)
	}
	r.rouse()
	r.mu.Unlock()
	r.runs.Wait()
}

// rouse wakes the goroutine.
func (r *Renewer) rouse() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// takeAway tells the holder of a lease that it is lost.
func (r *Renewer) takeAway(l *Lease) {
	delete(r.open, l)
	l.lose(r.cause)
}

// run extends leases while there are any.
func (r *Renewer) run() {
	timer := time.NewTimer(0) //nolint:forbidigo // as now
	defer timer.Stop()
	for {
		wait, ok := r.next()
		if !ok {
			return
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-r.wake:
		}
		r.expire(now(), never)
		for batch := range slices.Chunk(r.due(now()), MaxBatch) {
			r.attempt(batch)
		}
	}
}

// next returns when the next lease must be extended, from now on. Without leases, the goroutine ends.
func (r *Renewer) next() (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.open) == 0 {
		r.running = false
		return 0, false
	}
	r.until = never
	for l := range r.open {
		if due := l.due(); due.Before(r.until) {
			r.until = due
		}
	}
	return r.until.Sub(now()), true
}

// due returns the leases to extend now. When it is time for one, all are extended, so that they stay together; those that failed
// are tried again alone.
func (r *Renewer) due(at time.Time) (due []*Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	regular := false
	for l := range r.open {
		if !l.due().After(at) {
			due, regular = append(due, l), regular || !l.failed
		}
	}
	if regular {
		due = due[:0]
		for l := range r.open {
			due = append(due, l)
		}
	}
	slices.SortFunc(due, func(a, b *Lease) int { return a.renewed.Compare(b.renewed) }) // the most urgent first
	return due
}

// now returns the time by this machine's clock. A lease lasts in real time, whatever the agent's clock says.
func now() time.Time { return time.Now() } //nolint:forbidigo // see the comment

// never is later than any other time.
var never = time.Unix(1<<40, 0)
