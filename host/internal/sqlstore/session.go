package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"math"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/internal/leases"
	"github.com/agenthost/agenthost/internal/sqldb"
)

// These statements write for a run. Without the lease they change nothing. Even a statement that began earlier cannot, because
// a process that takes over the thread waits for it to end ({share}).
const (
	insertCheckpoint = `INSERT INTO agenthost_checkpoints (thread, id, parent, time, doc, state)
		SELECT t.no, COALESCE((SELECT MAX(id) FROM agenthost_checkpoints WHERE thread = t.no AND id > t.dropped), t.dropped) + 1, $1, $2, $3, $6
		FROM agenthost_threads t WHERE t.no = $4 AND t.lease = $5 {share} ON CONFLICT (thread, id) DO NOTHING RETURNING id`
	// A checkpoint that is not the newest one keeps its journal, since a run may go back there.
	emptyJournal = `DELETE FROM agenthost_journal WHERE thread = $1 AND checkpoint = $2
		AND NOT EXISTS (SELECT 1 FROM agenthost_checkpoints WHERE thread = $1 AND id > $2 AND id < $3)`
	// saveCheckpoint does both in one statement.
	saveCheckpoint = `WITH added AS (` + insertCheckpoint + `), emptied AS (DELETE FROM agenthost_journal
			WHERE thread = $4 AND checkpoint = $1 AND EXISTS (SELECT 1 FROM added) AND NOT EXISTS
				(SELECT 1 FROM agenthost_checkpoints c, added WHERE c.thread = $4 AND c.id > $1 AND c.id < added.id))
		SELECT id FROM added`
	noteExecution = `INSERT INTO agenthost_journal (thread, checkpoint, call, n, doc)
		SELECT no, $2, $3, $4, $5 FROM agenthost_threads WHERE no = $1 AND lease = $6 {share}
		ON CONFLICT (thread, checkpoint, call, n) DO UPDATE SET doc = excluded.doc`
)

// session is an open thread.
type session struct {
	store *Store
	name  string
	lease *leases.Lease

	fresh      atomic.Bool   // Open has added the thread, and nothing was saved yet
	at         atomic.Uint64 // the checkpoint last loaded or saved; 0: none
	journalled atomic.Bool   // its journal may not be empty
	unsettled  atomic.Bool   // the last Save has failed, or is not over: it may have written, or still write, a checkpoint
	closed     atomic.Bool
}

// write performs a write, and repeats it once if the connection was cut: only use reveals that an idle connection died with
// its server. Writing twice does no harm, see [checkpoint.Session].
func (s *session) write(ctx context.Context, do func(ctx context.Context) error) error {
	if s.closed.Load() {
		return checkpoint.ErrClosed
	}
	return s.whileHeld(ctx, func(ctx context.Context) error {
		err := s.store.db.Failed(do(ctx))
		if errors.Is(err, checkpoint.ErrUnavailable) && ctx.Err() == nil {
			s.store.db.DropIdle()
			err = do(ctx)
		}
		return err
	})
}

// whileHeld performs do, and cancels it if the lease is lost. It also gives up after the length of two leases: on a connection
// that was cut without notice, an answer may never come.
func (s *session) whileHeld(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*s.store.lease)
	defer cancel()
	stop := context.AfterFunc(s.lease.Held(), cancel)
	defer stop()
	err := do(ctx)
	if err != nil && s.lease.Held().Err() != nil {
		return checkpoint.ErrLost
	}
	return s.store.db.Failed(err)
}

// Load returns the contents of the thread, see [checkpoint.Session].
func (s *session) Load(ctx context.Context, at checkpoint.ID) (t *checkpoint.Thread, err error) {
	if s.fresh.Load() && s.lease.Held().Err() == nil { // nobody else can have saved it
		return nil, ctx.Err() //nolint:nilnil // the interface says so
	}
	err = s.whileHeld(ctx, func(ctx context.Context) (err error) {
		t, err = s.store.Load(ctx, s.name, at)
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
	s.fresh.Store(false)
	s.unsettled.Store(true)
	err = s.write(ctx, func(ctx context.Context) (err error) {
		if c.Parent != 0 && uint64(c.Parent) != s.at.Load() {
			if err := exists(ctx, s.store.db.Reads(), s.lease.Row, c.Parent); err != nil {
				return err
			}
		}
		journalled := s.journalled.Load()
		if !journalled || s.store.db.Compound() {
			statement := insertCheckpoint
			if journalled {
				statement = saveCheckpoint
			}
			return s.store.db.Write(ctx, func(ctx context.Context, q sqldb.Executor) (err error) {
				id, err = s.insert(ctx, q, statement, c, doc)
				return err
			})
		}
		return s.store.db.Change(ctx, func(ctx context.Context, tx *sql.Tx) error {
			if id, err = s.insert(ctx, tx, insertCheckpoint, c, doc); err != nil { // fails without the lease
				return err
			}
			_, err = tx.ExecContext(ctx, emptyJournal, s.lease.Row, c.Parent, id)
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	s.unsettled.Store(false)
	s.journalled.Store(false)
	s.at.Store(uint64(id))
	c.Written = len(doc)
	return id, nil
}

// insert adds a checkpoint by a statement if the session still holds the lease, and returns its id.
func (s *session) insert(ctx context.Context, q sqldb.Querier, statement string, c *checkpoint.Commit, doc []byte) (id checkpoint.ID, err error) {
	for {
		id, err = s.tryInsert(ctx, q, statement, c, doc)
		if err != nil || id != 0 {
			return id, err
		}
		var one int
		err = q.QueryRowContext(ctx, `SELECT 1 FROM agenthost_threads WHERE no = $1 AND lease = $2`, s.lease.Row, s.lease.Token).Scan(&one)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return 0, checkpoint.ErrLost
		case err != nil:
			return 0, err
		}
		// An earlier Save of this session, whose answer was lost, has taken the id.
	}
}

// tryInsert adds a checkpoint. The id is 0 if the lease is lost, or if the id was taken meanwhile.
func (s *session) tryInsert(
	ctx context.Context, q sqldb.Querier, statement string, c *checkpoint.Commit, doc []byte,
) (id checkpoint.ID, err error) {
	rows, err := q.QueryContext(ctx, s.store.db.SQL(statement),
		c.Parent, c.Time.UnixMilli(), doc, s.lease.Row, s.lease.Token, string(c.Checkpoint.State(true)))
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	for rows.Next() {                   // to the end, because only then is the statement done
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
	}
	return id, rows.Err()
}

// exists returns an error if a checkpoint does not exist.
func exists(ctx context.Context, q sqldb.Querier, no int64, id checkpoint.ID) error {
	if id > math.MaxInt64 {
		return checkpoint.ErrNoCheckpoint
	}
	var one int
	err := q.QueryRowContext(ctx, `SELECT 1 FROM agenthost_checkpoints WHERE thread = $1 AND id = $2`, no, id).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return checkpoint.ErrNoCheckpoint
	}
	return err
}

// Journal records an execution of a tool, see [checkpoint.Session].
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
		return s.store.db.Write(ctx, func(ctx context.Context, q sqldb.Executor) error {
			result, err := q.ExecContext(ctx, s.store.db.SQL(noteExecution), s.lease.Row, s.at.Load(), journalKey(e), e.N, doc, s.lease.Token)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil || n == 0 {
				return errors.Join(err, checkpoint.ErrLost)
			}
			return nil
		})
	})
}

// journalKey names a call in the journal: an id may have any length, and bytes that a database does not accept.
func journalKey(e *checkpoint.Execution) string {
	sum := sha256.New()
	_, _ = sum.Write(wire.AppendString(nil, e.Message))
	_, _ = sum.Write([]byte(e.CallID))
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
