package threadstore

import (
	"context"
	"errors"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Waiting returns a store that waits for a thread which is in another run, also in a process that died, whose lease has to
// expire: up to limit, and until the context ends. It calls waits once for each thread that it waits for.
func Waiting(s checkpoint.Store, limit time.Duration, waits func(thread string, busy error)) checkpoint.Store {
	if limit <= 0 {
		return s
	}
	return &waiting{s, limit, waits}
}

type waiting struct {
	checkpoint.Store

	limit time.Duration
	waits func(thread string, busy error)
}

// Between two attempts it waits so long: first a little, then up to a second.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
)

// Open opens a thread, see [checkpoint.Store].
func (w *waiting) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
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
