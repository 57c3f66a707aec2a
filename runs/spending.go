package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/host/model"
)

// Spending is what the runs of an owner have cost on a day.
type Spending struct {
	Owner    string
	Day      time.Time // its first moment, in UTC
	Currency string
	Amount   model.Amount
	// Unknown counts the model calls whose cost nobody knows, because the price of the model is missing, or the provider does not say how many
	// tokens it used.
	Unknown int
}

// Costs says what the runs of an owner have cost, whatever has become of the runs and threads themselves.
type Costs interface {
	// Spent returns what an owner has spent since a day, for each day and currency, the earliest first.
	Spent(ctx context.Context, owner string, since time.Time) ([]Spending, error)
}

// Ledger is the side of a store for those who pay, and for operators.
type Ledger interface {
	// Spend adds to what an owner has spent on a day.
	Spend(ctx context.Context, spent *Spending) error
	// Spenders returns what owners have spent since a day, the largest amount first; at most limit. The day of each is the given one.
	Spenders(ctx context.Context, since time.Time, limit int) ([]Spending, error)
}

// KeepSpending is how long a store keeps what owners have spent.
const KeepSpending = 400 * 24 * time.Hour

// MaxSpending is the most that a store keeps of a day, so that sums of many days are exact: nine million units of a currency.
const MaxSpending model.Amount = 1 << 53

// Plus returns what was spent after more was spent on the same day.
func (s Spending) Plus(more *Spending) Spending {
	s.Amount = min(model.Cost{Amount: s.Amount}.Add(model.Cost{Amount: more.Amount}).Amount, MaxSpending)
	s.Unknown += more.Unknown
	return s
}

// Day returns the first moment of a day in UTC.
func Day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// Check returns an error that wraps [ErrInvalidValue] if no store can keep it.
func (s *Spending) Check() error {
	switch err := first(CheckOwner(s.Owner), checkName("the currency", s.Currency, 1, maxWord), checkTime("the day", s.Day)); {
	case err != nil:
		return err
	case s.Day.IsZero() || !s.Day.Equal(Day(s.Day)):
		return fmt.Errorf("the day %v is not the first moment of a day in UTC: %w", s.Day, ErrInvalidValue)
	case s.Amount < 0 || s.Unknown < 0:
		return fmt.Errorf("the cost %v with %d unknown calls is negative: %w", s.Amount, s.Unknown, ErrInvalidValue)
	}
	return nil
}
