package sqlruns

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
)

// claimable is the condition that a worker with the agents $1 may claim the run r.
const claimable = `r.` + unfinished + ` AND r.agent {in $1} AND (
	(r.status = 'pending' AND r.due <= {micros} AND NOT EXISTS (SELECT 1 FROM agenthost_runs o WHERE o.thread = r.thread AND o.` + unfinished + `
		AND (o.status = 'running' OR (o.number < r.number AND o.due <= {micros}))))
	OR (r.status = 'running' AND NOT EXISTS (SELECT 1 FROM agenthost_run_workers w WHERE w.id = r.worker AND w.until >= {micros})))`

const (
	seeClaims  = `SELECT r.number FROM agenthost_runs r WHERE ` + claimable + ` LIMIT 1`
	findClaims = `SELECT t.no FROM agenthost_runs r JOIN agenthost_run_threads t ON t.no = r.thread
		WHERE ` + claimable + ` ORDER BY r.number LIMIT $2 {skip t, r}`
	seeClaimIn = `SELECT r.number FROM agenthost_runs r WHERE ` + claimable + `
		AND r.thread = (SELECT no FROM agenthost_run_threads WHERE owner = $2 AND id = $3)`
	listClaims  = `SELECT ` + runColumns + ` FROM agenthost_runs r WHERE ` + claimable + ` ORDER BY r.number LIMIT $2`
	countClaims = `SELECT r.agent, COUNT(*) FROM agenthost_runs r WHERE ` + claimable + ` GROUP BY r.agent`
	takeClaims  = `UPDATE agenthost_runs AS r SET status = 'running', worker = $2, attempt = attempt + 1, updated = $3
		WHERE r.thread {in $4} AND ` + claimable + ` RETURNING `
)

// returned are the columns of a run behind RETURNING, where SQLite does not know r.
var returned = strings.ReplaceAll(runColumns, "r.", "")

// Claim takes runs for a worker, see [runs.Queue].
func (s *Store) Claim(ctx context.Context, w *runs.Worker, limit int) (claimed []runs.Run, err error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	agents, err := list(s.dialect, w.Agents)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		return nil, ctx.Err()
	}
	// Most claims find nothing, so the first look writes nothing and waits for nobody.
	if some, err := collect(ctx, s, s.db.Reads(), scanNumber, seeClaims, agents); err != nil || len(some) == 0 {
		return nil, s.db.Failed(err)
	}
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.extend(ctx, tx, w); err != nil {
			return err
		}
		threads, err := collect(ctx, s, tx, scanNumber, findClaims, agents, limit)
		if err != nil || len(threads) == 0 {
			return err
		}
		// Others may have claimed and ended runs of these threads before they were locked, so this statement looks again.
		numbers, err := list(s.dialect, threads)
		if err != nil {
			return err
		}
		claimed, err = collect(ctx, s, tx, scanRun, takeClaims+returned, agents, w.ID, micros(s.now()), numbers)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(claimed, func(a, b runs.Run) int { return cmp.Compare(a.Number, b.Number) })
	return claimed, nil
}

// ClaimIn takes a run of a thread for a worker, see [runs.Queue].
func (s *Store) ClaimIn(ctx context.Context, w *runs.Worker, owner, thread string) (claimed *runs.Run, err error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	if err := known(owner, thread, runs.ErrNoThread); err != nil {
		return nil, err
	}
	agents, err := list(s.dialect, w.Agents)
	if err != nil {
		return nil, err
	}
	if some, err := collect(ctx, s, s.db.Reads(), scanNumber, seeClaimIn, agents, owner, thread); err != nil || len(some) == 0 {
		if err == nil {
			_, err = s.Thread(ctx, owner, thread)
		}
		return nil, s.db.Failed(err)
	}
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		claimed = nil
		if err := s.extend(ctx, tx, w); err != nil {
			return err
		}
		t, err := s.lockThread(ctx, tx, owner, thread)
		if err != nil {
			return err
		}
		numbers, err := list(s.dialect, []int64{t.no})
		if err != nil {
			return err
		}
		taken, err := collect(ctx, s, tx, scanRun, takeClaims+returned, agents, w.ID, micros(s.now()), numbers)
		if len(taken) > 0 {
			claimed = &taken[0]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// Claimable returns runs that could be claimed, see [runs.Queue].
func (s *Store) Claimable(ctx context.Context, agents []string, limit int) ([]runs.Run, error) {
	wanted, err := list(s.dialect, agents)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		return nil, ctx.Err()
	}
	found, err := collect(ctx, s, s.db.Reads(), scanRun, listClaims, wanted, limit)
	return found, s.db.Failed(err)
}

// Queued counts runs that could be claimed, see [runs.Queue].
func (s *Store) Queued(ctx context.Context, agents []string) (map[string]int, error) {
	wanted, err := list(s.dialect, agents)
	if err != nil {
		return nil, err
	}
	return s.countByAgent(ctx, countClaims, wanted)
}

// Waiting counts threads that wait, see [runs.Queue].
func (s *Store) Waiting(ctx context.Context) (map[string]int, error) {
	return s.countByAgent(ctx, `SELECT t.agent, count(*) FROM agenthost_run_threads t
		WHERE t.status = 'interrupted' AND t.waiting IS NOT NULL GROUP BY t.agent`)
}

func (s *Store) countByAgent(ctx context.Context, statement string, args ...any) (map[string]int, error) {
	found := map[string]int{}
	_, err := collect(ctx, s, s.db.Reads(), func(row scanner) (_ struct{}, err error) {
		var agent string
		var n int
		err = row.Scan(&agent, &n)
		found[agent] = n
		return struct{}{}, err
	}, statement, args...)
	if err != nil {
		return nil, s.db.Failed(err)
	}
	return found, nil
}

// extend extends all claims of a worker.
func (s *Store) extend(ctx context.Context, q querier, w *runs.Worker) error {
	_, err := s.exec(ctx, q, `INSERT INTO agenthost_run_workers (id, until) VALUES ($1, {micros} + $2)
		ON CONFLICT (id) DO UPDATE SET until = excluded.until`, w.ID, max(1, w.Lease.Microseconds()))
	return err
}

// Renew extends the claims of a worker, see [runs.Queue].
func (s *Store) Renew(ctx context.Context, w *runs.Worker, ids []string) (*runs.Renewal, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	if err := s.extend(ctx, s.db.Writes(), w); err != nil {
		return nil, s.db.Failed(err)
	}
	var valid []string
	for _, id := range ids {
		if runs.CheckID(id) == nil {
			valid = append(valid, id)
		}
	}
	held := map[string]runs.Cancel{}
	if len(valid) > 0 {
		wanted, err := list(s.dialect, valid)
		if err != nil {
			return nil, err
		}
		// Who claims runs looks at the worker's row before; so the runs are read after it was written.
		_, err = collect(ctx, s, s.db.Writes(), func(row scanner) (_ struct{}, err error) {
			var id string
			var cancel runs.Cancel
			err = row.Scan(&id, &cancel)
			held[id] = cancel
			return struct{}{}, err
		}, `SELECT id, cancel FROM agenthost_runs WHERE id {in $1} AND worker = $2 AND status = 'running'`, wanted, w.ID)
		if err != nil {
			return nil, s.db.Failed(err)
		}
	}
	out := &runs.Renewal{Cancel: map[string]runs.Cancel{}}
	for _, id := range ids {
		cancel, ok := held[id]
		switch {
		case !ok:
			out.Lost = append(out.Lost, id)
		case cancel != "":
			out.Cancel[id] = cancel
		}
	}
	return out, nil
}

// Begin notes the checkpoint before a run, see [runs.Queue].
func (s *Store) Begin(ctx context.Context, w *runs.Worker, id string, newest checkpoint.ID) (before checkpoint.ID, err error) {
	if err := w.Check(); err != nil {
		return 0, err
	}
	if runs.CheckID(id) != nil {
		return 0, runs.ErrNotClaimed
	}
	found, err := collect(ctx, s, s.db.Writes(), scanNumber, `UPDATE agenthost_runs SET before_id = COALESCE(before_id, $3)
		WHERE id = $1 AND worker = $2 AND status = 'running' RETURNING before_id`, id, w.ID, int64(newest))
	if err != nil || len(found) == 0 {
		return 0, s.db.Failed(orMissing(err, runs.ErrNotClaimed))
	}
	return checkpoint.ID(found[0]), nil
}

// Release gives a run back, see [runs.Queue].
func (s *Store) Release(ctx context.Context, w *runs.Worker, id string) error {
	if err := w.Check(); err != nil {
		return err
	}
	if runs.CheckID(id) != nil {
		return runs.ErrNotClaimed
	}
	n, err := s.exec(ctx, s.db.Writes(), `UPDATE agenthost_runs SET status = 'pending', worker = NULL, updated = $3
		WHERE id = $1 AND worker = $2 AND status = 'running'`, id, w.ID, micros(s.now()))
	if err != nil || n == 0 {
		return s.db.Failed(orMissing(err, runs.ErrNotClaimed))
	}
	s.tell(runs.Hint{Kind: runs.HintQueue, Run: id})
	return nil
}
