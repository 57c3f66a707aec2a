package plugin

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/host"
)

// When a well-behaved instance is replaced: guests leak, and their memory never shrinks.
const (
	mostCalls = 100_000
	mostAge   = 10 * time.Minute
)

// instanceOverhead is what an instance takes besides its memory and tables, in bytes: a stack, and the runtime's own
// structures.
const instanceOverhead = 256 << 10

var errClosed = errors.New("the plugin is closed")

// pool keeps the free instances of a plugin, the last used first. The host limits how many are in use at once, by leases. A
// caller of take must hold a lease, so that take never waits for another call.
type pool struct {
	plugin *Plugin
	leases *host.Pool
	ids    atomic.Uint64

	mu      sync.Mutex
	idle    sync.Cond // signals that out is 0
	free    []*instance
	largest int64 // memory of an instance, in bytes
	out     int   // instances in use or being made
	making  bool  // an instance is being made in the background
	closed  bool
	context context.Context // for background work; ended by close
	cancel  context.CancelFunc
}

func newPool(p *Plugin) *pool {
	l := &pool{plugin: p, leases: host.NewPool(p.limits.Instances)}
	l.idle.L = &l.mu
	l.context, l.cancel = context.WithCancel(context.Background())
	return l
}

// count returns how many instances there are.
func (l *pool) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out + len(l.free)
}

func (l *pool) nextID() uint64 { return l.ids.Add(1) }

// take returns a free or new instance, which the caller must give back with returned.
func (l *pool) take(ctx context.Context) (*instance, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errClosed
	}
	l.out++
	if last := len(l.free) - 1; last >= 0 {
		i := l.free[last]
		l.free = l.free[:last]
		l.mu.Unlock()
		if i.ready() {
			return i, nil
		}
		_ = i.close() // it cannot be restored
	} else {
		l.mu.Unlock()
	}
	i, err := l.plugin.newInstance(ctx)
	if err != nil {
		l.returned(nil)
		return nil, err
	}
	return i, nil
}

// with lends a free or new instance to use, which has it to itself while it runs. If use returns an error or panics, the
// instance cannot be used again. with discards such an instance, as well as one that has served long enough. It returns the
// error of use, or the reason why no instance is available.
func (l *pool) with(ctx context.Context, use func(i *instance) error) error {
	i, err := l.take(ctx)
	if err != nil {
		return err
	}
	returned := false
	defer func() {
		if returned && err == nil && !i.worn() {
			l.returned(i)
			return
		}
		_ = i.close() // the error of use takes precedence
		l.returned(nil)
		l.replace()
	}()
	err = use(i)
	returned = true
	return err
}

// measure records how large an instance has become.
func (l *pool) measure(i *instance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.largest = max(l.largest, int64(len(i.memory.bytes)))
}

// measured returns the largest size of any instance so far, including free ones.
func (l *pool) measured() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	largest := l.largest
	for _, i := range l.free {
		largest = max(largest, int64(len(i.memory.bytes)))
	}
	return largest
}

// returned takes an instance back, or nil if it is gone.
func (l *pool) returned(i *instance) {
	l.mu.Lock()
	keep := i != nil && !l.closed
	if keep {
		l.free = append(l.free, i)
	} else if i != nil { // close waits for this too
		l.mu.Unlock()
		_ = i.close()
		l.mu.Lock()
	}
	l.out--
	if l.out == 0 {
		l.idle.Broadcast()
	}
	l.mu.Unlock()
	if keep {
		l.plugin.engine.memory.idle()
	}
}

// replace makes an instance in the background if none is free, so that the next call need not wait for one.
func (l *pool) replace() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.making || len(l.free) > 0 {
		return
	}
	l.making = true
	l.out++
	go func() {
		i, err := l.plugin.newInstance(l.context)
		if err != nil {
			i = nil // the next call makes one, and reports the error
		}
		l.mu.Lock()
		l.making = false
		l.mu.Unlock()
		l.returned(i)
	}()
}

// reclaim closes the longest-free instance, to make room for others.
func (l *pool) reclaim() bool {
	l.mu.Lock()
	if len(l.free) == 0 {
		l.mu.Unlock()
		return false
	}
	i := l.free[0]
	l.free = append(l.free[:0], l.free[1:]...)
	l.out++ // until it is closed
	l.mu.Unlock()
	_ = i.close()
	l.returned(nil)
	return true
}

// close waits until all instances are back, and closes them.
func (l *pool) close() error {
	l.cancel()
	l.mu.Lock()
	l.closed = true
	for l.out > 0 {
		l.idle.Wait()
	}
	free := l.free
	l.free = nil
	l.mu.Unlock()
	errs := make([]error, 0, len(free))
	for _, i := range free {
		errs = append(errs, i.close())
	}
	return errors.Join(errs...)
}
