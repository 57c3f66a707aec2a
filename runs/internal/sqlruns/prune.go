package sqlruns

import (
	"context"
	"database/sql"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// Expired returns threads that have expired, see [runs.Queue].
func (s *Store) Expired(ctx context.Context, now time.Time, limit int) ([]runs.Thread, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	rows, err := collect(ctx, s, s.db.Reads(), scanSeenThread, `SELECT `+threadColumns+` FROM agenthost_run_threads t
		WHERE t.expiry IS NOT NULL AND t.status <> 'busy' AND t.updated + t.expiry <= $1
		ORDER BY t.updated + t.expiry, t.owner, t.id LIMIT $2`, micros(now), limit)
	return rows, s.db.Failed(err)
}

// pruned is how many runs one transaction prunes.
const pruned = 100

// Prune removes events of old runs, see [runs.Queue]. It works in small transactions.
func (s *Store) Prune(ctx context.Context, before, tokens time.Time) (events int, err error) {
	for _, part := range []struct {
		column string // says which runs may have such events
		before time.Time
		of     string // the condition for the events
	}{{"kept", before, ""}, {"tokens", tokens, ` AND type = '` + runs.TypeToken + `'`}} {
		for more := true; more; {
			var n int
			if n, more, err = s.prune(ctx, part.column, part.before, part.of); err != nil {
				return events, err
			}
			events += n
		}
	}
	_, err = s.exec(ctx, s.db.Writes(), `DELETE FROM agenthost_run_workers WHERE until < {micros} - 3600000000`) // its claims ended an hour ago
	if err == nil {
		_, err = s.exec(ctx, s.db.Writes(), `DELETE FROM agenthost_run_spending WHERE day < $1`, micros(s.now().Add(-runs.KeepSpending)))
	}
	return events, s.db.Failed(err)
}

func (s *Store) prune(ctx context.Context, column string, before time.Time, of string) (events int, more bool, err error) {
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := collect(ctx, s, tx, scanNumber, `SELECT r.number FROM agenthost_runs r WHERE r.`+column+` AND r.updated < $1
			ORDER BY r.updated LIMIT $2 {skip r}`, micros(before), pruned)
		if more = len(rows) == pruned; err != nil || len(rows) == 0 {
			return err
		}
		numbers, err := list(s.dialect, rows)
		if err != nil {
			return err
		}
		if events, err = s.exec(ctx, tx, `DELETE FROM agenthost_run_events WHERE run {in $1}`+of, numbers); err != nil {
			return err
		}
		_, err = s.exec(ctx, tx, `UPDATE agenthost_runs SET `+column+` = $2 WHERE number {in $1}`, numbers, false)
		return err
	})
	return events, more, err
}
