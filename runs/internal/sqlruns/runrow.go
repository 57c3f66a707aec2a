package sqlruns

import (
	"context"
	"database/sql"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
)

const runColumns = `r.number, r.owner, r.id, r.thread_id, r.agent, r.assistant, r.task, r.request, r.metadata, r.strategy, r.status, r.failure,
	r.created, r.updated, r.due, r.attempt, r.before_id, r.after_id, r.cancel, r.resumable, r.webhook`

// scanRun reads the columns of a run.
func scanRun(row scanner) (runs.Run, error) {
	var r runs.Run
	var failure *runs.Failure
	var number, created, updated, due, after int64
	var before sql.NullInt64
	err := row.Scan(&number, &r.Owner, &r.ID, &r.Thread, &r.Agent, &r.Assistant, document{&r.Task}, document{&r.Request},
		decoded[runs.Metadata]{&r.Metadata}, &r.Strategy, &r.Status, decoded[*runs.Failure]{&failure}, &created, &updated, &due, &r.Attempt,
		&before, &after, &r.Cancel, &r.Resumable, &r.Webhook)
	r.Number, r.Failure = uint64(number), failure
	r.Created, r.Updated, r.Due = moment(created), moment(updated), moment(due)
	r.Before, r.After = checkpoint.ID(before.Int64), checkpoint.ID(after)
	return r, err
}

// addRun adds a run to a locked thread, and sets its number. The error is [runs.ErrExists] if there is a run with its id.
func (s *Store) addRun(ctx context.Context, tx *sql.Tx, thread int64, r *runs.Run) error {
	metadata, err := metadataText(r.Metadata)
	if err != nil {
		return err
	}
	number, err := collect(ctx, s, tx, scanNumber, `INSERT INTO agenthost_runs
		(thread, owner, id, thread_id, agent, assistant, task, request, metadata, strategy, status, created, updated, due, attempt, after_id, cancel,
		resumable, webhook, kept, tokens)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', $11, $11, $12, 0, 0, '', $13, $14, $15, $15)
		ON CONFLICT (id) DO NOTHING RETURNING number`,
		thread, r.Owner, r.ID, r.Thread, r.Agent, r.Assistant, textOf(r.Task), textOf(r.Request), metadata, string(r.Strategy), micros(r.Created),
		micros(r.Due), r.Resumable, r.Webhook, false)
	switch {
	case err != nil:
		return err
	case len(number) == 0:
		return runs.ErrExists
	}
	r.Number = uint64(number[0])
	return nil
}

// lockRun locks the thread of a run of an owner, and returns the run and the number of the thread, or [runs.ErrNoRun].
func (s *Store) lockRun(ctx context.Context, tx *sql.Tx, owner, id string) (r *runs.Run, thread int64, err error) {
	threads, err := collect(ctx, s, tx, scanNumber, `SELECT t.no FROM agenthost_runs r JOIN agenthost_run_threads t ON t.no = r.thread
		WHERE r.id = $1 AND r.owner = $2 {alone t}`, id, owner)
	if err != nil || len(threads) == 0 {
		return nil, 0, orMissing(err, runs.ErrNoRun)
	}
	// A claim may have changed the run before the thread was locked, so this is a statement of its own.
	rows, err := collect(ctx, s, tx, scanRun, `SELECT `+runColumns+` FROM agenthost_runs r WHERE r.id = $1 AND r.owner = $2`, id, owner)
	if err != nil || len(rows) == 0 {
		return nil, 0, orMissing(err, runs.ErrNoRun)
	}
	return &rows[0], threads[0], nil
}

func orMissing(err, missing error) error {
	if err != nil {
		return err
	}
	return missing
}
