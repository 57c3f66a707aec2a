package sqlruns

import (
	"context"
	"database/sql"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// claimedRun is a run that a worker has claimed, with its thread. Nobody else can change them until the transaction ends.
type claimedRun struct {
	thread  *threadRow
	number  int64
	attempt int
}

// lockClaimed locks a run that a worker has claimed, or returns [runs.ErrNotClaimed].
func (s *Store) lockClaimed(ctx context.Context, tx *sql.Tx, w *runs.Worker, id string) (*claimedRun, error) {
	found, err := collect(ctx, s, tx, func(row scanner) (c *claimedRun, err error) {
		c = &claimedRun{}
		c.thread, err = scanThread(row, &c.number, &c.attempt)
		return c, err
	}, `SELECT `+threadColumns+`, r.number, r.attempt FROM agenthost_runs r JOIN agenthost_run_threads t ON t.no = r.thread
		WHERE r.id = $1 AND r.worker = $2 AND r.status = 'running' {alone t, r}`, id, w.ID)
	if err != nil || len(found) == 0 {
		return nil, orMissing(err, runs.ErrNotClaimed)
	}
	return found[0], nil
}

// Finish ends a run, see [runs.Queue].
func (s *Store) Finish(ctx context.Context, w *runs.Worker, o *runs.Outcome) error {
	if err := w.Check(); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	if runs.CheckID(o.Run) != nil {
		return runs.ErrNotClaimed
	}
	now, next := s.now(), false
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		c, err := s.lockClaimed(ctx, tx, w, o.Run)
		switch {
		case err != nil:
			return err
		case !rule.OfAttempt(o.Events, c.attempt):
			return runs.ErrNotClaimed
		}
		rest, err := rule.ChangeThread(&c.thread.rest, true, now, rule.Infallible(o.Thread))
		if err != nil {
			return err
		}
		c.thread.rest = *rest
		if o.Remove {
			_, err = s.exec(ctx, tx, `DELETE FROM agenthost_runs WHERE number = $1`, c.number)
		} else {
			err = s.finish(ctx, tx, w, c, o, now)
		}
		if err != nil {
			return err
		}
		err = s.saveThread(ctx, tx, c.thread)
		next = c.thread.busy
		return err
	})
	if err != nil {
		return err
	}
	s.tell(runs.Hint{Kind: runs.HintEnd, Run: o.Run})
	if next { // another run of the thread waits
		s.tell(runs.Hint{Kind: runs.HintQueue})
	}
	return nil
}

// finish adds the last events of a locked run, and ends it.
func (s *Store) finish(ctx context.Context, tx *sql.Tx, w *runs.Worker, c *claimedRun, o *runs.Outcome, now time.Time) error {
	var r runs.Run
	rule.FinishRun(&r, o, now)
	failure, err := nullable(r.Failure)
	if err != nil {
		return err
	}
	if err := s.addEvents(ctx, tx, w, o.Events); err != nil {
		return err
	}
	_, err = s.exec(ctx, tx, `UPDATE agenthost_runs SET status = $2, failure = $3, after_id = $4, updated = $5, worker = NULL, kept = $6,
		tokens = NOT resumable WHERE number = $1`,
		c.number, string(r.Status), failure, int64(r.After), micros(r.Updated), true)
	return err
}
