package plugin

import (
	"context"
	"sync"
)

// oneAtATime lets one goroutine work for a key while the others that want to do the same wait: they then find its work done.
type oneAtATime[K comparable] struct {
	mu   sync.Mutex
	busy map[K]chan struct{} // closed when the work is over
}

// enter waits for its turn. The caller must call leave. The error is that of the context.
func (o *oneAtATime[K]) enter(ctx context.Context, key K) (leave func(), err error) {
	for {
		o.mu.Lock()
		over := o.busy[key]
		if over == nil {
			if o.busy == nil {
				o.busy = map[K]chan struct{}{}
			}
			over = make(chan struct{})
			o.busy[key] = over
			o.mu.Unlock()
			return func() {
				o.mu.Lock()
				defer o.mu.Unlock()
				delete(o.busy, key)
				close(over)
			}, nil
		}
		o.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
