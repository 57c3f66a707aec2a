package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// Spend adds to what an owner has spent, see [runs.Ledger].
func (s *Store) Spend(ctx context.Context, spent *runs.Spending) error {
	if err := spent.Check(); err != nil {
		return err
	}
	if err := s.begin(ctx, spent.Owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	for i := range s.spending {
		if had := &s.spending[i]; had.Owner == spent.Owner && had.Day.Equal(spent.Day) && had.Currency == spent.Currency {
			*had = had.Plus(spent)
			return nil
		}
	}
	s.spending = append(s.spending, runs.Spending{Owner: spent.Owner, Day: runs.Day(spent.Day), Currency: spent.Currency}.Plus(spent))
	return nil
}

// Spent returns what an owner has spent, see [runs.Ledger].
func (s *Store) Spent(ctx context.Context, owner string, since time.Time) (found []runs.Spending, err error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	for i := range s.spending {
		if spent := &s.spending[i]; spent.Owner == owner && !spent.Day.Before(since) {
			found = append(found, *spent)
		}
	}
	slices.SortFunc(found, func(a, b runs.Spending) int { return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Currency, b.Currency)) })
	return found, nil
}

// Spenders returns who has spent most, see [runs.Queue].
func (s *Store) Spenders(ctx context.Context, since time.Time, limit int) (found []runs.Spending, err error) {
	if err := s.begin(ctx, ""); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	type key struct{ owner, currency string }
	sums := map[key]runs.Spending{}
	for i := range s.spending {
		spent := &s.spending[i]
		if spent.Day.Before(since) {
			continue
		}
		k := key{spent.Owner, spent.Currency}
		sum := sums[k]
		sum.Owner, sum.Day, sum.Currency = spent.Owner, since, spent.Currency
		sum.Amount, sum.Unknown = sum.Amount+spent.Amount, sum.Unknown+spent.Unknown
		sums[k] = sum
	}
	found = slices.SortedFunc(maps.Values(sums), func(a, b runs.Spending) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Currency, b.Currency))
	})
	return found[:min(max(limit, 0), len(found))], nil
}
