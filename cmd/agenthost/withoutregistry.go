//go:build no_registry

package main

import (
	"context"

	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/leftout"
	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/registry/reference"
)

func newRegistryClient(registry.Options) registryClient { return noRegistry{} }

var errNoRegistry = &leftout.Error{Part: "client of registries", Tag: "no_registry"}

// noRegistry refuses to push and to pull.
type noRegistry struct{}

func (noRegistry) PushPlugin(context.Context, reference.Reference, *registry.Module, ...[]byte) (registry.Pushed, error) {
	return registry.Pushed{}, errNoRegistry
}

func (noRegistry) PullPlugin(context.Context, reference.Reference, ...minisig.Key) (*registry.Pulled, error) {
	return nil, errNoRegistry
}

func (noRegistry) Resolve(context.Context, reference.Reference) (string, error) {
	return "", errNoRegistry
}

func (noRegistry) Download(context.Context, string, string, ...minisig.Key) (*registry.Pulled, error) {
	return nil, errNoRegistry
}

func (noRegistry) PushAgent(context.Context, reference.Reference, *registry.Agent) (registry.Pushed, error) {
	return registry.Pushed{}, errNoRegistry
}

func (noRegistry) PullAgent(context.Context, reference.Reference, string, ...minisig.Key) (*registry.PulledAgent, error) {
	return nil, errNoRegistry
}

func (noRegistry) CloseIdleConnections() {}
