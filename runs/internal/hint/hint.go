// Package hint spreads hints within a process.
package hint

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/runs"
)

// All returns one hint of each kind, each of which may concern any run.
func All() []runs.Hint {
	return []runs.Hint{{Kind: runs.HintQueue}, {Kind: runs.HintCancel}, {Kind: runs.HintEvents}, {Kind: runs.HintEnd}, {Kind: runs.HintThread}}
}

// Queue holds hints that wait, each once and in the order of their arrival. Too many become one of their kind that names no run and no thread. The zero
// value is empty.
type Queue struct {
	hints []runs.Hint
	known map[runs.Hint]struct{}
}

// most is how many hints wait at once, apart from those that name no run.
const most = 1000

// Add adds hints.
func (q *Queue) Add(hints ...runs.Hint) {
	for _, h := range hints {
		if len(q.hints) >= most {
			h.Run, h.Thread = "", ""
		}
		if _, ok := q.known[h]; ok {
			continue
		}
		if q.known == nil {
			q.known = map[runs.Hint]struct{}{}
		}
		q.known[h] = struct{}{}
		q.hints = append(q.hints, h)
	}
}

// Take empties the queue.
func (q *Queue) Take() []runs.Hint {
	hints := q.hints
	*q = Queue{}
	return hints
}

// Hub passes hints on to whoever listens, and never waits for a listener. The zero value is ready.
type Hub struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
}

type listener struct {
	mu    sync.Mutex
	queue Queue
	wake  chan struct{}
}

func (l *listener) add(hints ...runs.Hint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue.Add(hints...)
	select {
	case l.wake <- struct{}{}:
	default: // it will wake up
	}
}

func (l *listener) take() []runs.Hint {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.Take()
}

// Send passes hints on.
func (h *Hub) Send(hints ...runs.Hint) {
	if len(hints) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		l.add(hints...)
	}
}

// Source brings hints from elsewhere until the context ends, All of them whenever some may have been lost.
type Source func(ctx context.Context, heard func(...runs.Hint))

// Listen calls heard with hints until the context ends, and returns the context's error. Without a source, the first hints are All.
func (h *Hub) Listen(ctx context.Context, source Source, heard func(runs.Hint)) error {
	l := &listener{wake: make(chan struct{}, 1)}
	h.join(l)
	defer h.leave(l)
	if source == nil {
		l.add(All()...)
	} else {
		var sources sync.WaitGroup
		defer sources.Wait()
		sources.Go(func() { source(ctx, l.add) })
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.wake:
		}
		for _, hint := range l.take() {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			heard(hint)
		}
	}
}

func (h *Hub) join(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners == nil {
		h.listeners = map[*listener]struct{}{}
	}
	h.listeners[l] = struct{}{}
}

func (h *Hub) leave(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
}
