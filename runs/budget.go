package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// Budget is what the runs of each owner may cost in a period.
type Budget struct {
	Amount   model.Amount
	Currency string
	Period   Period
}

// Period is how long a budget lasts before the next one begins.
type Period string

// The periods begin at midnight in UTC.
const (
	PeriodDay   Period = "day"
	PeriodMonth Period = "month"
)

// Begin returns when the period of a time began.
func (p Period) Begin(t time.Time) time.Time {
	if p == PeriodMonth {
		t = t.UTC()
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return Day(t)
}

// End returns when the next period begins.
func (p Period) End(t time.Time) time.Time {
	if p == PeriodMonth {
		return p.Begin(t).AddDate(0, 1, 0)
	}
	return p.Begin(t).AddDate(0, 0, 1)
}

// ErrBudgetSpent means that an owner has spent a budget. It is wrapped in a [BudgetError].
var ErrBudgetSpent = errors.New("the budget is spent")

// BudgetError says that an owner has spent a budget.
type BudgetError struct {
	Budget Budget
	Spent  model.Amount
	Renews time.Time // when the next period begins
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %v %s for this %s is spent: the runs of its owner have cost %v %s; the next one begins on %s (UTC)",
		e.Budget.Amount, e.Budget.Currency, e.Budget.Period, e.Spent, e.Budget.Currency, e.Renews.Format(time.DateOnly))
}

// Unwrap returns [ErrBudgetSpent].
func (*BudgetError) Unwrap() error { return ErrBudgetSpent }

// Spent returns what an owner has spent of the present budget.
func (b *Budget) Spent(ctx context.Context, l Costs, owner string) (model.Amount, error) {
	days, err := l.Spent(ctx, owner, b.Period.Begin(time.Now())) //nolint:forbidigo // budgets go by the calendar
	if err != nil {
		return 0, err
	}
	sum := model.Cost{}
	for i := range days {
		if days[i].Currency == b.Currency {
			sum = sum.Add(model.Cost{Amount: days[i].Amount})
		}
	}
	return sum.Amount, nil
}

// Check returns a [*BudgetError] if an owner has spent the present budget. A nil budget is never spent.
func (b *Budget) Check(ctx context.Context, l Costs, owner string) error {
	if b == nil {
		return nil
	}
	spent, err := b.Spent(ctx, l, owner)
	if err == nil && spent >= b.Amount {
		err = &BudgetError{*b, spent, b.Period.End(time.Now())} //nolint:forbidigo // budgets go by the calendar
	}
	return err
}

// Account pays for the model calls of a run. With a budget, each call is written before the next one may be made, so that the budget holds over
// all runs of the owner and all processes. Without one, [Account.Settle] writes what the run has cost. It is a [host.Purse].
type Account struct {
	store  Store
	budget *Budget // nil: any amount
	owner  string
	log    *slog.Logger

	mu     sync.Mutex
	unpaid map[string]Spending // that could not be written yet, by currency
	lacks  string              // a model of the run whose cost is unknown; "": none
}

var _ host.Purse = (*Account)(nil)

// NewAccount returns the account of a run of an owner.
func NewAccount(s Store, b *Budget, owner string, log *slog.Logger) *Account {
	return &Account{store: s, budget: b, owner: owner, log: log, unpaid: map[string]Spending{}}
}

// Affords returns a [*host.LimitError] if the owner has spent the budget, or if it could not be kept because the price of the model is unknown.
func (a *Account) Affords(ctx context.Context, m model.Info, prices *model.Prices) error {
	if a.budget == nil {
		return nil
	}
	if err := prices.Check(m); err != nil {
		return overBudget(err)
	}
	if prices.Currency != a.budget.Currency {
		return overBudget(fmt.Errorf("the model %q has a price in %s, and the budget of the owner is in %s; use one currency",
			m.Name, prices.Currency, a.budget.Currency))
	}
	a.mu.Lock()
	lacks := a.lacks
	a.mu.Unlock()
	if lacks != "" {
		return overBudget(fmt.Errorf("the run has used the model %q, which does not say how many tokens it uses, or whose price is unknown, "+
			"so the budget of its owner cannot be kept", lacks))
	}
	err := a.Settle(ctx)
	if err == nil {
		err = a.budget.Check(ctx, a.store, a.owner)
	}
	if errors.Is(err, ErrBudgetSpent) {
		return overBudget(err)
	}
	return err
}

func overBudget(err error) error {
	return &host.LimitError{Code: host.CodeCostLimit, Step: host.ModelStep, Message: err.Error()}
}

// payTime is how long it may take to write what a call has cost, when its run has ended meanwhile.
const payTime = 10 * time.Second

// Pay notes what a model call has cost.
func (a *Account) Pay(ctx context.Context, currency string, cost model.Cost) {
	a.mu.Lock()
	spent := a.unpaid[currency]
	spent.Amount = model.Cost{Amount: spent.Amount}.Add(cost).Amount
	if cost.Unknown != "" {
		spent.Unknown++
		a.lacks = cost.Unknown
	}
	a.unpaid[currency] = spent
	a.mu.Unlock()
	if a.budget == nil {
		return
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), payTime)
	defer done()
	if err := a.Settle(ctx); err != nil {
		a.log.Warn("what a model call has cost cannot be written; trying again before the next one", "owner", a.owner, "error", err)
	}
}

// Settle writes what could not be written before. If a connection breaks at the wrong moment, a cost may be written twice.
func (a *Account) Settle(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for currency, spent := range a.unpaid {
		spent.Owner, spent.Currency, spent.Day = a.owner, currency, Day(time.Now()) //nolint:forbidigo // budgets go by the calendar
		if err := a.store.Spend(ctx, &spent); err != nil {
			return err
		}
		delete(a.unpaid, currency)
	}
	return nil
}
