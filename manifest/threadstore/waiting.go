package threadstore

import (
	"context"
	"errors"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Waiting returns a store that waits for a thread that another run has open, up to limit and until the context ends. If the process of
// that run died, its lease must expire first. Waiting calls waits once for each thread that it waits for.
func Waiting(s checkpoint.Store, limit time.Duration, waits func(thread string, busy error)) checkpoint.Store {
	if limit <= 0 {
		return s
	}
	return &waitingStore{s, limit, waits}
}

type waitingStore struct {
	checkpoint.Store

	limit time.Duration
	waits func(thread string, busy error)
}

// The delays between two attempts: short at first, up to a second later.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
)

// Open opens a thread, see [checkpoint.Store].
func (w *waitingStore) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	over := time.NewTimer(w.limit) //nolint:forbidigo // other processes are waited for: that is real time
	defer over.Stop()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		session, err := w.Store.Open(ctx, thread)
		if !errors.Is(err, checkpoint.ErrBusy) {
			return session, err
		}
		if pause == firstPause {
			w.waits(thread, err)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-over.C:
			return nil, err
		case <-time.After(pause): //nolint:forbidigo // as above
		}
	}
}
