package host

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// Purse pays for the model calls of runs, such as from a budget that somebody has for several runs. Its methods may be called from several
// goroutines at once.
type Purse interface {
	// Affords returns why a model may not be called, and nil if it may. The error ends the run like any other error; a [*LimitError] says that the
	// budget is spent. prices are those of the agent; nil: it has none.
	Affords(ctx context.Context, m model.Info, prices *model.Prices) error
	// Pay is told what a model call has cost, in the currency of the agent's prices. It must not depend on the end of ctx, which may have ended
	// already: the call costs the same.
	Pay(ctx context.Context, currency string, cost model.Cost)
}

// WithPurse returns a context in which runs, and the runs of agents inside them, are paid from a purse.
func WithPurse(ctx context.Context, p Purse) context.Context {
	return context.WithValue(ctx, purseKey{}, p)
}

type purseKey struct{}

func purseOf(ctx context.Context) Purse {
	p, _ := ctx.Value(purseKey{}).(Purse)
	return p
}

// pay tells the run's purse of a cost.
func (r *run) pay(ctx context.Context, cost model.Cost) {
	if purse, prices := purseOf(ctx), r.agent.config.Prices; purse != nil && prices != nil && cost != (model.Cost{}) {
		purse.Pay(ctx, prices.Currency, cost)
	}
}

// payCutOff pays for a call that was cut off, so that nobody gets around a budget by leaving before the end of an answer. The provider has not
// said how many tokens it used, so they are estimated: those of the request, and those of the bytes that came.
func (r *run) payCutOff(ctx context.Context, m model.Model, req *model.Request, came int) {
	prices := r.agent.config.Prices
	if prices == nil || purseOf(ctx) == nil {
		return
	}
	used := abi.Usage{OutputTokens: tokensOfBytes(came)}
	used.InputTokens = uint64(max(0, model.CountTokens(m, &abi.Message{Content: req.System})))
	for i := range req.Messages.Len() {
		used.InputTokens += uint64(max(0, model.CountTokens(m, req.Messages.Entry(i).Message())))
	}
	for i := range req.Tools {
		used.InputTokens += tokensOfBytes(req.Tools[i].Msgsize())
	}
	r.pay(ctx, prices.Cost(m.Info(), []abi.Message{{Usage: &used}}))
}

// tokensOfBytes estimates the tokens of a text, as [model.CountTokens] does.
func tokensOfBytes(n int) uint64 {
	const bytesPerToken = 4
	return uint64(max(0, n+bytesPerToken-1)) / bytesPerToken
}
