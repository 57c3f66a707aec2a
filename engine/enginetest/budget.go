package enginetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
)

// The owner has a budget for two model calls, which is spent in the second run. A process that starts later knows that.
func aBudgetIsKeptByAllProcesses(t *testing.T, start Start) {
	t.Helper()
	spends := func(turn scripted.Turn) scripted.Turn {
		turn.Message.Usage = &abi.Usage{InputTokens: 1_000_000, TotalTokens: 1_000_000}
		return turn
	}
	again := scripted.CallTools(abi.Call("1", "look", map[string]any{}))
	r := setup(t, start, spends(scripted.Say("one")), spends(again), scripted.Say("never"))
	r.config.Prices = &model.Prices{Currency: "EUR", Models: map[string]model.Price{"scripted": {Input: 5}}}
	r.config.Tools = []host.Tool{tool.Func("look", "Looks.", func(context.Context, struct{}) (string, error) { return "found", nil })}
	budget := func(c *engine.Config) { c.Budget = &runs.Budget{Amount: 10, Currency: "EUR", Period: runs.PeriodMonth} }
	first := r.start(budget)
	require.Equal(t, runs.Success, r.over(r.submit(say("hi"))).Status)
	cut := r.over(r.submit(say("hi")))
	require.Equal(t, runs.Failed, cut.Status)
	require.Equal(t, "limit_error", cut.Failure.Type)
	require.Contains(t, cut.Failure.Message, "the budget of 0.00000001 EUR for this month is spent")
	first.Close(t.Context())

	r.start(budget)
	refused := r.over(r.submit(say("hi")))
	require.Equal(t, "limit_error", refused.Failure.Type)
	require.NotContains(t, r.events(refused), "1 model model", "no model is called") //nolint:dupword // a type and a step

	other := r.over(r.submit(say("hi"), func(run *runs.Run) { run.Owner, run.Thread = "bob", "b" }))
	require.Equal(t, runs.Success, other.Status, "the budget is that of each owner")
	spent, err := r.store.Spenders(t.Context(), runs.PeriodMonth.Begin(r.thread().Updated), 10)
	require.NoError(t, err)
	require.Len(t, spent, 2)
	require.Equal(t, []any{"ann", "EUR", model.Amount(10), 0}, []any{spent[0].Owner, spent[0].Currency, spent[0].Amount, spent[0].Unknown})
	require.Equal(t, []any{"bob", model.Amount(0), 1}, []any{spent[1].Owner, spent[1].Amount, spent[1].Unknown}, "its answer counts no tokens")
}

// Without a budget, a run writes what it has cost when it ends, also if it fails.
func costsAreNoted(t *testing.T, start Start) {
	t.Helper()
	turn := scripted.Say("one")
	turn.Message.Usage = &abi.Usage{InputTokens: 2_000_000, TotalTokens: 2_000_000}
	r := setup(t, start, turn)
	r.config.Prices = &model.Prices{Currency: "EUR", Models: map[string]model.Price{"scripted": {Input: 5}}}
	r.start()
	r.over(r.submit(say("hi")))
	spent, err := r.store.Spent(t.Context(), "ann", runs.PeriodMonth.Begin(r.thread().Updated))
	require.NoError(t, err)
	require.Len(t, spent, 1)
	require.Equal(t, model.Amount(10), spent[0].Amount)
}
