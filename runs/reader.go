package runs

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"
)

// Reader lets any number of clients follow runs, wherever they are performed, with one subscription to a store.
type Reader struct {
	store Store
	live  *Live
	log   *slog.Logger
	stop  context.CancelFunc
	ended chan struct{} // closed when nobody listens any more

	mu      sync.Mutex
	events  waiters // for events of a run, by its id
	ends    waiters // for the end of a run, by its id
	threads waiters // by the id of the thread
}

// waiters are who waits for news of something.
type waiters map[string]map[chan struct{}]bool

// pollReader is how often a reader looks by itself, since hints may be lost.
const pollReader = time.Second

// NewReader returns a reader of a store, which must be closed. If live is not nil, the reader also gets the events of the runs there, and
// nobody else may read from it. A nil logger logs nothing.
func NewReader(store Store, live *Live, logger *slog.Logger) *Reader {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Reader{store: store, live: live, log: logger, stop: stop, ended: make(chan struct{}), events: waiters{}, ends: waiters{}, threads: waiters{}}
	if live != nil {
		live.tell = r.tell
	}
	go func() {
		defer close(r.ended)
		var parts sync.WaitGroup
		parts.Go(func() { r.listen(ctx) })
		parts.Go(func() { r.remind(ctx) })
		if store.Shared() {
			parts.Go(func() { r.watch(ctx) })
		}
		parts.Wait()
	}()
	return r
}

// Close ends the subscription. Clients that still follow runs go on, and look once a second.
func (r *Reader) Close() {
	r.stop()
	<-r.ended
}

// listen wakes who waits for a run or a thread that a hint names.
func (r *Reader) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := r.store.Listen(ctx, func(h Hint) {
			switch h.Kind {
			case HintEvents:
				r.tell(h.Run)
			case HintEnd:
				r.tell(h.Run)
				r.tellEnd(h.Run)
			case HintThread:
				r.tellThread(h.Thread)
			case HintQueue, HintCancel:
			}
		})
		if ctx.Err() != nil {
			return
		}
		r.log.Error("hints do not arrive; readers look once a second", "error", err)
		_ = pause(ctx, nil)
	}
}

// remind wakes all who wait for a run once a second, since a hint may be lost: one part of them after the other, or all would ask the store at once.
func (r *Reader) remind(ctx context.Context) {
	const parts = 10
	seed, tick := maphash.MakeSeed(), time.NewTicker(pollReader/parts) //nolint:forbidigo // readers wait in real time
	defer tick.Stop()
	for part := uint64(0); ; part = (part + 1) % parts {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		r.mu.Lock()
		for _, w := range []waiters{r.events, r.ends} {
			for run, waiting := range w {
				if maphash.String(seed, run)%parts == part {
					wake(waiting)
				}
			}
		}
		r.mu.Unlock()
	}
}

// watch wakes who waits for a thread after another process has submitted a run: its hint may be lost, and thousands may wait, who then need not look by
// themselves.
func (r *Reader) watch(ctx context.Context) {
	var newest uint64
	for looks := 1; pause(ctx, nil) == nil; looks++ {
		if !r.watched() {
			continue
		}
		number, err := r.store.NewestRun(ctx)
		// Who looks sees the error, too. Of two runs at the same time, the one with the greater number may be there first.
		if err != nil || number != newest || looks%allLook == 0 {
			newest = number
			r.tellThread("")
		}
	}
}

// allLook is how many times longer it is until all who wait for a thread look by themselves.
const allLook = 30

// watched reports whether anybody waits for a thread.
func (r *Reader) watched() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.threads) > 0
}

// tell wakes those who wait for events of a run; "" wakes all.
func (r *Reader) tell(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events.tell(run)
}

// tellEnd wakes those who wait for the end of a run; "" wakes all.
func (r *Reader) tellEnd(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ends.tell(run)
}

// tellThread wakes those who wait for a thread; "" wakes all.
func (r *Reader) tellThread(thread string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.threads.tell(thread)
}

func (w waiters) tell(id string) {
	if id != "" {
		wake(w[id])
		return
	}
	for _, waiting := range w {
		wake(waiting)
	}
}

func wake(waiting map[chan struct{}]bool) {
	for news := range waiting {
		select {
		case news <- struct{}{}:
		default:
		}
	}
}

// WatchThread returns a channel that has a value when a run may have been submitted to a thread, or the thread removed, since it was last empty, and
// the function that ends this. Who waits for it looks before.
func (r *Reader) WatchThread(thread string) (news <-chan struct{}, end func()) {
	return r.join(r.threads, thread)
}

func (r *Reader) join(w waiters, id string) (news <-chan struct{}, end func()) {
	c := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if w[id] == nil {
		w[id] = map[chan struct{}]bool{}
	}
	w[id][c] = true
	return c, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(w[id], c)
		if len(w[id]) == 0 {
			delete(w, id)
		}
	}
}

// Wait waits for the end of a run and returns it. The error is [ErrNoRun], also if the run is removed
// meanwhile, or that of the context or the store.
func (r *Reader) Wait(ctx context.Context, owner, run string) (*Run, error) {
	news, end := r.join(r.ends, run)
	defer end()
	for {
		got, err := r.store.Run(ctx, owner, run)
		if err != nil || got.Status.Over() {
			return got, err
		}
		if err := pause(ctx, news); err != nil {
			return nil, err
		}
	}
}

func (r *Reader) isOver(ctx context.Context, owner, run string) (bool, error) {
	got, err := r.store.Run(ctx, owner, run)
	if err != nil {
		return false, err
	}
	return got.Status.Over(), nil
}

// pause waits for news, and not longer than a reader waits before it looks by itself.
func pause(ctx context.Context, news <-chan struct{}) error {
	timer := time.NewTimer(pollReader) //nolint:forbidigo // readers wait in real time
	defer timer.Stop()
	select {
	case <-news:
		return nil
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
