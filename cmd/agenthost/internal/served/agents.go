//go:build !no_serve

package served

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/runs"
)

// Agents are the agents of a server.
type Agents []*Agent

// Named returns the agents by their names.
func (a Agents) Named(threads *threadstore.Store) (map[string]runs.Agent, error) {
	named := map[string]runs.Agent{}
	for _, agent := range a {
		name := agent.Config.Name
		if _, taken := named[name]; taken {
			return nil, fmt.Errorf("%s: another manifest has the name %q too; give each agent a name of its own", agent.Path, name)
		}
		named[name] = agent.InService(threads)
	}
	return named, nil
}

// Values returns the store for clients. Agents may have different indexes, so that of several agents has none.
func (a Agents) Values(threads *threadstore.Store) store.Store {
	if len(a) == 1 {
		if _, searches := a[0].Config.Store.(store.Searcher); searches {
			return a[0].Config.Store
		}
	}
	return semantic.WithoutIndex(threads.Values)
}

// Close closes the agents, the last first.
func (a Agents) Close() error {
	var errs []error
	for _, agent := range slices.Backward(a) {
		errs = append(errs, agent.Agent.Close())
	}
	return errors.Join(errs...)
}
