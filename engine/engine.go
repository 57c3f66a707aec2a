package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// Config configures an engine.
type Config struct {
	Store  runs.Store
	Agents map[string]runs.Agent // by name
	Live   *runs.Live            // gets events before the store has them; nil: nobody does
	Logger *slog.Logger          // nil: nothing is logged
	// Concurrent is how many runs the process performs at once; 0: [DefaultConcurrent].
	Concurrent int
	// Lease is how long the process may be silent before others take over its runs; 0: [DefaultLease].
	Lease time.Duration
	// Poll is how often the process looks for runs that no hint told it of; 0: 1 s.
	Poll time.Duration
	// Began is told of each attempt of a run that begins here, by any goroutine, and must return soon; nil: nobody is told.
	Began func(r *runs.Run)
	// Ended is told of each run that has ended here, by any goroutine, and must return soon; nil: nobody is told.
	Ended func(r *runs.Run)
	// Directed engines claim no runs by themselves: another engine, such as that of package temporal, says which, see [Engine.Perform].
	Directed bool
	// Budget is what the runs of each owner may cost, whichever process performs them; nil: any amount.
	Budget *runs.Budget
	// Timeout is how long one attempt of a run may take, waiting for its turn not included; 0: it is not limited.
	Timeout time.Duration
}

// The defaults of a [Config].
const (
	DefaultConcurrent = 64
	DefaultLease      = 3 * time.Second
)

// Engine performs runs in this process.
type Engine struct {
	config Config
	worker *runs.Worker
	log    *slog.Logger
	events *journal
	wake   chan struct{} // there may be a run to claim
	look   chan struct{} // a run may have to be cancelled

	ctx     context.Context //nolint:containedctx // that of everything
	stop    context.CancelCauseFunc
	stopped sync.WaitGroup

	renewed atomic.Int64 // when the claims were last extended, in nanoseconds since began
	began   time.Time

	mu       sync.Mutex
	attempts map[string]*attempt // by the id of the run
	entering int                 // calls of Perform that have no attempt yet
	draining bool
	full     bool       // a run may wait until another one has ended here
	idle     *sync.Cond // signalled when an attempt has ended
}

// errClosing is the cause of the cancellation of runs when the engine is closed before they have ended.
var errClosing = errors.New("the process ends")

// Start begins to perform runs. The caller must close the engine.
func Start(config Config) (*Engine, error) {
	switch {
	case config.Store == nil:
		return nil, errors.New("engine: the store is missing")
	case len(config.Agents) == 0:
		return nil, errors.New("engine: there are no agents")
	case config.Concurrent < 0 || config.Lease < 0 || config.Poll < 0 || config.Timeout < 0:
		return nil, errors.New("engine: a number or time is negative")
	}
	config.Concurrent = cmp.Or(config.Concurrent, DefaultConcurrent)
	config.Lease = cmp.Or(config.Lease, DefaultLease)
	config.Poll = cmp.Or(config.Poll, time.Second)
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	ctx, stop := context.WithCancelCause(context.Background())
	e := &Engine{
		began:  time.Now(), //nolint:forbidigo // leases go by real time
		config: config, log: config.Logger, ctx: ctx, wake: make(chan struct{}, 1), look: make(chan struct{}, 1), stop: stop, attempts: map[string]*attempt{},
		worker: &runs.Worker{
			ID: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()), Agents: slices.Sorted(maps.Keys(config.Agents)), Lease: config.Lease,
		},
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.idle = sync.NewCond(&e.mu)
	e.events = newJournal(config.Store, config.Live, e.worker, e.log)
	work := []func(context.Context){e.renew, e.listen, e.events.flush}
	if !config.Directed {
		work = append(work, e.claim)
	}
	for _, do := range work {
		e.stopped.Go(func() { do(ctx) })
	}
	return e, nil
}

// Close stops the engine. Runs yield at their next saved step and are given back, so that another process goes on with them. When ctx
// ends, those that have not yielded are cancelled and given back too.
func (e *Engine) Close(ctx context.Context) {
	e.mu.Lock()
	e.draining = true
	for _, a := range e.attempts {
		a.yield.Store(true)
	}
	stop := context.AfterFunc(ctx, func() { e.stop(errClosing) })
	defer stop()
	for len(e.attempts)+e.entering > 0 {
		e.idle.Wait()
	}
	e.mu.Unlock()
	e.stop(errClosing)
	e.stopped.Wait()
}
