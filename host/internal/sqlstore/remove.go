package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// deleteThread deletes a thread that nobody has open.
const deleteThread = `DELETE FROM agenthost_threads WHERE name = $1 AND (lease IS NULL OR until < {now})`

// Delete removes a thread, see [checkpoint.Store].
func (s *Store) Delete(ctx context.Context, name string) error {
	saved := true
	err := s.changeSettled(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, _, err := s.thread(ctx, tx, name)
		saved = !errors.Is(err, checkpoint.ErrNoThread)
		if err != nil && saved {
			return err
		}
		result, err := tx.ExecContext(ctx, s.db.SQL(deleteThread), name) // also one that was rolled back to the root
		if err != nil || !saved {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return s.busy(ctx, tx, name)
	})
	if err == nil && !saved {
		return checkpoint.ErrNoThread
	}
	return err
}

// takeThread takes a thread from everybody, unless somebody has it open.
const takeThread = `UPDATE agenthost_threads SET lease = NULL, holder = NULL, until = NULL
	WHERE name = $1 AND (lease IS NULL OR until < {now}) RETURNING no`

// Rollback removes the newest checkpoints of a thread, see [checkpoint.Store].
func (s *Store) Rollback(ctx context.Context, name string, to checkpoint.ID) error {
	return s.changeSettled(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, _, err := s.thread(ctx, tx, name); err != nil {
			return err
		}
		var no int64
		err := tx.QueryRowContext(ctx, s.db.SQL(takeThread), name).Scan(&no)
		if errors.Is(err, sql.ErrNoRows) {
			return s.busy(ctx, tx, name)
		}
		if err != nil {
			return err
		}
		newest, err := newestOf(ctx, tx, no) // now nobody adds one
		switch {
		case err != nil:
			return err
		case to == checkpoint.Root:
			to = 0
		case to > newest:
			return checkpoint.ErrNoCheckpoint
		default:
			if err := exists(ctx, tx, no, to); err != nil {
				return err
			}
		}
		return rollback(ctx, tx, no, newest, to)
	})
}

// newestOf returns the id of the newest checkpoint of a thread.
func newestOf(ctx context.Context, tx *sql.Tx, no int64) (newest checkpoint.ID, err error) {
	err = tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0) FROM agenthost_checkpoints WHERE thread = $1`, no).Scan(&newest)
	if err == nil && newest == 0 {
		err = errMoved
	}
	return newest, err
}

// rollback removes all checkpoints of a locked thread after one of them; 0: all. Others may remember the ids until newest.
func rollback(ctx context.Context, tx *sql.Tx, no int64, newest, to checkpoint.ID) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM agenthost_journal WHERE thread = $1 AND checkpoint >= $2`, no, to); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM agenthost_checkpoints WHERE thread = $1 AND id > $2`, no, to); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE agenthost_threads SET dropped = $2 WHERE no = $1 AND dropped < $2`, no, newest)
	if err != nil {
		return err
	}
	return settle(ctx, tx, no)
}
