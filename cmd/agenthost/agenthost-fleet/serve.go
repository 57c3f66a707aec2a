package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/server"
)

func serveCommand() *cobra.Command {
	s := &setup{}
	c := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve agents over HTTP, and let workers perform their runs",
		Long: `Serve agents over HTTP as 'agenthost serve' does. With --engine temporal, or engine.temporal in serve.yaml,
the server performs no runs: it tells Temporal of them, and workers perform them. A run is accepted even
while Temporal is away, and performed when it is back.`,
		Example: "  agenthost-fleet serve -f agent.yaml --config serve.yaml --engine temporal",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return s.doServe(c) },
	}
	s.flags(c)
	c.Flags().StringVar(&s.engine, "engine", "", "who performs runs: `ENGINE` is process or temporal; default: temporal if serve.yaml has it")
	return c
}

func (s *setup) doServe(c *cobra.Command) error {
	if err := s.read(c.ErrOrStderr()); err != nil {
		return err
	}
	switch s.engine {
	case "":
	case "process":
		s.serve.Engine.Temporal = nil
	case "temporal":
		s.directed()
	default:
		return usageError{fmt.Errorf("--engine: there is no engine %q; use process or temporal", s.engine)}
	}
	ctx := c.Context()
	return s.recorded(ctx, func(kept *storage.Storage, a *agents) error { return s.serveAgents(ctx, kept, a) })
}

// serveAgents serves agents until the context ends.
func (s *setup) serveAgents(ctx context.Context, kept *storage.Storage, agents *agents) error {
	config := s.server(kept, agents)
	if s.serve.Engine.Temporal != nil {
		connected, err := s.connect(ctx)
		if err != nil {
			return err
		}
		defer connected.Client.Close()
		dispatcher, err := temporal.Dispatch(ctx, connected, engine.Config{Store: kept.Runs, Agents: agents.byName, Logger: s.log, Lease: s.serve.Lease})
		if err != nil {
			return err
		}
		defer dispatcher.Close(ctx)
		config.Runs = dispatcher.Store()
		config.Start = func(engine.Config) (server.Engine, error) { return dispatcher, nil }
	}
	listener, err := served.Listen(ctx, s.serve.Listen)
	if err != nil {
		return usageError{err}
	}
	running, err := server.New(config)
	if err != nil {
		_ = listener.Close()
		return usageError{err}
	}
	closeMetrics, err := served.Metrics(ctx, s.serve, running, s.telemetry, s.log)
	if err != nil {
		running.Close(ctx)
		return usageError{errors.Join(err, listener.Close())}
	}
	defer closeMetrics()
	s.log.Info("serving", "agents", strings.Join(running.Service().AgentNames(), ", "), "at", listener.Addr().String())
	quiet := served.Ready(ctx, s.serve.Drain, s.log)
	defer quiet()
	return running.Serve(ctx, listener)
}
