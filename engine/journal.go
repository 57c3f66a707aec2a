package engine

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/agenthost/agenthost/runs"
)

const (
	// flushAfter is how long the first event after a batch waits for others, from the end of that batch on.
	flushAfter = 20 * time.Millisecond
	// flushAt is how many events are written without waiting for others.
	flushAt = 64
	// maxPending is how many bytes of events may wait before runs wait for the store.
	maxPending = 16 << 20
)

// journal collects the events of all runs and writes them in batches, so that a process makes one change where each run would make one.
type journal struct {
	store  runs.Store
	live   *runs.Live
	worker *runs.Worker
	log    *slog.Logger
	kick   chan struct{} // an event came
	many   chan struct{} // flushAt events wait

	mu      sync.Mutex
	pending []runs.Event
	size    int           // of the data of pending, in bytes
	changed chan struct{} // closed and replaced when pending was written
	writing []runs.Event  // what is being written
}

func newJournal(store runs.Store, live *runs.Live, worker *runs.Worker, log *slog.Logger) *journal {
	return &journal{
		store: store, live: live, worker: worker, log: log, kick: make(chan struct{}, 1), many: make(chan struct{}, 1),
		changed: make(chan struct{}),
	}
}

// add adds events, which are written together. It waits while too much is pending.
func (j *journal) add(ctx context.Context, events ...runs.Event) error {
	err := j.until(ctx, func() bool { return j.size < maxPending })
	if err != nil {
		return err
	}
	defer j.mu.Unlock()
	for _, event := range events {
		j.pending, j.size = append(j.pending, event), j.size+len(event.Data)
		j.live.Add(event)
	}
	signal(j.kick)
	if len(j.pending) >= flushAt {
		signal(j.many)
	}
	return nil
}

// until waits for a condition, and returns with the lock held, or with an error and without the lock.
func (j *journal) until(ctx context.Context, ready func() bool) error {
	j.mu.Lock()
	for !ready() {
		changed := j.changed
		j.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		j.mu.Lock()
	}
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// flush writes events until the context ends.
func (j *journal) flush(ctx context.Context) {
	timer := time.NewTimer(0) //nolint:forbidigo // readers wait in real time
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-j.kick:
		}
		select {
		case <-ctx.Done():
			return
		case <-j.many:
		case <-timer.C:
		}
		j.write(ctx)
		timer.Reset(flushAfter)
	}
}

// write writes what is pending. It tries again until that succeeds or the context ends, since events must not be written out of order.
// What is not written by then stays pending.
func (j *journal) write(ctx context.Context) {
	j.mu.Lock()
	batch := j.pending
	j.pending, j.size, j.writing = nil, 0, batch
	j.mu.Unlock()
	for pause := 100 * time.Millisecond; len(batch) > 0; pause = min(2*pause, 2*time.Second) {
		err := j.store.Append(ctx, j.worker, batch)
		if err == nil {
			j.live.Saved(batch)
			batch = nil
			break
		}
		if ctx.Err() == nil {
			j.log.Error("events cannot be written; trying again", "events", len(batch), "error", err)
		}
		if wait(ctx, pause) != nil {
			break
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writing, j.pending = nil, append(batch, j.pending...)
	for i := range batch {
		j.size += len(batch[i].Data)
	}
	close(j.changed)
	j.changed = make(chan struct{})
}

// take removes and returns the pending events of a run. Those before them are written. The events of other runs, of which there may always be some, are
// not waited for.
func (j *journal) take(ctx context.Context, run string) (taken []runs.Event, err error) {
	of := func(e runs.Event) bool { return e.Run == run }
	if err := j.until(ctx, func() bool { return !slices.ContainsFunc(j.writing, of) }); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	j.pending = slices.DeleteFunc(j.pending, func(e runs.Event) bool {
		if !of(e) {
			return false
		}
		taken, j.size = append(taken, e), j.size-len(e.Data)
		return true
	})
	return taken, nil
}

// wait waits for some time.
func wait(ctx context.Context, some time.Duration) error {
	timer := time.NewTimer(some) //nolint:forbidigo // databases come back in real time
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
