package langgraph

import (
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// amount is an amount of money.
type amount model.Amount

// JSONSchema returns the schema of an amount.
func (amount) JSONSchema() openapi.Schema { return openapi.Schema{"type": "number", "minimum": 0} }

// MarshalJSON writes the amount as a number.
func (a amount) MarshalJSON() ([]byte, error) { return model.Amount(a).MarshalJSON() }

// costsDocument says what the runs of an owner have cost.
type costsDocument struct {
	Budget *budgetDocument `json:"budget" jsonschema:"The present budget of the owner; null: there is none."`
	Days   []costDocument  `json:"days"`
}

type budgetDocument struct {
	Amount   amount    `json:"amount"`
	Currency string    `json:"currency"`
	Period   string    `json:"period" enum:"day,month"`
	Spent    amount    `json:"spent"`
	Left     amount    `json:"left"`
	Renews   time.Time `json:"renews_at"`
}

// costDocument is what was spent on a day, or by an owner.
type costDocument struct {
	Day      string `json:"day" jsonschema:"The day in UTC."`
	Currency string `json:"currency"`
	Amount   amount `json:"amount"`
	Unknown  int    `json:"unknown_calls" jsonschema:"The model calls that cost more, but nobody knows how much."`
}

// ownersDocument says what the runs of owners have cost.
type ownersDocument struct {
	Since  string              `json:"since" jsonschema:"The first day, in UTC."`
	Owners []ownerCostDocument `json:"owners" jsonschema:"The owners who have spent most come first."`
}

type ownerCostDocument struct {
	Owner    string `json:"owner"`
	Currency string `json:"currency"`
	Amount   amount `json:"amount"`
	Unknown  int    `json:"unknown_calls"`
}

// costs answers what the runs of the owner have cost.
func (h *Handler) costs(c *call) error {
	since, err := c.day()
	if err != nil {
		return err
	}
	days, err := h.Service.Spent(c.R.Context(), c.Owner, since)
	if err != nil {
		return err
	}
	out := costsDocument{Days: []costDocument{}}
	for i := range days {
		d := &days[i]
		out.Days = append(out.Days, costDocument{d.Day.Format(time.DateOnly), d.Currency, amount(d.Amount), d.Unknown})
	}
	if b := h.Service.Budget(); b != nil {
		spent, err := b.Spent(c.R.Context(), h.Service, c.Owner)
		if err != nil {
			return err
		}
		out.Budget = &budgetDocument{
			Amount: amount(b.Amount), Currency: b.Currency, Period: string(b.Period), Spent: amount(spent), Left: amount(max(0, b.Amount-spent)),
			Renews: b.Period.End(time.Now()), //nolint:forbidigo // budgets go by the calendar
		}
	}
	return c.Answer(out)
}

// ownersCosts answers what the runs of all owners have cost.
func (h *Handler) ownersCosts(c *call) error {
	since, err := c.day()
	if err != nil {
		return err
	}
	limit, err := c.number("limit", 1, runs.DefaultPage)
	if err != nil {
		return err
	}
	owners, err := h.Service.Spenders(c.R.Context(), since, min(limit, runs.MaxPage))
	if err != nil {
		return err
	}
	out := ownersDocument{Since: since.Format(time.DateOnly), Owners: []ownerCostDocument{}}
	for i := range owners {
		o := &owners[i]
		out.Owners = append(out.Owners, ownerCostDocument{o.Owner, o.Currency, amount(o.Amount), o.Unknown})
	}
	return c.Answer(out)
}

// day returns the day of the parameter since; without it, the first of this month.
func (c *call) day() (time.Time, error) {
	text := c.query().Get("since")
	if text == "" {
		return runs.PeriodMonth.Begin(time.Now()), nil //nolint:forbidigo // budgets go by the calendar
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1970 {
		return day, unprocessable("since is '%.40s'; write a day such as 2026-11-01", text)
	}
	return day, nil
}
