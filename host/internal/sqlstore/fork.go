package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// forkThread inserts a new thread, or takes over one that a dead process opened but never saved.
const forkThread = `INSERT INTO agenthost_threads (name, created) VALUES ($1, {now})
	ON CONFLICT (name) DO UPDATE SET created = excluded.created, lease = NULL
	WHERE (agenthost_threads.lease IS NULL OR agenthost_threads.until < {now})
		AND NOT EXISTS (SELECT 1 FROM agenthost_checkpoints c WHERE c.thread = agenthost_threads.no)
	RETURNING no`

// Fork copies a thread, see [checkpoint.Store].
func (s *Store) Fork(ctx context.Context, name string, at checkpoint.ID, into string) error {
	if err := checkpoint.CheckName(into); err != nil {
		return err
	}
	return s.db.Change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var locked int64
		err := tx.QueryRowContext(ctx, s.db.SQL(`SELECT no FROM agenthost_threads WHERE name = $1 {alone}`), name).Scan(&locked)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		no, newest, err := s.thread(ctx, tx, name) // the lock keeps others from saving to it
		if err != nil {
			return err
		}
		switch {
		case at == 0:
			at = newest
		case at > newest:
			return checkpoint.ErrNoCheckpoint
		}
		var copied int64
		err = tx.QueryRowContext(ctx, s.db.SQL(forkThread), into).Scan(&copied)
		if errors.Is(err, sql.ErrNoRows) {
			return checkpoint.ErrThreadExists
		}
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO agenthost_checkpoints (thread, id, parent, time, doc, state)
			WITH RECURSIVE path (id, parent) AS (
				SELECT id, parent FROM agenthost_checkpoints WHERE thread = $1 AND id = $2
				UNION
				SELECT c.id, c.parent FROM agenthost_checkpoints c JOIN path p ON c.thread = $1 AND c.id = p.parent AND c.id < p.id)
			SELECT CAST($3 AS BIGINT), c.id, c.parent, c.time, c.doc, c.state
			FROM path p JOIN agenthost_checkpoints c ON c.thread = $1 AND c.id = p.id ORDER BY c.id`, no, at, copied)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, checkpoint.ErrNoCheckpoint)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO agenthost_journal (thread, checkpoint, call, n, doc)
			SELECT CAST($2 AS BIGINT), checkpoint, call, n, doc FROM agenthost_journal WHERE thread = $1 AND checkpoint = $3`,
			no, copied, at); err != nil {
			return err
		}
		if err := complete(ctx, tx, copied); err != nil {
			return err
		}
		return settle(ctx, tx, copied)
	})
}

// complete reports a copied thread without its first checkpoint, whose path was therefore broken.
func complete(ctx context.Context, tx *sql.Tx, no int64) error {
	var one int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM agenthost_checkpoints WHERE thread = $1 AND parent = 0`, no).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: the first checkpoint of the thread is missing", checkpoint.ErrCorrupt)
	}
	return err
}
