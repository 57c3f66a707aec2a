package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/server"
)

func workerCommand() *cobra.Command {
	s := &setup{}
	c := &cobra.Command{
		Use:   "worker [flags]",
		Short: "Perform the runs of agents",
		Long: `Perform runs that servers accept, as Temporal directs. Start as many workers as you like, on any machine, with
the manifests and the serve.yaml of the servers. A worker listens at no address but that of metrics in
serve.yaml, where it also answers /healthz and /readyz.

The first Ctrl-C or SIGTERM stops the worker: runs stop after their present step, and another worker goes on
with them. What has not stopped after drain in serve.yaml is cut off.

With versioning: pinned, a thread stays with the version of the agents that it began with. New threads begin
on the version that you promote, see 'agenthost-fleet promote'; the first one is promoted by itself.`,
		Example: "  agenthost-fleet worker -f agent.yaml --config serve.yaml",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return s.doWork(c) },
	}
	s.flags(c)
	return c
}

func (s *setup) doWork(c *cobra.Command) error {
	if err := s.read(c.ErrOrStderr()); err != nil {
		return err
	}
	s.directed()
	ctx := c.Context()
	return s.recorded(ctx, func(kept *storage.Storage, a *agents) error { return s.work(ctx, kept, a) })
}

// work performs runs until the context ends.
func (s *setup) work(ctx context.Context, kept *storage.Storage, agents *agents) error {
	connected, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer connected.Client.Close()
	// A worker is a server at no address: it also tells webhooks how runs ended, fires schedules and removes what has expired.
	config := s.server(kept, agents)
	config.Start = func(c engine.Config) (server.Engine, error) { return temporal.StartWorker(ctx, connected, c) }
	running, err := server.New(config)
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	closeMetrics, err := served.Metrics(ctx, s.serve, running, s.telemetry, s.log)
	if err != nil {
		running.Close(ctx)
		return usageError{err}
	}
	defer closeMetrics()
	s.log.Info("working", "agents", strings.Join(running.Service().AgentNames(), ", "), "queue", connected.Queue, "version", temporal.Version(agents.byName))
	quiet := served.Ready(ctx, s.serve.Drain, s.log)
	defer quiet()
	<-ctx.Done()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.serve.Drain)
	defer cancel()
	running.Close(drain)
	s.log.Info("stopped")
	return nil
}
