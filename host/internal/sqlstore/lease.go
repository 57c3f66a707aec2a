package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/internal/leases"
	"github.com/agenthost/agenthost/internal/sqldb"
)

// A run holds a lease on its thread: Open takes it, the store renews it, and Close releases it. When a process dies, its
// leases expire, and another process can open the threads.

// These are the default and the minimum length of a lease. It is renewed three times in that period.
const (
	DefaultLease = 15 * time.Second
	MinLease     = 100 * time.Millisecond
)

// takeLease takes a thread that nobody has open, and adds it if there is none: then, the lease is its first token; otherwise, the second.
// A thread that was rolled back to the root is new.
const takeLease = `INSERT INTO agenthost_threads (name, created, lease, holder, until) VALUES ($1, {now}, $2, $4, {now} + $5)
	ON CONFLICT (name) DO UPDATE SET lease = $3, holder = excluded.holder, until = excluded.until,
	created = CASE WHEN agenthost_threads.dropped > 0 AND NOT EXISTS (SELECT 1 FROM agenthost_checkpoints WHERE thread = agenthost_threads.no)
		THEN excluded.created ELSE agenthost_threads.created END
	WHERE agenthost_threads.lease IS NULL OR agenthost_threads.until < {now} RETURNING no, lease`

// Open opens a thread, see [checkpoint.Store].
func (s *Store) Open(ctx context.Context, name string) (checkpoint.Session, error) {
	if err := checkpoint.CheckName(name); err != nil {
		return nil, err
	}
	opened := &session{store: s, name: name}
	ctx, cancel := context.WithTimeout(ctx, s.lease) // a lease that takes longer to get has expired
	defer cancel()
	added, taken := token(), token()
	var key leases.Key
	var began time.Time
	err := s.whileMoved(func() error {
		began = now()
		return s.db.Write(ctx, func(ctx context.Context, q sqldb.Executor) error {
			err := q.QueryRowContext(ctx, s.db.SQL(takeLease), name, added, taken, s.holder, s.lease.Milliseconds()).Scan(&key.Row, &key.Token)
			if errors.Is(err, sql.ErrNoRows) {
				return s.busy(ctx, q, name)
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	opened.fresh.Store(key.Token == added)
	opened.lease = s.renewals.Add(key, began)
	return opened, nil
}

// errMoved reports a thread that was closed or removed between two statements.
var errMoved = errors.New("the thread was closed in the meantime")

// changeSettled performs do as change does, and repeats it while the thread moves.
func (s *Store) changeSettled(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	return s.whileMoved(func() error { return s.db.Change(ctx, do) })
}

// whileMoved performs do, and repeats it while the thread moves.
func (*Store) whileMoved(do func() error) error {
	for {
		if err := do(); !errors.Is(err, errMoved) {
			return err
		}
	}
}

// busy returns the error for a thread that is open elsewhere.
func (*Store) busy(ctx context.Context, q sqldb.Querier, name string) error {
	var holder sql.NullString
	var until sql.NullInt64
	err := q.QueryRowContext(ctx, `SELECT holder, until FROM agenthost_threads WHERE name = $1`, name).Scan(&holder, &until)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && !until.Valid:
		return errMoved
	case err != nil:
		return err
	default:
		return &checkpoint.BusyError{Holder: holder.String, Until: time.UnixMilli(until.Int64)}
	}
}

// now returns the time by this machine's clock. A lease lasts in real time, whatever the agent's clock says, and counts from
// just before the request for it.
func now() time.Time { return time.Now() } //nolint:forbidigo // see the comment

// Lost returns a channel that is closed when the lease is lost.
func (s *session) Lost() <-chan struct{} { return s.lease.Held().Done() }

// closing limits how long Close tries to release the lease. It never tries longer than the lease lasts, after which the lease
// expires by itself.
const closing = 5 * time.Second

// Close releases the lease, see [checkpoint.Session].
func (s *session) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.lease.Release()
	if s.lease.Held().Err() != nil {
		return nil // there is no lease to release
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(closing, s.store.lease))
	defer cancel()
	if s.at.Load() == 0 || s.unsettled.Load() { // one statement would not see what it has waited for
		return s.store.db.Change(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.release(ctx, tx) })
	}
	return s.store.db.Write(ctx, func(ctx context.Context, q sqldb.Executor) error {
		_, err := q.ExecContext(ctx, closeThread, s.lease.Row, s.lease.Token)
		return err // if the lease has expired, another run has the thread
	})
}

// closeThread releases a lease, and keeps the state of the thread.
const closeThread = `UPDATE agenthost_threads SET lease = NULL, holder = NULL, until = NULL, state = ` + closedState + ` WHERE no = $1 AND lease = $2`

// These statements do the same one after the other. The first one waits for a Save of this session whose answer was lost, so that the
// others see what it has written.
const (
	releaseLease = `UPDATE agenthost_threads SET lease = NULL, holder = NULL, until = NULL WHERE no = $1 AND lease = $2`
	forgetThread = `DELETE FROM agenthost_threads WHERE no = $1
		AND dropped = 0 AND NOT EXISTS (SELECT 1 FROM agenthost_checkpoints WHERE thread = $1)`
)

// release releases the lease. A thread that was never saved is forgotten.
func (s *session) release(ctx context.Context, tx *sql.Tx) error {
	result, err := tx.ExecContext(ctx, releaseLease, s.lease.Row, s.lease.Token)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return err // the lease has expired, and another run has the thread
	}
	if _, err := tx.ExecContext(ctx, closeState, s.lease.Row); err != nil {
		return err
	}
	if s.at.Load() != 0 {
		return nil // it was saved
	}
	_, err = tx.ExecContext(ctx, forgetThread, s.lease.Row)
	return err
}
