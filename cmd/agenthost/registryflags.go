package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/registry/reference"
)

// registryFlags holds the flags of commands that use a registry.
type registryFlags struct {
	plainHTTP bool
	minisign  []string // of those that check signatures
}

func (f *registryFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.plainHTTP, "plain-http", false, "reach a registry on another machine without encryption; one on this machine needs no flag")
}

func (f *registryFlags) addMinisign(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.minisign, "minisign", nil,
		"a minisign public `KEY`, which begins with RW and must have signed it; may be repeated, and then one is enough")
}

// registryClient is a [registry.Client], or refuses everything in a build without one.
type registryClient interface {
	PushPlugin(ctx context.Context, ref reference.Reference, m *registry.Module, signatures ...[]byte) (registry.Pushed, error)
	PullPlugin(ctx context.Context, ref reference.Reference, keys ...minisig.Key) (*registry.Pulled, error)
	Resolve(ctx context.Context, ref reference.Reference) (digest string, err error)
	Download(ctx context.Context, address, digest string, keys ...minisig.Key) (*registry.Pulled, error)
	PushAgent(ctx context.Context, ref reference.Reference, a *registry.Agent) (registry.Pushed, error)
	PullAgent(ctx context.Context, ref reference.Reference, dir string, keys ...minisig.Key) (*registry.PulledAgent, error)
	CloseIdleConnections()
}

func (f *registryFlags) client() registryClient {
	return newRegistryClient(registry.Options{PlainHTTP: f.plainHTTP, UserAgent: "agenthost/" + thisBuild().version})
}

// keys returns the keys of --minisign.
func (f *registryFlags) keys() ([]minisig.Key, error) {
	keys, err := minisig.ParseKeys(f.minisign)
	if err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("--minisign: %w", err)}
	}
	return keys, nil
}

// parseReference reads the reference of an argument.
func parseReference(command, given string) (reference.Reference, error) {
	ref, err := reference.Parse(given)
	if err != nil {
		return ref, &exitError{exitUsage, fmt.Errorf("%s: %w", command, err)}
	}
	return ref, nil
}

// isReference reports whether an argument names something in a registry and not a file.
func isReference(argument string) bool { return strings.HasPrefix(argument, reference.Scheme) }

// registryError adds the exit code to an error of a registry: 5 if what it has is refused, 2 if it cannot be had or has no place here, and
// otherwise 1.
func registryError(ctx context.Context, command string, err error) error {
	if ctx.Err() != nil {
		return interrupted()
	}
	code := exitFailed
	switch {
	case errors.Is(err, registry.ErrDigest), errors.Is(err, registry.ErrLayout), errors.Is(err, registry.ErrTooLarge), errors.Is(err, plugin.ErrSignature):
		code = exitPlugin
	case errors.Is(err, registry.ErrNotFound), errors.Is(err, registry.ErrUnauthorized), errors.Is(err, registry.ErrInsecure),
		errors.Is(err, registry.ErrDirectory):
		code = exitUsage
	}
	return &exitError{code, fmt.Errorf("%s: %w", command, err)}
}
