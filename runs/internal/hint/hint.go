// Package hint spreads hints within a process.
package hint

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/runs"
)

// Hub passes hints on to whoever listens. It never waits for a listener: hints that are equal become one, and too many become one of
// their kind that names no run. The zero value is ready.
type Hub struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
}

// most is how many hints wait for a listener at once.
const most = 1000

// All has one hint of each kind, each of which may concern any run.
var All = []runs.Hint{{Kind: runs.HintQueue}, {Kind: runs.HintCancel}, {Kind: runs.HintEvents}}

// listener has the hints that wait, each once and in the order of their arrival.
type listener struct {
	wake  chan struct{}
	queue []runs.Hint
	known map[runs.Hint]struct{}
}

func (l *listener) add(h runs.Hint) {
	if len(l.queue) >= most {
		h.Run = ""
	}
	if _, ok := l.known[h]; ok {
		return
	}
	l.known[h] = struct{}{}
	l.queue = append(l.queue, h)
}

// Send passes hints on.
func (h *Hub) Send(hints ...runs.Hint) {
	if len(hints) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		for _, hint := range hints {
			l.add(hint)
		}
		select {
		case l.wake <- struct{}{}:
		default: // it will wake up
		}
	}
}

// Listen calls heard with hints until the context ends, and returns the context's error. The first hints are All.
func (h *Hub) Listen(ctx context.Context, heard func(runs.Hint)) error {
	l := &listener{wake: make(chan struct{}, 1), known: map[runs.Hint]struct{}{}}
	for _, hint := range All {
		l.add(hint)
	}
	l.wake <- struct{}{}
	h.mu.Lock()
	if h.listeners == nil {
		h.listeners = map[*listener]struct{}{}
	}
	h.listeners[l] = struct{}{}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.listeners, l)
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.wake:
		}
		for _, hint := range h.take(l) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			heard(hint)
		}
	}
}

func (h *Hub) take(l *listener) []runs.Hint {
	h.mu.Lock()
	defer h.mu.Unlock()
	queue := l.queue
	l.queue = nil
	clear(l.known)
	return queue
}
