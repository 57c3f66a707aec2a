package sqlruns

import (
	"context"
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/runs"
)

// Spend adds to what an owner has spent, see [runs.Ledger].
func (s *Store) Spend(ctx context.Context, spent *runs.Spending) error {
	if err := spent.Check(); err != nil {
		return err
	}
	_, err := s.exec(ctx, s.db.Writes(), `INSERT INTO agenthost_run_spending AS had (owner, day, currency, amount, unknown) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (owner, day, currency) DO UPDATE SET
			amount = CASE WHEN had.amount > $6 - excluded.amount THEN $6 ELSE had.amount + excluded.amount END,
			unknown = had.unknown + excluded.unknown`,
		spent.Owner, micros(spent.Day), spent.Currency, int64(min(spent.Amount, runs.MaxSpending)), spent.Unknown, int64(runs.MaxSpending))
	return s.db.Failed(err)
}

// Spent returns what an owner has spent, see [runs.Ledger].
func (s *Store) Spent(ctx context.Context, owner string, since time.Time) ([]runs.Spending, error) {
	if err := runs.CheckOwner(owner); err != nil {
		return nil, err
	}
	rows, err := collect(ctx, s, s.db.Reads(), func(row scanner) (runs.Spending, error) {
		spent, day, amount := runs.Spending{Owner: owner}, int64(0), int64(0)
		err := row.Scan(&day, &spent.Currency, &amount, &spent.Unknown)
		spent.Day, spent.Amount = moment(day), model.Amount(amount)
		return spent, err
	}, `SELECT day, currency, amount, unknown FROM agenthost_run_spending WHERE owner = $1 AND day >= $2 ORDER BY day, currency`, owner, micros(since))
	return rows, s.db.Failed(err)
}

// Spenders returns who has spent most, see [runs.Queue].
func (s *Store) Spenders(ctx context.Context, since time.Time, limit int) ([]runs.Spending, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	rows, err := collect(ctx, s, s.db.Reads(), func(row scanner) (runs.Spending, error) {
		spent, amount := runs.Spending{Day: since}, int64(0)
		err := row.Scan(&spent.Owner, &spent.Currency, &amount, &spent.Unknown)
		spent.Amount = model.Amount(amount)
		return spent, err
	}, `SELECT owner, currency, CAST(sum(amount) AS bigint), CAST(sum(unknown) AS bigint) FROM agenthost_run_spending WHERE day >= $1
		GROUP BY owner, currency ORDER BY sum(amount) DESC, owner, currency LIMIT $2`, micros(since), limit)
	return rows, s.db.Failed(err)
}
