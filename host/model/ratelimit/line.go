package ratelimit

import (
	"slices"
	"sync"
)

// line lets one call after the other take its turn, in the order in which they came.
type line struct {
	mu      sync.Mutex
	waiting []chan struct{} // the first one has its turn, and is closed
}

// enter joins the line. The turn begins when the channel is closed. The caller must call leave, also if it no longer wants its turn.
func (l *line) enter() (turn <-chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mine := make(chan struct{})
	l.waiting = append(l.waiting, mine)
	if len(l.waiting) == 1 {
		close(mine)
	}
	return mine, func() { l.leave(mine) }
}

func (l *line) leave(mine chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.waiting, mine)
	l.waiting = slices.Delete(l.waiting, at, at+1)
	if at == 0 && len(l.waiting) > 0 {
		close(l.waiting[0])
	}
}
