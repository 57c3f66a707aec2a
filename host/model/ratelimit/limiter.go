package ratelimit

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// noticeAfter is how long a call waits before it says so.
const noticeAfter = 5 * time.Second

// errNoRoom means that a call would have to wait for too long.
var errNoRoom = errors.New("no room within the longest wait")

// limiter holds the buckets of one model of one account. Calls begin in the order in which they came.
type limiter struct {
	line line

	mu               sync.Mutex
	limit            Limit
	used             time.Time // when the last call came
	requests, tokens *rate.Limiter
}

func newLimiter(limit Limit) *limiter {
	l := &limiter{requests: rate.NewLimiter(rate.Inf, 0), tokens: rate.NewLimiter(rate.Inf, 0)}
	l.set(limit)
	return l
}

// set changes the limit. What is left in the buckets stays.
func (l *limiter) set(limit Limit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit == limit {
		return
	}
	l.limit = limit
	l.requests = refilled(l.requests, limit.RequestsPerMinute, max(limit.MaxBucketSize, 1))
	l.tokens = refilled(l.tokens, float64(limit.TokensPerMinute), limit.TokensPerMinute)
}

// refilled returns a bucket with another rate and size. One that had no limit before is full.
func refilled(bucket *rate.Limiter, perMinute float64, size int) *rate.Limiter {
	switch {
	case perMinute <= 0:
		return rate.NewLimiter(rate.Inf, 0)
	case bucket.Limit() == rate.Inf:
		return rate.NewLimiter(rate.Limit(perMinute/60), size)
	default:
		bucket.SetLimit(rate.Limit(perMinute / 60))
		bucket.SetBurst(size)
		return bucket
	}
}

// buckets returns what the next call needs.
func (l *limiter) buckets() (requests, tokens *rate.Limiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests, l.tokens
}

// waiting is one call that waits.
type waiting struct {
	notice *time.Timer
	say    func()           // tells the user
	last   time.Time        // when the call must begin; zero: at any time
	end    <-chan time.Time // receives at that time
}

// wait waits until a call with so many tokens may begin, and says so if that takes a while. It returns the tokens that count for the
// call until it is settled. The error is errNoRoom, or the cause of the cancellation.
func (l *limiter) wait(ctx context.Context, tokens int, most time.Duration, say func()) (int, error) {
	w := waiting{notice: time.NewTimer(noticeAfter), say: say}
	defer w.notice.Stop()
	if most > 0 {
		w.last = now().Add(most)
		end := time.NewTimer(most)
		defer end.Stop()
		w.end = end.C
	}
	turn, leave := l.line.enter()
	defer leave()
	for inLine := true; inLine; {
		select {
		case <-turn:
			inLine = false
		case <-w.notice.C:
			w.say()
		case <-w.end:
			return 0, errNoRoom
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	return l.fill(ctx, &w, tokens)
}

// fill waits, as the first in the line, until the buckets hold enough. A call with more tokens than a bucket can hold takes a full one.
func (l *limiter) fill(ctx context.Context, w *waiting, count int) (int, error) {
	requests, tokens := l.buckets()
	if tokens.Limit() != rate.Inf {
		count = min(count, tokens.Burst())
	}
	now := now()
	one, some := requests.ReserveN(now, 1), tokens.ReserveN(now, count)
	delay := max(one.DelayFrom(now), some.DelayFrom(now))
	if !w.last.IsZero() && now.Add(delay).After(w.last) {
		one.CancelAt(now)
		some.CancelAt(now)
		return 0, errNoRoom
	}
	ready := time.NewTimer(delay)
	defer ready.Stop()
	for {
		select {
		case <-ready.C:
			return count, nil
		case <-w.notice.C:
			w.say()
		case <-ctx.Done():
			one.Cancel()
			some.Cancel()
			return 0, context.Cause(ctx)
		}
	}
}

// settle corrects the tokens of a call by those that the provider reports. What a call used beyond its estimate is missing for the next
// ones, but one call never takes more than the tokens of mostMinutes away, so that a wrong report stops nobody for long.
func (l *limiter) settle(estimate int, used uint64) {
	_, tokens := l.buckets()
	if tokens.Limit() == rate.Inf {
		return
	}
	size := tokens.Burst()
	more := int(min(used, uint64(size)*mostMinutes)) - estimate
	for ; more > size; more -= size { // a reservation cannot be larger than the bucket
		tokens.ReserveN(now(), size)
	}
	tokens.ReserveN(now(), more) // a negative number gives tokens back
}

// mostMinutes is how many minutes the tokens of one call may use up.
const mostMinutes = 4

// touch notes that a call has come.
func (l *limiter) touch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = now()
}

// idle reports whether no call has come for so long that the buckets must be full again.
func (l *limiter) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now().Sub(l.used) > time.Hour
}

// now is the time by which requests are spread: providers count by real time.
func now() time.Time { return time.Now() }
