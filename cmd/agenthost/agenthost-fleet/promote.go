package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/engine/temporal"
)

func promoteCommand() *cobra.Command {
	s := &setup{}
	var wait time.Duration
	c := &cobra.Command{
		Use:   "promote [flags]",
		Short: "Let new threads begin on the version of the agents in these manifests",
		Long: `Let new threads begin on workers with the agents of these manifests. Threads that are under way stay with the
version that they began with, so keep its workers until 'temporal worker deployment describe-version' says
that it is drained.

Start the new workers first, then promote. A worker that restarts promotes nothing, so an old one cannot
bring its version back.`,
		Example: "  agenthost-fleet promote -f agent.yaml --config serve.yaml",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return s.doPromote(c, wait) },
	}
	s.flags(c)
	c.Flags().DurationVar(&wait, "wait", time.Minute, "how long to wait for the first worker of the version")
	return c
}

func (s *setup) doPromote(c *cobra.Command, wait time.Duration) (err error) {
	if err := s.read(c.ErrOrStderr()); err != nil {
		return err
	}
	s.directed()
	ctx := c.Context()
	version, err := s.version(ctx)
	if err != nil {
		return err
	}
	connected, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer connected.Client.Close()
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		if err = temporal.Promote(ctx, connected, version); err == nil { // the time to wait cuts off no answer
			_, err = fmt.Fprintf(c.OutOrStdout(), "promoted %s on the queue %s\n", version, connected.Queue)
			return err
		}
		select {
		case <-waiting.Done():
			return fmt.Errorf("promote: %w", err)
		case <-time.After(time.Second):
		}
	}
}

// version returns the version of the agents.
func (s *setup) version(ctx context.Context) (version string, err error) {
	err = s.withAgents(ctx, func(_ *storage.Storage, a *agents) error {
		version = temporal.Version(a.byName)
		return nil
	})
	return version, err
}

// version returns the version of this command.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
