package sqlruns

import (
	"context"
	"database/sql"
	"math"

	"github.com/agenthost/agenthost/runs"
)

// Run returns a run, see [runs.Runs].
func (s *Store) Run(ctx context.Context, owner, id string) (*runs.Run, error) {
	if err := known(owner, id, runs.ErrNoRun); err != nil {
		return nil, err
	}
	rows, err := collect(ctx, s, s.db.Reads(), scanRun, `SELECT `+runColumns+` FROM agenthost_runs r WHERE r.id = $1 AND r.owner = $2`, id, owner)
	if err != nil || len(rows) == 0 {
		return nil, s.db.Failed(orMissing(err, runs.ErrNoRun))
	}
	return &rows[0], nil
}

// NewestRun returns the greatest number of a run, see [runs.Queue].
func (s *Store) NewestRun(ctx context.Context) (number uint64, err error) {
	err = s.row(ctx, s.db.Reads(), `SELECT COALESCE(MAX(number), 0) FROM agenthost_runs`).Scan(&number)
	return number, s.db.Failed(err)
}

// FindRuns returns runs of a thread, see [runs.Runs].
func (s *Store) FindRuns(ctx context.Context, owner, thread string, q *runs.RunQuery) ([]runs.Run, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if err := known(owner, thread, runs.ErrNoThread); err != nil {
		return nil, err
	}
	threads, err := collect(ctx, s, s.db.Reads(), scanNumber, `SELECT no FROM agenthost_run_threads WHERE owner = $1 AND id = $2`, owner, thread)
	if err != nil || len(threads) == 0 {
		return nil, s.db.Failed(orMissing(err, runs.ErrNoThread))
	}
	list := &search{from: "agenthost_runs r"}
	list.add("r.thread = ?", threads[0])
	if q.Status != "" {
		list.add("r.status = ?", string(q.Status))
	}
	if q.After > 0 {
		list.add("r.number > ?", int64(min(q.After, math.MaxInt64)))
	}
	statement, args := list.ordered(runColumns, "r.number DESC", q.Limit, q.Offset)
	rows, err := collect(ctx, s, s.db.Reads(), scanRun, statement, args...)
	return rows, s.db.Failed(err)
}

// DeleteRun removes a run, see [runs.Runs].
func (s *Store) DeleteRun(ctx context.Context, owner, id string) error {
	if err := known(owner, id, runs.ErrNoRun); err != nil {
		return err
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		r, thread, err := s.lockRun(ctx, tx, owner, id)
		switch {
		case err != nil:
			return err
		case r.Status == runs.Running:
			return runs.ErrThreadBusy
		}
		if _, err := s.exec(ctx, tx, `DELETE FROM agenthost_runs WHERE number = $1`, int64(r.Number)); err != nil || r.Status.Over() {
			return err
		}
		return s.refreshThread(ctx, tx, thread)
	})
	if err == nil {
		s.tell(runs.Hint{Kind: runs.HintEnd, Run: id}, runs.Hint{Kind: runs.HintQueue})
	}
	return err
}
