package sqlruns

import (
	"context"
	"database/sql"
	"errors"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// Submit adds a run, see [runs.Runs].
func (s *Store) Submit(ctx context.Context, r *runs.Run, create bool, most int, note func(t *runs.Thread)) error {
	row, err := rule.SubmitRun(r, s.now())
	if err != nil {
		return err
	}
	var hints []runs.Hint
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		hints = []runs.Hint{{Kind: runs.HintQueue, Run: row.ID}, {Kind: runs.HintThread, Thread: row.Thread}}
		t, err := s.threadFor(ctx, tx, row, create)
		if err != nil {
			return err
		}
		if t.busy && row.Strategy == runs.StrategyReject {
			return runs.ErrThreadBusy
		}
		if how := rule.Displaces(row.Strategy); t.busy && how != "" {
			displaced, err := s.displace(ctx, tx, t.no, row, how)
			if err != nil {
				return err
			}
			hints = append(hints, displaced...)
		}
		if most > 0 {
			var n int
			if err := s.row(ctx, tx, `SELECT count(*) FROM agenthost_runs WHERE owner = $1 AND `+unfinished, row.Owner).Scan(&n); err != nil {
				return err
			}
			if n >= most {
				return runs.ErrQueueFull
			}
		}
		rest, err := rule.ChangeThread(&t.rest, true, row.Created, rule.Infallible(note))
		if err != nil {
			return err
		}
		if err := s.addRun(ctx, tx, t.no, row); err != nil {
			return err
		}
		t.rest = *rest
		return s.saveThread(ctx, tx, t)
	})
	if err != nil {
		return err
	}
	*r = *row
	s.tell(hints...)
	return nil
}

// threadFor locks the thread of a new run. It creates a missing thread, if the run may.
func (s *Store) threadFor(ctx context.Context, tx *sql.Tx, r *runs.Run, create bool) (*threadRow, error) {
	for {
		t, err := s.lockThread(ctx, tx, r.Owner, r.Thread)
		if !create || !errors.Is(err, runs.ErrNoThread) {
			return t, err
		}
		rest, err := rule.CreateThread(&runs.Thread{Owner: r.Owner, ID: r.Thread}, r.Created)
		if err != nil {
			return nil, err
		}
		no, added, err := s.addThread(ctx, tx, rest)
		if err != nil || added {
			return &threadRow{no: no, rest: *rest}, err
		}
	}
}
