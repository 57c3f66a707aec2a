package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/sqldb"
)

// thread finds a saved thread.
func (s *Store) thread(ctx context.Context, q sqldb.Querier, name string) (no int64, newest checkpoint.ID, err error) {
	err = q.QueryRowContext(ctx, `SELECT t.no, c.id FROM agenthost_threads t JOIN agenthost_checkpoints c ON c.thread = t.no
		WHERE t.name = $1 ORDER BY c.id DESC LIMIT 1`, name).Scan(&no, &newest)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, checkpoint.ErrNoThread
	}
	return no, newest, s.db.Failed(err)
}

// Load returns the contents of a thread, see [checkpoint.Store].
func (s *Store) Load(ctx context.Context, name string, at checkpoint.ID) (t *checkpoint.Thread, err error) {
	if at == checkpoint.Root { // one query needs no transaction
		_, newest, err := s.thread(ctx, s.db.Reads(), name)
		if err != nil {
			return nil, err
		}
		return &checkpoint.Thread{Newest: newest}, nil
	}
	err = s.db.Look(ctx, func(tx *sql.Tx) error {
		no, newest, err := s.thread(ctx, tx, name)
		if err == nil {
			t, err = s.load(ctx, tx, no, newest, at)
		}
		return err
	})
	return t, err
}

// load assembles the contents of a thread.
func (s *Store) load(ctx context.Context, q sqldb.Querier, no int64, newest, at checkpoint.ID) (*checkpoint.Thread, error) {
	switch {
	case at == 0:
		at = newest
	case at > newest:
		return nil, checkpoint.ErrNoCheckpoint
	}
	records, err := s.path(ctx, q, no, at)
	if err != nil {
		return nil, err
	}
	t, err := checkpoint.Fold(records)
	if err != nil {
		return nil, err
	}
	t.Newest = newest
	t.Executions, err = s.executions(ctx, q, no, at)
	return t, err
}

// path returns the checkpoints that lead to one, starting at the last whole one.
func (s *Store) path(ctx context.Context, q sqldb.Querier, no int64, at checkpoint.ID) (path []checkpoint.Record, err error) {
	for next := at; next != 0; {
		before := len(path)
		if path, err = s.stretch(ctx, q, no, next, path); err != nil {
			return nil, err
		}
		if len(path) == before { // missing: Fold reports it, unless it is the one asked for
			break
		}
		last := &path[len(path)-1]
		if last.Whole {
			break
		}
		next = last.Parent
	}
	if len(path) == 0 {
		return nil, checkpoint.ErrNoCheckpoint
	}
	slices.Reverse(path)
	return path, nil
}

// stretchRows is how many rows are read at once on the way back. Older ones may be long and not needed.
const stretchRows = 200

// stretch appends one batch of checkpoints on the way back from next.
func (*Store) stretch(
	ctx context.Context, q sqldb.Querier, no int64, next checkpoint.ID, path []checkpoint.Record,
) ([]checkpoint.Record, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, parent, time, doc FROM agenthost_checkpoints
		WHERE thread = $1 AND id <= $2 ORDER BY id DESC LIMIT $3`, no, next, stretchRows)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	for next != 0 && rows.Next() {
		r, err := scan(rows, next)
		switch {
		case err != nil:
			return nil, err
		case r == nil: // of another branch
			continue
		}
		path = append(path, *r)
		if next = r.Parent; r.Whole {
			break
		}
	}
	return path, rows.Err()
}

// scan reads a row. It returns nil if want is not 0 and the row has another id.
func scan(rows *sql.Rows, want checkpoint.ID) (*checkpoint.Record, error) {
	var id, parent checkpoint.ID
	var at int64
	var doc sql.RawBytes
	if err := rows.Scan(&id, &parent, &at, &doc); err != nil {
		return nil, err
	}
	if want != 0 && id != want {
		return nil, nil //nolint:nilnil // the comment says so
	}
	return checkpoint.DecodeRecord(id, parent, time.UnixMilli(at).UTC(), append([]byte(nil), doc...))
}

// executions returns the executions journalled after a checkpoint.
func (*Store) executions(ctx context.Context, q sqldb.Querier, no int64, at checkpoint.ID) ([]checkpoint.Execution, error) {
	rows, err := q.QueryContext(ctx, `SELECT doc FROM agenthost_journal WHERE thread = $1 AND checkpoint = $2 ORDER BY call, n`, no, at)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	var out []checkpoint.Execution
	for rows.Next() {
		var doc []byte
		if err := rows.Scan(&doc); err != nil {
			return nil, err
		}
		e, err := checkpoint.DecodeExecution(doc)
		if err != nil {
			return nil, err
		}
		out = append(out, *e)
	}
	return out, rows.Err()
}

// History returns checkpoints of a thread, see [checkpoint.Store].
func (s *Store) History(ctx context.Context, name string, before checkpoint.ID, limit int) (out []checkpoint.Record, err error) {
	err = s.db.Look(ctx, func(tx *sql.Tx) error {
		no, newest, err := s.thread(ctx, tx, name)
		if err != nil {
			return err
		}
		if before == 0 || before > newest {
			before = newest + 1
		}
		rows, err := tx.QueryContext(ctx, `SELECT id, parent, time, doc FROM agenthost_checkpoints
			WHERE thread = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, no, before, limit)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // Err reports what matters
		for rows.Next() {
			r, err := scan(rows, 0)
			if err != nil {
				return err
			}
			out = append(out, *r)
		}
		return rows.Err()
	})
	return out, err
}
