package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// memoryWait is how long a starting instance waits for memory in use by others.
const memoryWait = 10 * time.Second

// memoryBudget is the memory that all guests of an engine share. Starting an instance waits for room. A running guest does
// not, since it might wait for itself: its memory just does not grow.
type memoryBudget struct {
	mu         sync.Mutex
	limit      int64
	used       int64
	freed      chan struct{} // closed when memory was freed, or can be; nil if nobody waits
	waiting    atomic.Int64  // number of waiters
	reclaimers map[reclaimer]struct{}
}

// reclaimer holds memory that it does not need, such as the free instances of a pool.
type reclaimer interface{ reclaim() bool } // it reports whether it freed any

func newMemoryBudget(limit int64) *memoryBudget {
	return &memoryBudget{limit: limit, reclaimers: map[reclaimer]struct{}{}}
}

func (b *memoryBudget) use() (used, limit int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used, b.limit
}

// register and unregister add and remove a reclaimer.
func (b *memoryBudget) register(r reclaimer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reclaimers[r] = struct{}{}
}

func (b *memoryBudget) unregister(r reclaimer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.reclaimers, r)
}

// reserve takes memory if there is room, or if closing free instances makes room.
func (b *memoryBudget) reserve(n int64) bool {
	for {
		if b.take(n) {
			return true
		}
		if n > b.limit || !b.reclaim() {
			return false
		}
	}
}

func (b *memoryBudget) take(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.limit {
		return false
	}
	b.used += n
	return true
}

// reclaim closes one free instance. It reports whether there was one.
func (b *memoryBudget) reclaim() bool {
	b.mu.Lock()
	reclaimers := make([]reclaimer, 0, len(b.reclaimers))
	for r := range b.reclaimers {
		reclaimers = append(reclaimers, r)
	}
	b.mu.Unlock() // a closing instance returns its memory here
	for _, r := range reclaimers {
		if r.reclaim() {
			return true
		}
	}
	return false
}

// wait takes memory, and waits for it if there is none. The error is errNoMemory, or the cause of ctx's end.
func (b *memoryBudget) wait(ctx context.Context, n int64) error {
	late := time.NewTimer(memoryWait)
	defer late.Stop()
	b.waiting.Add(1)
	defer b.waiting.Add(-1)
	for {
		freed := b.changes()
		if b.reserve(n) {
			return nil
		}
		if n > b.limit {
			return fmt.Errorf("%w: it needs %d bytes, and all plugins may use %d together", errNoMemory, n, b.limit)
		}
		select {
		case <-freed:
		case <-late.C:
			return fmt.Errorf("%w: it needs %d bytes; all plugins may use %d together, and use them", errNoMemory, n, b.limit)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// crowded turns a lack of memory into a fault. It is not a fault if the context ended while waiting.
func (p *Plugin) crowded(stage string, err error) error {
	if errors.Is(err, errNoMemory) {
		return p.fault(stage, KindMemory, err.Error(), err)
	}
	return err
}

// changes returns a channel that is closed when memory is freed.
func (b *memoryBudget) changes() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freed == nil {
		b.freed = make(chan struct{})
	}
	return b.freed
}

// release returns memory to the budget.
func (b *memoryBudget) release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.wake()
}

// wake makes all waiters try again.
func (b *memoryBudget) wake() {
	if b.freed != nil {
		close(b.freed)
		b.freed = nil
	}
}

// idle announces that an instance became free and may be closed if its memory is needed. It costs nothing while nobody
// waits.
func (b *memoryBudget) idle() {
	if b.waiting.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wake()
}
