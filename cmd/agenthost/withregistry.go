//go:build !no_registry

package main

import "github.com/agenthost/agenthost/registry"

func newRegistryClient(options registry.Options) registryClient { return registry.New(options) }
