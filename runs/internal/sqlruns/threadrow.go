package sqlruns

import (
	"context"
	"database/sql"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// threadRow is a thread at rest.
type threadRow struct {
	no   int64
	rest runs.Thread
	busy bool
}

func (t *threadRow) seen() *runs.Thread { return rule.SeeThread(&t.rest, t.busy) }

const threadColumns = `t.no, t.owner, t.id, t.metadata, t.config, t.rest, t.status, t.agent, t.failure, t.waiting, t.created, t.updated,
	t.stepped, t.expiry, t.temporary`

// scanThread reads the columns of a thread, and others after them.
func scanThread(row scanner, others ...any) (*threadRow, error) {
	t := &threadRow{}
	r := &t.rest
	var status runs.ThreadStatus
	var created, updated, stepped int64
	var expiry sql.NullInt64
	var failure *runs.Failure
	err := row.Scan(append([]any{
		&t.no, &r.Owner, &r.ID,
		decoded[runs.Metadata]{&r.Metadata},
		document{&r.Config},
		&r.Status, &status, &r.Agent,
		decoded[*runs.Failure]{&failure},
		decoded[[]runs.Interrupt]{&r.Waiting},
		&created, &updated, &stepped, &expiry, &r.Temporary,
	}, others...)...)
	if err != nil {
		return nil, err
	}
	t.busy, r.Failure = status == runs.ThreadBusy, failure
	r.Created, r.Updated, r.Stepped = moment(created), moment(updated), moment(stepped)
	if expiry.Valid {
		r.Expiry = &runs.Expiry{After: time.Duration(expiry.Int64) * time.Microsecond}
	}
	return t, nil
}

func scanPlainThread(row scanner) (*threadRow, error) { return scanThread(row) }

// scanSeenThread reads the columns of a thread as clients see it.
func scanSeenThread(row scanner) (runs.Thread, error) {
	t, err := scanThread(row)
	if err != nil {
		return runs.Thread{}, err
	}
	return *t.seen(), nil
}

// threadValues returns the values of the columns that can change: metadata, config, rest, agent, failure, waiting, updated, stepped, expiry
// and temporary.
func threadValues(t *runs.Thread) ([]any, error) {
	metadata, err := metadataText(t.Metadata)
	if err != nil {
		return nil, err
	}
	failure, err := nullable(t.Failure)
	if err != nil {
		return nil, err
	}
	var waiting sql.NullString
	if len(t.Waiting) > 0 {
		if waiting, err = nullable(&t.Waiting); err != nil {
			return nil, err
		}
	}
	var expiry sql.NullInt64
	if e := t.Expiry; e != nil {
		expiry = sql.NullInt64{Int64: e.After.Microseconds(), Valid: true}
	}
	return []any{metadata, textOf(t.Config), string(t.Status), t.Agent, failure, waiting, micros(t.Updated), micros(t.Stepped), expiry, t.Temporary}, nil
}

func metadataText(m runs.Metadata) (string, error) {
	t := runs.Thread{Metadata: m}
	return jsonOf(t.Copy().Metadata)
}

// addThread adds a thread, and returns false if there is one with its id.
func (s *Store) addThread(ctx context.Context, q querier, rest *runs.Thread) (no int64, added bool, err error) {
	values, err := threadValues(rest)
	if err != nil {
		return 0, false, err
	}
	found, err := collect(ctx, s, q, scanNumber, `INSERT INTO agenthost_run_threads
		(owner, id, created, status, metadata, config, rest, agent, failure, waiting, updated, stepped, expiry, temporary)
		VALUES ($1, $2, $3, $6, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (owner, id) DO NOTHING RETURNING no`,
		append([]any{rest.Owner, rest.ID, micros(rest.Created)}, values...)...)
	if err != nil || len(found) == 0 {
		return 0, false, err
	}
	return found[0], true, nil
}

// lockThread returns a thread that nobody else can change until the transaction ends, or [runs.ErrNoThread].
func (s *Store) lockThread(ctx context.Context, tx *sql.Tx, owner, id string) (*threadRow, error) {
	found, err := collect(ctx, s, tx, scanPlainThread,
		`SELECT `+threadColumns+` FROM agenthost_run_threads t WHERE t.owner = $1 AND t.id = $2 {alone t}`, owner, id)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, runs.ErrNoThread
	}
	return found[0], nil
}

// unfinished is the condition that a run is not over. Indexes have the same.
const unfinished = `status IN ('pending', 'running')`

// presentStatus is the status of a locked thread with the number $1 that rests with the status of an argument.
const presentStatus = `CASE WHEN EXISTS (SELECT 1 FROM agenthost_runs WHERE thread = $1 AND ` + unfinished + `) THEN 'busy' ELSE `

// saveThread saves a locked thread, and works out whether it is busy.
func (s *Store) saveThread(ctx context.Context, tx *sql.Tx, t *threadRow) error {
	values, err := threadValues(&t.rest)
	if err != nil {
		return err
	}
	var status runs.ThreadStatus
	err = s.row(ctx, tx, `UPDATE agenthost_run_threads SET metadata = $2, config = $3, rest = $4, status = `+presentStatus+`$4 END, agent = $5,
		failure = $6, waiting = $7, updated = $8, stepped = $9, expiry = $10, temporary = $11 WHERE no = $1 RETURNING status`,
		append([]any{t.no}, values...)...).Scan(&status)
	t.busy = status == runs.ThreadBusy
	return err
}

// refreshThread works out whether a locked thread is busy.
func (s *Store) refreshThread(ctx context.Context, tx *sql.Tx, no int64) error {
	_, err := s.exec(ctx, tx, `UPDATE agenthost_run_threads SET status = `+presentStatus+`rest END, updated = $2 WHERE no = $1`, no, micros(s.now()))
	return err
}
