package sqlruns

import (
	"context"
	"database/sql"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// Cancel cancels a run, see [runs.Runs].
func (s *Store) Cancel(ctx context.Context, owner, id string, how runs.Cancel) (*runs.Run, error) {
	if err := how.Check(); err != nil {
		return nil, err
	}
	if err := known(owner, id, runs.ErrNoRun); err != nil {
		return nil, err
	}
	var r *runs.Run
	var hints []runs.Hint
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		var thread int64
		if r, thread, err = s.lockRun(ctx, tx, owner, id); err != nil {
			return err
		}
		if r.Status.Over() {
			return runs.ErrRunOver
		}
		if hints, err = s.cancel(ctx, tx, r, how); err != nil || !r.Status.Over() {
			return err
		}
		return s.refreshThread(ctx, tx, thread)
	})
	if err != nil {
		return nil, err
	}
	s.tell(hints...)
	return r, nil
}

// cancel cancels a run of a locked thread that is not over, without a look at the thread.
func (s *Store) cancel(ctx context.Context, tx *sql.Tx, r *runs.Run, how runs.Cancel) (hints []runs.Hint, err error) {
	removed := rule.CancelRun(r, how, s.now())
	if removed {
		_, err = s.exec(ctx, tx, `DELETE FROM agenthost_runs WHERE number = $1`, int64(r.Number))
	} else {
		_, err = s.exec(ctx, tx, `UPDATE agenthost_runs SET status = CASE WHEN $2 = 'interrupted' THEN $2 ELSE status END, cancel = $3, updated = $4
			WHERE number = $1`, int64(r.Number), string(r.Status), string(r.Cancel), micros(r.Updated))
	}
	if !r.Status.Over() {
		return []runs.Hint{{Kind: runs.HintCancel, Run: r.ID}}, err
	}
	return []runs.Hint{{Kind: runs.HintEnd, Run: r.ID}, {Kind: runs.HintQueue}}, err
}

// displace cancels all runs of a locked thread that are not over, for a new one.
func (s *Store) displace(ctx context.Context, tx *sql.Tx, thread int64, by *runs.Run, how runs.Cancel) (hints []runs.Hint, err error) {
	others, err := collect(ctx, s, tx, scanRun,
		`SELECT `+runColumns+` FROM agenthost_runs r WHERE r.thread = $1 AND r.`+unfinished+` ORDER BY r.number`, thread)
	if err != nil {
		return nil, err
	}
	for i := range others {
		if others[i].ID == by.ID {
			return nil, runs.ErrExists
		}
		more, err := s.cancel(ctx, tx, &others[i], how)
		if err != nil {
			return nil, err
		}
		hints = append(hints, more...)
	}
	return hints, nil
}
