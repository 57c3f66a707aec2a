package runs

import (
	"context"
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
	waiting map[string]map[chan struct{}]bool // by the id of the run: who waits for news of it
}

// pollReader is how often a reader looks by itself, since hints may be lost.
const pollReader = time.Second

// NewReader returns a reader of a store, which must be closed. If live is not nil, the reader also gets the events of the runs there, and
// nobody else may read from it. A nil logger logs nothing.
func NewReader(store Store, live *Live, logger *slog.Logger) *Reader {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Reader{store: store, live: live, log: logger, stop: stop, ended: make(chan struct{}), waiting: map[string]map[chan struct{}]bool{}}
	if live != nil {
		live.tell = r.tell
	}
	go r.listen(ctx)
	return r
}

// Close ends the subscription. Clients that still follow runs go on, and look once a second.
func (r *Reader) Close() {
	r.stop()
	<-r.ended
}

// listen wakes who waits for a run that a hint names.
func (r *Reader) listen(ctx context.Context) {
	defer close(r.ended)
	for ctx.Err() == nil {
		err := r.store.Listen(ctx, func(h Hint) {
			if h.Kind == HintEvents {
				r.tell(h.Run)
			}
		})
		if ctx.Err() != nil {
			return
		}
		r.log.Error("hints do not arrive; readers look once a second", "error", err)
		_ = pause(ctx, nil)
	}
}

// tell wakes those who wait for a run; "" wakes all.
func (r *Reader) tell(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run != "" {
		wake(r.waiting[run])
		return
	}
	for _, waiting := range r.waiting {
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

// subscribe returns a channel that has a value when there may be news of a run, and the function that ends this.
func (r *Reader) subscribe(run string) (news <-chan struct{}, end func()) {
	c := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting[run] == nil {
		r.waiting[run] = map[chan struct{}]bool{}
	}
	r.waiting[run][c] = true
	return c, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting[run], c)
		if len(r.waiting[run]) == 0 {
			delete(r.waiting, run)
		}
	}
}

// Wait waits for the end of a run and returns it. The error is [ErrNoRun], also if the run is removed
// meanwhile, or that of the context or the store.
func (r *Reader) Wait(ctx context.Context, owner, run string) (*Run, error) {
	news, end := r.subscribe(run)
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
