package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/runs"
)

// servedAgent is an agent of a server.
type servedAgent struct {
	path   string // of its manifest
	agent  *manifest.Agent
	config host.Config // that it was built with
}

// build builds the agent of a manifest for a server.
func (s *serving) build(ctx context.Context, path string, options manifest.Options, logger *slog.Logger) (*servedAgent, error) {
	served := &servedAgent{path: path}
	s.app.file = path
	var err error
	if served.agent, err = s.load(ctx, options, served.adjust(logger, s.maxCost)); err != nil {
		return nil, err
	}
	if err := served.affordable(s.maxCost); err != nil {
		return nil, &exitError{exitUsage, errors.Join(fmt.Errorf("%s: limits.run_cost in serve.yaml: %w", path, err), served.agent.Close())}
	}
	if served.config.Name == "" {
		return nil, &exitError{exitUsage, errors.Join(nameless(path), served.agent.Close())}
	}
	return served, nil
}

// adjust returns a function that changes the configuration of the agent for a server, and notes it.
func (a *servedAgent) adjust(logger *slog.Logger, maxCost model.Amount) func(*host.Config) {
	return func(c *host.Config) {
		c.Logger = logger
		if c.Durability == "" { // clients go on from any step, and another server takes over behind the last one
			c.Durability = host.DurabilityStep
		}
		c.MaxCost = maxCost
		a.config = *c
	}
}

// affordable returns an error if the runs have a budget in money that cannot be kept, because the price of a model is missing.
func (a *servedAgent) affordable(maxCost model.Amount) error {
	if maxCost == 0 {
		return nil
	}
	return pricesAll(&a.config)
}

// pricesAll returns an error if the price of a model is missing.
func pricesAll(config *host.Config) error {
	if err := config.Prices.Check(config.Model.Info()); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(config.Models)) {
		if err := config.Prices.Check(config.Models[name].Info()); err != nil {
			return err
		}
	}
	return nil
}

// nameless is the error of a manifest whose agent cannot be served.
func nameless(path string) error {
	return fmt.Errorf("%s: the agent has no name; clients ask for it by its name, so add name", path)
}

// inService returns the agent for the service of runs.
func (a *servedAgent) inService(threads *threadstore.Store) runs.Agent {
	return runs.Agent{
		Agent: a.agent.Agent, Name: a.config.Name, Threads: threads, Description: a.agent.Description, Context: a.config.ContextSchema,
		Models: slices.Sorted(maps.Keys(a.config.Models)),
	}
}

// servedAgents are the agents of a server.
type servedAgents []*servedAgent

// named returns the agents by their names.
func (a servedAgents) named(threads *threadstore.Store) (map[string]runs.Agent, error) {
	named := map[string]runs.Agent{}
	for _, agent := range a {
		name := agent.config.Name
		if _, taken := named[name]; taken {
			return nil, fmt.Errorf("%s: another manifest has the name %q too; give each agent a name of its own", agent.path, name)
		}
		named[name] = agent.inService(threads)
	}
	return named, nil
}

// values returns the store for clients. Agents may have different indexes, so that of several agents has none.
func (a servedAgents) values(threads *threadstore.Store) store.Store {
	if len(a) == 1 {
		if _, searches := a[0].config.Store.(store.Searcher); searches {
			return a[0].config.Store
		}
	}
	return semantic.WithoutIndex(threads.Values)
}

// close closes the agents, the last first.
func (a servedAgents) close() error {
	var errs []error
	for _, agent := range slices.Backward(a) {
		errs = append(errs, agent.agent.Close())
	}
	return errors.Join(errs...)
}
