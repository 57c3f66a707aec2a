package engine

import (
	"context"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// claim claims runs and performs them until the context ends.
func (e *Engine) claim(ctx context.Context) {
	poll := time.NewTicker(e.config.Poll) //nolint:forbidigo // what waits in a queue waits in real time
	defer poll.Stop()
	for {
		e.claimAll(ctx)
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-poll.C:
		}
	}
}

// claimAll claims as many runs as the process may perform and are there.
func (e *Engine) claimAll(ctx context.Context) {
	for {
		e.mu.Lock()
		free := e.config.Concurrent - len(e.attempts)
		if e.draining {
			free = 0
		}
		e.full = free <= 0
		e.mu.Unlock()
		if free <= 0 {
			return
		}
		claimed, err := e.config.Store.Claim(ctx, e.worker, free)
		if err != nil {
			if ctx.Err() == nil {
				e.log.Error("runs cannot be claimed; trying again", "error", err)
			}
			return
		}
		for i := range claimed {
			e.begin(ctx, &claimed[i])
		}
		if len(claimed) < free {
			return
		}
	}
}

// begin begins an attempt of a claimed run.
func (e *Engine) begin(ctx context.Context, r *runs.Run) *attempt {
	a := newAttempt(ctx, e, r)
	e.mu.Lock()
	e.attempts[r.ID] = a
	a.yield.Store(e.draining)
	e.mu.Unlock()
	e.stopped.Go(func() {
		defer func() {
			e.mu.Lock()
			delete(e.attempts, r.ID)
			e.idle.Broadcast()
			full := e.full
			e.mu.Unlock()
			if full {
				signal(e.wake)
			}
			close(a.done)
		}()
		a.perform()
	})
	return a
}

// renew extends the claims of the process three times a lease, and learns which runs are to end.
func (e *Engine) renew(ctx context.Context) {
	tick := time.NewTicker(e.config.Lease / 3) //nolint:forbidigo // leases go by real time
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-e.look:
		}
		e.renewAll(ctx)
	}
}

func (e *Engine) renewAll(ctx context.Context) {
	e.mu.Lock()
	ids := make([]string, 0, len(e.attempts))
	for id := range e.attempts {
		ids = append(ids, id)
	}
	e.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	asked := time.Since(e.began) //nolint:forbidigo // leases go by real time
	learned, err := e.config.Store.Renew(ctx, e.worker, ids)
	if err != nil {
		if ctx.Err() == nil {
			e.log.Error("claims cannot be renewed; trying again", "error", err)
		}
		return
	}
	e.extended(asked)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range learned.Lost {
		if a := e.attempts[id]; a != nil {
			a.cancel(runs.ErrNotClaimed)
		}
	}
	for id, how := range learned.Cancel {
		if a := e.attempts[id]; a != nil {
			a.cancel(&cancelled{how})
		}
	}
}

// listen acts on hints until the context ends.
func (e *Engine) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := e.config.Store.Listen(ctx, func(h runs.Hint) {
			switch h.Kind {
			case runs.HintQueue:
				signal(e.wake)
			case runs.HintCancel:
				signal(e.look)
			default:
			}
		})
		if ctx.Err() == nil {
			e.log.Error("hints of other processes do not arrive; looking from time to time", "error", err)
			_ = wait(ctx, e.config.Poll)
		}
	}
}

// extended notes that the claims were extended, some time after the engine began.
func (e *Engine) extended(at time.Duration) { e.renewed.Store(int64(at)) }

// Alive reports whether the claims of the process last, as far as it knows. If not, others may take over its runs.
func (e *Engine) Alive() bool {
	return time.Since(e.began)-time.Duration(e.renewed.Load()) < e.config.Lease //nolint:forbidigo // leases go by real time
}
