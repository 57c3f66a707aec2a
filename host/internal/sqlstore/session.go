package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// The statements of a run. Whoever has not got the lease any more changes nothing by them, also not by one that began
// before: who takes the thread waits for its end ({share}).
const (
	insertCheckpoint = `INSERT INTO agenthost_checkpoints (thread, id, parent, time, doc)
		SELECT t.no, 1 + (SELECT COALESCE(MAX(id), 0) FROM agenthost_checkpoints WHERE thread = t.no), $1, $2, $3
		FROM agenthost_threads t WHERE t.no = $4 AND t.lease = $5 {share} ON CONFLICT (thread, id) DO NOTHING RETURNING id`
	emptyJournal  = `DELETE FROM agenthost_journal WHERE thread = $1 AND checkpoint = $2`
	noteExecution = `INSERT INTO agenthost_journal (thread, checkpoint, call, n, doc)
		SELECT no, $2, $3, $4, $5 FROM agenthost_threads WHERE no = $1 AND lease = $6 {share}
		ON CONFLICT (thread, checkpoint, call, n) DO UPDATE SET doc = excluded.doc`
	renewLease = `UPDATE agenthost_threads SET until = {now} + $1 WHERE no = $2 AND lease = $3`
)

// session is a run's hold on a thread.
type session struct {
	db    *Database
	no    int64
	name  string
	lease string

	at         atomic.Uint64 // the checkpoint that this session has loaded or saved last; 0: none
	journalled atomic.Bool   // something is in its journal, or may be
	closed     atomic.Bool
	lost       chan struct{}
	held       context.Context //nolint:containedctx // a session has a life of its own: this ends when the lease is lost
	stop       context.CancelFunc
	renewing   sync.WaitGroup
}

// begin keeps the lease that was given at a time.
func (s *session) begin(given time.Time) {
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.lost = stop, make(chan struct{})
	held, lose := context.WithCancelCause(context.Background())
	s.held = held
	s.renewing.Go(func() {
		if s.renew(ctx, given) {
			lose(checkpoint.ErrLost)
			close(s.lost)
		}
	})
}

// write performs a write of the session, and once more if the way to the database was cut: connections that were idle when
// a server went away are found out only so. To write twice does no harm, see [checkpoint.Session].
func (s *session) write(ctx context.Context, do func(ctx context.Context) error) error {
	if s.closed.Load() {
		return checkpoint.ErrClosed
	}
	return s.whileHeld(ctx, func(ctx context.Context) error {
		err := s.db.failed(do(ctx))
		if errors.Is(err, checkpoint.ErrUnavailable) && ctx.Err() == nil {
			s.db.dropIdle()
			err = do(ctx)
		}
		return err
	})
}

// whileHeld performs something that ends at the latest when the lease is lost. What does not answer for so long that two
// leases are over may never do so, although others do: on a connection that was cut, and nobody was told.
func (s *session) whileHeld(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*s.db.lease)
	defer cancel()
	stop := context.AfterFunc(s.held, cancel)
	defer stop()
	err := do(ctx)
	if err != nil && s.held.Err() != nil {
		return checkpoint.ErrLost
	}
	return s.db.failed(err)
}

// now is the time by this machine's clock: a lease lasts in real time, whatever the agent's clock says, and is counted from
// before it was asked for.
func now() time.Time { return time.Now() } //nolint:forbidigo // see the comment

// renew renews the lease until ctx ends, or it is lost, which it reports.
func (s *session) renew(ctx context.Context, renewed time.Time) (lost bool) {
	every := s.db.lease / 3
	ticks := time.NewTicker(every) //nolint:forbidigo // as now
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-ticks.C:
		}
		began := now()
		try, cancel := context.WithTimeout(ctx, every)
		result, err := s.db.writes.ExecContext(try, s.db.sql(renewLease), s.db.lease.Milliseconds(), s.no, s.lease)
		cancel()
		taken := false
		if err == nil {
			n, failure := result.RowsAffected()
			taken = failure == nil && n == 0
			renewed = began
		}
		if ctx.Err() == nil && (taken || now().Sub(renewed)+every > s.db.lease) {
			return true
		}
	}
}

// Lost is closed when the lease is lost.
func (s *session) Lost() <-chan struct{} { return s.lost }

// Load returns what the thread holds, see [checkpoint.Session].
func (s *session) Load(ctx context.Context, at checkpoint.ID) (t *checkpoint.Thread, err error) {
	err = s.whileHeld(ctx, func(ctx context.Context) (err error) {
		t, err = s.db.Load(ctx, s.name, at)
		return err
	})
	switch {
	case errors.Is(err, checkpoint.ErrNoThread):
		return nil, nil //nolint:nilnil // the interface says so
	case err == nil:
		s.at.Store(uint64(t.ID))
		s.journalled.Store(true)
	}
	return t, err
}

// Save adds a checkpoint to the thread, see [checkpoint.Session].
func (s *session) Save(ctx context.Context, c *checkpoint.Commit) (id checkpoint.ID, err error) {
	doc, err := c.Encode()
	if err != nil {
		return 0, err
	}
	err = s.write(ctx, func(ctx context.Context) (err error) {
		if c.Parent != 0 && uint64(c.Parent) != s.at.Load() {
			if err := s.exists(ctx, c.Parent); err != nil {
				return err
			}
		}
		if !s.journalled.Load() {
			id, err = s.insert(ctx, s.db.writes, c, doc)
			return err
		}
		return s.db.change(ctx, func(tx *sql.Tx) error {
			if id, err = s.insert(ctx, tx, c, doc); err != nil { // who has not got the lease ends here
				return err
			}
			if id != c.Parent+1 { // the journal of a checkpoint that was left for another branch stays: somebody may go back
				return nil
			}
			_, err = tx.ExecContext(ctx, emptyJournal, s.no, c.Parent)
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	s.journalled.Store(false)
	s.at.Store(uint64(id))
	return id, nil
}

// insert adds a checkpoint, if the lease is still there, and returns its id.
func (s *session) insert(ctx context.Context, q querier, c *checkpoint.Commit, doc []byte) (id checkpoint.ID, err error) {
	for {
		id, err = s.tryInsert(ctx, q, c, doc)
		if err != nil || id != 0 {
			return id, err
		}
		var one int
		err = q.QueryRowContext(ctx, `SELECT 1 FROM agenthost_threads WHERE no = $1 AND lease = $2`, s.no, s.lease).Scan(&one)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return 0, checkpoint.ErrLost
		case err != nil:
			return 0, err
		}
		// The id was taken meanwhile, by a Save of this session whose answer was lost.
	}
}

// tryInsert adds a checkpoint. The id is 0 if the lease is not there, or if somebody else has taken the id meanwhile.
func (s *session) tryInsert(ctx context.Context, q querier, c *checkpoint.Commit, doc []byte) (id checkpoint.ID, err error) {
	rows, err := q.QueryContext(ctx, s.db.sql(insertCheckpoint), c.Parent, c.Time.UnixMilli(), doc, s.no, s.lease)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // Err tells what matters
	for rows.Next() {                   // to the end: the statement is done then, and not before
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
	}
	return id, rows.Err()
}

// exists reports a checkpoint that is not there.
func (s *session) exists(ctx context.Context, id checkpoint.ID) error {
	if id > math.MaxInt64 {
		return checkpoint.ErrNoCheckpoint
	}
	var one int
	err := s.db.reads.QueryRowContext(ctx, `SELECT 1 FROM agenthost_checkpoints WHERE thread = $1 AND id = $2`, s.no, id).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return checkpoint.ErrNoCheckpoint
	}
	return err
}

// Journal notes an execution of a tool, see [checkpoint.Session].
func (s *session) Journal(ctx context.Context, e *checkpoint.Execution) error {
	doc, err := e.Encode()
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context) error {
		if s.at.Load() == 0 {
			return checkpoint.ErrNoCheckpoint
		}
		s.journalled.Store(true)
		result, err := s.db.writes.ExecContext(ctx, s.db.sql(noteExecution), s.no, s.at.Load(), journalKey(e), e.N, doc, s.lease)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, checkpoint.ErrLost)
		}
		return nil
	})
}

// journalKey names a call in the journal: an id may be of any length, and have bytes that a database does not take.
func journalKey(e *checkpoint.Execution) string {
	sum := sha256.New()
	_, _ = sum.Write(wire.AppendString(nil, e.Message))
	_, _ = sum.Write([]byte(e.CallID))
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// closing is how long Close tries to give the lease back, at most as long as it lasts: then it expires by itself.
const closing = 5 * time.Second

// Close gives the lease back, see [checkpoint.Session].
func (s *session) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.stop()
	s.renewing.Wait()
	if s.held.Err() != nil {
		return nil // there is nothing to give back
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(closing, s.db.lease))
	defer cancel()
	return s.db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM agenthost_threads WHERE no = $1 AND lease = $2
			AND NOT EXISTS (SELECT 1 FROM agenthost_checkpoints WHERE thread = $1)`, s.no, s.lease)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE agenthost_threads SET lease = NULL, holder = NULL, until = NULL
			WHERE no = $1 AND lease = $2`, s.no, s.lease)
		return err
	})
}
