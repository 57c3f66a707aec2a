//go:build !no_serve

package served

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/config"
)

// Agent is an agent of a server.
type Agent struct {
	Path   string // of its manifest
	Agent  *manifest.Agent
	Config host.Config // that it was built with
}

// Adjust returns a function that changes the configuration of the agent for a server, and notes it. Whoever builds the agent calls it.
func (a *Agent) Adjust(logger *slog.Logger, serve *config.Config) func(*host.Config) {
	return func(c *host.Config) {
		c.Logger = logger
		if c.Durability == "" { // clients go on from any step, and another server takes over after the last one
			c.Durability = host.DurabilityStep
		}
		c.MaxCost = model.Amount(serve.Limits.RunCost)
		a.Config = *c
	}
}

// Check returns an error if the agent cannot be served: it has no name, or there is a budget in money that cannot be kept, because the price of
// a model is missing.
func (a *Agent) Check(serve *config.Config) error {
	if a.Config.Name == "" {
		return Nameless(a.Path)
	}
	for _, limit := range []struct {
		key    string
		amount config.Amount
	}{{"run_cost", serve.Limits.RunCost}, {"owner_cost", serve.Limits.OwnerCost}} {
		if limit.amount == 0 {
			continue
		}
		if err := CheckPrices(&a.Config); err != nil {
			return fmt.Errorf("%s: limits.%s in serve.yaml: %w", a.Path, limit.key, err)
		}
	}
	return nil
}

// InService returns the agent for the service of runs.
func (a *Agent) InService(threads *threadstore.Store) runs.Agent {
	currency := ""
	if a.Config.Prices != nil {
		currency = a.Config.Prices.Currency
	}
	return runs.Agent{
		Agent: a.Agent.Agent, Name: a.Config.Name, Threads: threads, Description: a.Agent.Description, Context: a.Config.ContextSchema,
		Models: slices.Sorted(maps.Keys(a.Config.Models)), Currency: currency,
	}
}
