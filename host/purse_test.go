package host_test

import (
	"context"
	"iter"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// wallet is a purse with an amount of money.
type wallet struct {
	mu       sync.Mutex
	has      model.Amount
	paid     []model.Cost
	currency string
}

func (w *wallet) Affords(context.Context, model.Info, *model.Prices) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.has <= 0 {
		return &host.LimitError{Code: host.CodeCostLimit, Step: host.ModelStep, Message: "the wallet is empty"}
	}
	return nil
}

func (w *wallet) Pay(_ context.Context, currency string, cost model.Cost) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.has, w.paid, w.currency = w.has-cost.Amount, append(w.paid, cost), currency
}

func TestAPursePaysForARunAndTheAgentsInsideIt(t *testing.T) {
	t.Parallel()
	inside := setup(t, spends(2000, scripted.Say("found")))
	inside.Prices = euro()
	inner := inside.build()
	b := setup(t, spends(1000, calls("delegate")), spends(500, scripted.Say("done")))
	b.Prices = euro()
	b.tool("delegate", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		_, err := tool.RunAgent(ctx, rt, "inner", inner, hi())
		return host.TextOutput("found"), err
	})
	w := &wallet{has: 10 * eur}
	result, err := b.build().Run(host.WithPurse(t.Context(), w), hi())
	require.NoError(t, err)
	require.Equal(t, model.Cost{Amount: eur * 7 / 2}, result.Cost)
	require.Equal(t, []model.Cost{{Amount: eur}, {Amount: 2 * eur}, {Amount: eur / 2}}, w.paid, "each call is paid once")
	require.Equal(t, "EUR", w.currency)
}

func TestAnEmptyPurseEndsARun(t *testing.T) {
	t.Parallel()
	b := setup(t, spends(1000, calls("search")), scripted.Say("never")).answering("search", "found")
	b.Prices = euro()
	_, err := b.build().Run(host.WithPurse(t.Context(), &wallet{has: eur}), hi())
	var over *host.LimitError
	require.ErrorAs(t, err, &over)
	require.Equal(t, host.CodeCostLimit, over.Code)
}

// talker streams a long answer until its caller leaves.
type talker struct{ leave context.CancelFunc }

func (talker) Info() model.Info { return model.Info{Name: "scripted"} }

func (m talker) Generate(ctx context.Context, _ *model.Request) (*model.Response, error) {
	m.leave()
	return nil, context.Cause(ctx)
}

func (m talker) Stream(ctx context.Context, _ *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if yield(model.Chunk{Text: "twelve bytes"}, nil) {
			m.leave()
			yield(model.Chunk{}, context.Cause(ctx))
		}
	}
}

// Whoever leaves before the end of an answer pays for what the provider has read and written.
func TestACallThatIsCutOffIsPaid(t *testing.T) {
	t.Parallel()
	prices := euro()
	prices.Models["scripted"] = model.Price{Input: 1_000_000 * eur, Output: 10_000_000 * eur}
	for streams, want := range map[bool]model.Amount{false: eur, true: 31 * eur} { // "hi" is a token, and the bytes are three
		ctx, leave := context.WithCancel(t.Context())
		agent, err := host.New(host.Config{Model: talker{leave}, Prices: prices})
		require.NoError(t, err)
		w := &wallet{has: eur}
		ctx = host.WithPurse(ctx, w)
		if streams {
			_, err = agent.RunEvents(ctx, hi(), func(host.Event) error { return nil })
		} else {
			_, err = agent.Run(ctx, hi())
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, []model.Cost{{Amount: want}}, w.paid)
		require.NoError(t, agent.Close())
	}
}
