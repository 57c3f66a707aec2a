package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// maxChanges is how many changes share a transaction at most. The first of them waits for all others.
const maxChanges = 32

// group performs changes one after the other, and commits those together that arrive meanwhile: they wait for the disk only once. It is for a database
// with one writer, where each change would otherwise wait for the disk while all others wait for it.
//
// A change has a savepoint, so that its failure leaves the others as they are. It is not interrupted when its context ends: SQLite then rolls back the
// whole transaction, and with it what others have done.
type group struct {
	db      *sql.DB
	options *sql.TxOptions

	mu    sync.Mutex
	taken bool            // somebody has the turn
	queue []chan struct{} // of those who wait for the turn; who gets it has its channel closed

	open *batch // nil: there is no transaction; only who has the turn may use it
}

// batch is a transaction that changes share.
type batch struct {
	tx      *sql.Tx
	release context.CancelFunc
	changes int
	done    chan struct{} // closed when the transaction has ended
	err     error         // why it was not committed; to be read when done is closed
}

// change performs do in a transaction that others may share, and returns when that is committed.
func (g *group) change(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	if err := g.enter(ctx); err != nil {
		return err
	}
	b, err := g.join(ctx, do)
	if err != nil {
		return err
	}
	<-b.done
	return b.err
}

// join performs do in the open transaction, and passes on the turn.
func (g *group) join(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) (b *batch, err error) {
	defer g.leave() // also when do panics
	if g.open == nil {
		if err := g.begin(ctx); err != nil {
			return nil, err
		}
	}
	b = g.open
	b.changes++
	if b.changes == 1 { // nobody else's change is in it yet
		settled := false
		defer func() {
			if !settled {
				g.abort(err)
			}
		}()
		err = do(context.WithoutCancel(ctx), b.tx)
		settled = err == nil
		return b, err
	}
	return b, g.within(ctx, b, do)
}

// within performs do behind the changes of others.
func (g *group) within(ctx context.Context, b *batch, do func(ctx context.Context, tx *sql.Tx) error) (err error) {
	ctx = context.WithoutCancel(ctx)
	if _, err := b.tx.ExecContext(ctx, "SAVEPOINT change"); err != nil {
		g.abort(err)
		return err
	}
	end := "ROLLBACK TO change; RELEASE change"
	defer func() {
		if _, ending := b.tx.ExecContext(ctx, end); ending != nil { // such as after a full disk, when SQLite has rolled back everything
			err = errors.Join(err, ending)
			g.abort(err)
		}
	}()
	if err = do(ctx, b.tx); err == nil {
		end = "RELEASE change"
	}
	return err
}

// begin begins a transaction. Once it has begun, it does not depend on ctx.
func (g *group) begin(ctx context.Context) error {
	inside, release := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, release)
	tx, err := g.db.BeginTx(inside, g.options)
	if !detach() && err == nil {
		err = errors.Join(ctx.Err(), tx.Rollback())
	}
	if err != nil {
		release()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	g.open = &batch{tx: tx, release: release, done: make(chan struct{})}
	return nil
}

// abort rolls back the open transaction.
func (g *group) abort(cause error) {
	b := g.open
	if b == nil {
		return
	}
	if cause == nil {
		cause = errors.New("a change panicked")
	}
	_ = b.tx.Rollback() // the cause matters
	g.end(b, fmt.Errorf("a transaction was rolled back that another change shared: %w", cause))
}

// end ends the open transaction for all whose changes are in it.
func (g *group) end(b *batch, err error) {
	g.open = nil
	b.err = err
	b.release()
	close(b.done)
}

// enter waits for the turn.
func (g *group) enter(ctx context.Context) error {
	g.mu.Lock()
	if !g.taken {
		g.taken = true
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.queue = append(g.queue, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	if at := slices.Index(g.queue, turn); at >= 0 {
		g.queue = slices.Delete(g.queue, at, at+1)
		g.mu.Unlock()
		return ctx.Err()
	}
	g.mu.Unlock()
	g.leave() // the turn came at the same time, and others may rely on who has it to commit
	return ctx.Err()
}

// leave passes on the turn. If nobody waits, or the transaction has enough changes, it commits before.
func (g *group) leave() {
	for {
		b := g.open
		g.mu.Lock()
		switch {
		case len(g.queue) > 0 && (b == nil || b.changes < maxChanges):
			next := g.queue[0]
			g.queue = slices.Delete(g.queue, 0, 1)
			close(next)
			g.mu.Unlock()
			return
		case b == nil:
			g.taken = false
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		g.end(b, b.tx.Commit())
	}
}
