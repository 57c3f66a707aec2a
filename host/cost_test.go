package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// euro are prices in which a thousand tokens of input cost a unit.
func euro() *model.Prices {
	return &model.Prices{Currency: "EUR", Models: map[string]model.Price{"scripted": {Input: 1000 * 1_000_000_000}}}
}

// spends makes a turn cost tokens.
func spends(tokens uint64, turn scripted.Turn) scripted.Turn {
	turn.Message.Usage = &abi.Usage{InputTokens: tokens, TotalTokens: tokens}
	return turn
}

const eur = model.Amount(1_000_000_000)

func TestCostOfStepsRunsAndThreads(t *testing.T) {
	t.Parallel()
	b := setup(t, spends(1000, calls("search")), spends(500, scripted.Say("one")), spends(2000, scripted.Say("two"))).keeps().answering("search", "found")
	b.Prices = euro()
	agent := b.build()
	var costs []model.Amount
	in := say("hi")
	result, err := agent.RunEvents(t.Context(), in, func(e host.Event) error {
		if e.Cost != nil {
			costs = append(costs, *e.Cost)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []model.Amount{eur, eur / 2, eur * 3 / 2}, costs, "two model calls and the run")
	require.Equal(t, model.Cost{Amount: eur * 3 / 2}, result.Cost)
	result = completed(t, b.build(), say("again"))
	require.Equal(t, model.Cost{Amount: 2 * eur}, result.Cost)
	require.Equal(t, model.Cost{Amount: eur * 7 / 2}, result.ThreadCost, "also after its process has ended")
}

// A run that goes on has spent what its earlier parts spent.
func TestTheCostOfARunSurvivesItsInterrupts(t *testing.T) {
	t.Parallel()
	b := setup(t, spends(1000, calls("ask")), spends(1000, scripted.Say("done"))).keeps()
	b.Prices = euro()
	b.tool("ask", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		if rt.Answers().Get("q").IsZero() {
			return nil, &host.InterruptError{Interrupts: []abi.Interrupt{{Key: "q"}}}
		}
		return host.TextOutput("thanks"), nil
	})
	interrupted(t, b.build(), say("hi"))
	require.Equal(t, model.Cost{Amount: 2 * eur}, completed(t, b.build(), resume(host.Answer{Value: "yes"})).Cost)
}

func TestABudgetInMoney(t *testing.T) {
	t.Parallel()
	limit := func(t *testing.T, b *bundle, text string, modelCalls int) {
		t.Helper()
		made := 0
		_, err := b.build().RunEvents(t.Context(), hi(), func(e host.Event) error {
			if e.Type == host.EventModel {
				made++
			}
			return nil
		})
		var over *host.LimitError
		require.ErrorAs(t, err, &over)
		require.Equal(t, host.CodeCostLimit, over.Code)
		require.ErrorContains(t, err, text)
		require.Equal(t, modelCalls, made)
	}
	t.Run("is kept", func(t *testing.T) {
		t.Parallel()
		b := setup(t, spends(1000, calls("search")), spends(1000, calls("search")), scripted.Say("never")).answering("search", "found")
		b.Prices, b.MaxCost = euro(), 2*eur
		limit(t, b, "the run has cost 2 EUR; its budget is 2 EUR", 2)
	})
	t.Run("without prices, nothing is called", func(t *testing.T) {
		t.Parallel()
		b := setup(t, scripted.Say("never"))
		b.MaxCost = eur
		limit(t, b, `the model "scripted": its price is unknown, so a budget in money cannot be kept; add the model to prices`, 0)
	})
	t.Run("without counts of tokens, nothing more is called", func(t *testing.T) {
		t.Parallel()
		b := setup(t, calls("search"), scripted.Say("never")).answering("search", "found")
		b.Prices, b.MaxCost = euro(), eur
		limit(t, b, "does not say how many tokens it uses", 1)
	})
	t.Run("counts what hooks ask models", func(t *testing.T) {
		t.Parallel()
		b := setup(t, spends(1000, scripted.Say("by the hook")), scripted.Say("never"))
		b.Prices, b.MaxCost = euro(), eur
		b.use(host.BeforeModel("asks", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			_, err := rt.Generate(ctx, rt.Model(), &model.Request{Messages: rt.State().Messages()})
			return nil, err
		}))
		limit(t, b, "the run has cost 1 EUR", 1)
	})
}
