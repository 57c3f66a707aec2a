package host

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
)

// affords returns why a model may not be called: the run has spent its budget, or nobody could say whether it has.
func (r *run) affords(ctx context.Context, m model.Info) error {
	maximum, prices := r.agent.config.MaxCost, r.agent.config.Prices
	if purse := purseOf(ctx); purse != nil {
		if err := purse.Affords(ctx, m, prices); err != nil {
			return err
		}
	}
	if maximum == 0 {
		return nil
	}
	spent := r.budget.usage.spent()
	refused := &LimitError{Code: CodeCostLimit, Step: ModelStep}
	switch err := prices.Check(m); {
	case err != nil:
		refused.Message = err.Error()
	case spent.Unknown != "":
		refused.Message = fmt.Sprintf("the run has used the model %q, which does not say how many tokens it uses, or whose price is unknown, "+
			"so its budget of %v %s cannot be kept", spent.Unknown, maximum, prices.Currency)
	case spent.Amount >= maximum:
		refused.Message = fmt.Sprintf("the run has cost %v %s; its budget is %v %s", spent.Amount, prices.Currency, maximum, prices.Currency)
	default:
		return nil
	}
	return refused
}

// count adds what an answer of a model used and cost, and returns what it cost.
func (r *run) count(ctx context.Context, m model.Info, answer []abi.Message) model.Cost {
	cost := model.Cost{}
	if prices := r.agent.config.Prices; prices != nil {
		cost = prices.Cost(m, answer)
	}
	r.budget.usage.add(answer, cost)
	r.pay(ctx, cost)
	return cost
}

// shownCost returns a cost as events show it: nil if it is not known.
func (r *run) shownCost(c model.Cost) *model.Amount {
	if r.agent.config.Prices == nil {
		return nil
	}
	return c.Known()
}

// Cost returns what the run's model calls have cost so far, with those of [Runtime.Generate] and [Runtime.Spend].
func (rt *Runtime) Cost() model.Cost { return rt.run.budget.usage.spent() }

// Count counts a model call that the run does not know of, because a hook or tool has made it by itself, as one of the run.
func (rt *Runtime) Count(ctx context.Context, m model.Info, used abi.Usage) {
	rt.run.count(ctx, m, []abi.Message{{Usage: &used}})
}

// Affords returns why the run may not pay for a call of a model that it does not know of; nil: it may.
func (rt *Runtime) Affords(ctx context.Context, m model.Info) error { return rt.run.affords(ctx, m) }

// Prices returns the prices of the agent; nil: it has none.
func (e *Env) Prices() *model.Prices {
	if e.config == nil {
		return nil
	}
	return e.config.Prices
}

// keptCost returns a cost as checkpoints have it.
func keptCost(c model.Cost) checkpoint.Cost {
	return checkpoint.Cost{Amount: int64(c.Amount), Unknown: c.Unknown}
}

func costOf(c checkpoint.Cost) model.Cost {
	return model.Cost{Amount: model.Amount(c.Amount), Unknown: c.Unknown}
}
