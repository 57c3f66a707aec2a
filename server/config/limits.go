package config

import (
	"fmt"
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/runs"
)

// Limits says how much clients may ask for. None can be turned off.
type Limits struct {
	Body strictyaml.Size `yaml:"body" schema:"default=4MiB"` // the largest body of a request; default 4MiB
	// bytes of bodies of all requests that are in memory at once, without the first 64 KiB of each; default 128MiB, at least body
	Bodies strictyaml.Size `yaml:"bodies" schema:"default=128MiB"`
	// how long the body of a request may take to arrive; default 30s
	BodyTimeout     time.Duration `yaml:"body_timeout" strict:"min=1s,max=1h" schema:"default=30s"`
	RunsPerOwner    int           `yaml:"runs_per_owner" strict:"min=1" schema:"default=200"`    // runs of one owner that are not over; default 200
	StreamsPerOwner int           `yaml:"streams_per_owner" strict:"min=1" schema:"default=200"` // streams that one owner may read at once; default 200
	Streams         int           `yaml:"streams" strict:"min=1" schema:"default=10000"`         // streams of all owners at once; default 10000
	// requests that one key, or one address without keys, may send in a second, on average; default 100
	RequestsPerSecond float64 `yaml:"requests_per_second" strict:"min=0.001,max=1000000" schema:"default=100"`
	Burst             int     `yaml:"burst" strict:"min=1,max=1000000" schema:"default=200"` // requests that may come at once after a pause; default 200
	// wrong keys and tokens that one address may send in a minute; default 30
	FailedLogins int           `yaml:"failed_logins" strict:"min=1,max=1000000" schema:"default=30"`
	RunTimeout   time.Duration `yaml:"run_timeout" strict:"min=1s" schema:"default=1h"` // the longest time of a run; default 1h
	// what a run may cost, such as 0.50, in the currency of the agents' prices, which must name all their models; default: any amount
	RunCost Amount `yaml:"run_cost"`
	// what the runs of one owner may cost in each owner_cost_period, in the same currency; default: any amount
	OwnerCost       Amount      `yaml:"owner_cost"`
	OwnerCostPeriod runs.Period `yaml:"owner_cost_period" strict:"enum=day|month" schema:"default=month"` // in UTC; default month
}

// Amount is an amount of money.
type Amount model.Amount

// UnmarshalStrict reads a number or a text.
func (a *Amount) UnmarshalStrict(n strictyaml.Node) error {
	var value any
	if err := n.Decode(&value); err != nil {
		return err
	}
	amount, err := model.ParseAmount(fmt.Sprint(value))
	switch {
	case err != nil:
		return n.Errorf("%w", err)
	case amount == 0:
		return n.Errorf("the amount must be more than 0; leave it out for any amount")
	}
	*a = Amount(amount)
	return nil
}

// JSONSchema returns the schema of an amount.
func (Amount) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"type": "number", "exclusiveMinimum": 0}, map[string]any{"type": "string"}}}
}

// OwnerBudget returns what the runs of each owner may cost, in a currency; nil: any amount.
func (l *Limits) OwnerBudget(currency string) *runs.Budget {
	if l.OwnerCost == 0 {
		return nil
	}
	return &runs.Budget{Amount: model.Amount(l.OwnerCost), Currency: currency, Period: l.OwnerCostPeriod}
}

// maxBody is the largest limit of bodies: they are read into memory.
const maxBody = 1 << 30

func defaultLimits() Limits {
	return Limits{
		Body: 4 << 20, Bodies: 128 << 20, BodyTimeout: 30 * time.Second, RunsPerOwner: 200, StreamsPerOwner: 200, Streams: 10_000,
		RequestsPerSecond: 100, Burst: 200, FailedLogins: 30, RunTimeout: time.Hour, OwnerCostPeriod: runs.PeriodMonth,
	}
}

// CheckStrict checks the size.
func (l *Limits) CheckStrict(n strictyaml.Node) error {
	if body, ok := n.Get("body"); ok && (l.Body < 1 || l.Body > maxBody) {
		return body.Errorf("body must be from 1B to 1GiB, because bodies are read into memory")
	}
	if bodies, ok := n.Get("bodies"); ok && l.Bodies < l.Body {
		return bodies.Errorf("bodies is less than body, so the largest bodies would never fit; name at least as many bytes")
	}
	l.Bodies = max(l.Bodies, l.Body)
	return nil
}
