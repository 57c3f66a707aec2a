package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// The state of a thread is in its row while it is closed, so that an index finds it. It is computed from the newest checkpoint,
// which has the state that the thread has if its run dies: that of a thread whose lease has expired.

// closedState is the state of a thread whose session is closed. A run that is not over then has stopped.
const closedState = `COALESCE((
		SELECT CASE c.state WHEN 'orphaned' THEN 'stopped' ELSE c.state END
		FROM agenthost_checkpoints c WHERE c.thread = agenthost_threads.no ORDER BY c.id DESC LIMIT 1), '')`

// closeState keeps it.
const closeState = `UPDATE agenthost_threads SET state = ` + closedState + ` WHERE no = $1`

// settle keeps the state of a closed thread, and computes that of its newest checkpoint if an earlier version has written it.
func settle(ctx context.Context, tx *sql.Tx, no int64) error {
	var id, parent checkpoint.ID
	var doc []byte
	err := tx.QueryRowContext(ctx, `SELECT id, parent, doc FROM agenthost_checkpoints WHERE thread = $1
		AND id = (SELECT MAX(id) FROM agenthost_checkpoints WHERE thread = $1) AND state = ''`, no).Scan(&id, &parent, &doc)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	default:
		record, unreadable := checkpoint.DecodeRecord(id, parent, time.Time{}, doc)
		if unreadable != nil { // whoever reads the thread is told
			break
		}
		_, err := tx.ExecContext(ctx, `UPDATE agenthost_checkpoints SET state = $3 WHERE thread = $1 AND id = $2`,
			no, id, record.Checkpoint.State(true))
		if err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, closeState, no)
	return err
}

// settleBatch is the number of threads that settleAll lists at once.
const settleBatch = 500

// settleAll keeps the states of all threads, which earlier versions did not.
func settleAll(ctx context.Context, tx *sql.Tx) error {
	for after := int64(-1); ; {
		numbers, err := threadsAfter(ctx, tx, after)
		if err != nil {
			return err
		}
		for _, no := range numbers {
			if err := settle(ctx, tx, no); err != nil {
				return err
			}
		}
		if len(numbers) < settleBatch {
			return nil
		}
		after = numbers[len(numbers)-1]
	}
}

// threadsAfter returns the numbers of the next threads.
func threadsAfter(ctx context.Context, tx *sql.Tx, after int64) (numbers []int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT no FROM agenthost_threads WHERE no > $1 ORDER BY no LIMIT $2`, after, settleBatch)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	for rows.Next() {
		var no int64
		if err := rows.Scan(&no); err != nil {
			return nil, err
		}
		numbers = append(numbers, no)
	}
	return numbers, rows.Err()
}
