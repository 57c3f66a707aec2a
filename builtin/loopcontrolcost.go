package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// limitCost reads max_cost. The prices of all models must be known: a budget that cannot be kept protects nobody.
func (l *loopController) limitCost(text string, env *host.Env) error {
	if text == "" {
		return nil
	}
	var err error
	if l.maxCost, err = model.ParseAmount(text); err != nil {
		return fmt.Errorf("max_cost: %w", err)
	}
	if l.maxCost == 0 {
		return errors.New("max_cost is 0, so no run could begin; set an amount, or leave it out")
	}
	prices := env.Prices()
	models := map[string]model.Model{"": env.Model}
	maps.Copy(models, env.Models)
	for _, m := range models {
		if err := prices.Check(m.Info()); err != nil {
			return fmt.Errorf("max_cost: %w", err)
		}
	}
	l.currency = prices.Currency
	return nil
}

// beforeModel ends a run that has cost too much.
func (l *loopController) beforeModel(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	spent := rt.Cost()
	switch {
	case spent.Unknown != "":
		return nil, fmt.Errorf("max_cost: nobody knows what the model %q has cost: its provider counts no tokens, or its price is missing; "+
			"add the price, or leave out max_cost", spent.Unknown)
	case spent.Amount < l.maxCost:
		return nil, nil
	default:
		return &host.Update{JumpTo: abi.JumpEnd, Messages: []abi.Message{abi.AI(fmt.Sprintf(
			"Stopped: the run has cost %v %s; max_cost is %v.", spent.Amount, l.currency, l.maxCost))}}, nil
	}
}
