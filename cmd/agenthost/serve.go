//go:build !no_serve

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/logline"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
	devpage "github.com/agenthost/agenthost/server/dev"
	"github.com/agenthost/agenthost/telemetry"
)

// serving is what the command serve is told.
type serving struct {
	*app

	manifests []string
	file      string // serve.yaml; "": none
	listen    string
	storage   string
}

func (a *app) serveCommand() *cobra.Command {
	s := &serving{app: a}
	c := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve agents over HTTP, with LangGraph's API",
		Long: `Serve one or several agents over HTTP. The server speaks LangGraph's API: its SDKs for Python and
JavaScript, useStream, RemoteGraph and pages such as agent-chat-ui use it as they are. An agent has the
name of its manifest.

By default, the server listens on 127.0.0.1:8123, where only this machine reaches it, and keeps threads
and runs in memory, or in the database that the manifests name as checkpoint if all of them name the same
one. --storage names another database. Several servers can share a database in PostgreSQL: each performs
runs, and goes on with those of a server that has died.

--config names a serve.yaml, which says more: keys and other ways in, limits, TLS, retention. An address
that others can reach needs auth in it. 'agenthost schema serve' prints its JSON Schema.

The first Ctrl-C or SIGTERM stops the server: runs stop after their present step, and go on when the
server or another one starts again.`,
		Example: `  agenthost serve
  agenthost serve -f agents/support.yaml -f agents/research.yaml --storage sqlite:agents.db
  agenthost serve --config serve.yaml
  curl -s http://127.0.0.1:8123/assistants/search -d '{}' -H 'content-type: application/json'`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return s.do(c) },
	}
	s.flags(c)
	return c
}

// flags adds the flags that say what is served, and where.
func (s *serving) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVarP(&s.manifests, manifestFlag, "f", nil,
		"a manifest `FILE` to serve, or its directory; may be repeated; default: "+manifestFile+" here or in a parent directory")
	f.StringVar(&s.file, "config", "", "the serve.yaml `FILE` to use")
	f.StringVar(&s.listen, "listen", "", "the `ADDRESS` to listen at, instead of that in serve.yaml: HOST:PORT or unix:PATH")
	f.StringVar(&s.storage, "storage", "", "where to keep threads and runs, instead of storage in serve.yaml: a `DATABASE` such as sqlite:agents.db")
	f.StringArrayVar(&s.set, "set", nil, "override a value of the manifest: `KEY=VALUE`; only with a single manifest; may be repeated")
}

// prepare reads the flags.
func (s *serving) prepare(c *cobra.Command) (*config.Config, error) {
	if len(s.manifests) > 1 && len(s.set) > 0 {
		return nil, &exitError{exitUsage, errors.New("--set changes one manifest, and -f names several; serve them one by one, or change the files")}
	}
	serve, err := s.config()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if serve.Engine.Temporal != nil {
		return nil, &exitError{exitUsage, errNoTemporal}
	}
	return serve, s.locateAll(c)
}

// errNoTemporal is the error of a configuration with an engine that this command does not have.
var errNoTemporal = errors.New("engine.temporal in serve.yaml needs the command agenthost-fleet, which has the commands serve and worker for it; " +
	"build it with 'make fleet', or remove engine.temporal to let the server perform runs")

// do serves until the context ends.
func (s *serving) do(c *cobra.Command) (err error) {
	serve, err := s.prepare(c)
	if err != nil {
		return err
	}
	ctx := c.Context()
	if err := s.record(ctx, telemetry.Config{Prometheus: serve.Metrics != nil, Logger: s.log(serve.Log, serve.Log.Slog())}); err != nil {
		return &exitError{exitUsage, err}
	}
	logger := s.log(serve.Log, serve.Log.Slog())
	address, err := s.address(serve)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	kept, err := storage.Open(ctx, address.WithLease(serve.Lease))
	if err != nil {
		return &exitError{storeExit(err), fmt.Errorf("storage: %w", err)}
	}
	defer func() { err = errors.Join(err, failure(kept.Close())) }()
	engine := s.engine(logger) // plugins of all agents share what is compiled
	defer func() { err = errors.Join(err, failure(engine.Close())) }()
	var agents served.Agents
	defer func() { err = errors.Join(err, failure(agents.Close())) }()
	for _, path := range s.manifests {
		agent, err := s.build(ctx, path, manifest.Options{Threads: kept.Threads, Engine: engine}, serve, logger)
		if err != nil {
			return err
		}
		agents = append(agents, agent)
	}
	running, listener, err := s.start(ctx, serve, agents, kept, nil, logger)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer running.Close(ctx)
	closeMetrics, err := served.Metrics(ctx, serve, running, s.telemetry, logger)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer closeMetrics()
	logger.Info("serving", "agents", strings.Join(running.Service().AgentNames(), ", "), "at", addressOf(serve, listener),
		"storage", described(address))
	if serve.Auth == nil {
		logger.Info("everybody on this machine may use the server: there is no auth in serve.yaml")
	}
	quiet := served.Ready(ctx, serve.Drain, logger)
	defer quiet()
	if err := running.Serve(ctx, listener); err != nil {
		return &exitError{exitFailed, fmt.Errorf("serve: %w", err)}
	}
	logger.Info("stopped")
	return nil
}

// config returns the configuration: that of the file, changed by flags.
func (s *serving) config() (*config.Config, error) {
	var options config.Options
	if s.listen != "" {
		listen, err := config.ParseListen(s.listen)
		if err != nil {
			return nil, fmt.Errorf("--listen: %w", err)
		}
		options.Set = append(options.Set, "listen="+strconv.Quote(string(listen)))
	}
	return served.Config(s.file, options)
}

// locateAll finds the manifests.
func (s *serving) locateAll(c *cobra.Command) error {
	if len(s.manifests) == 0 {
		s.app.file = manifestFile
		if err := s.locate(c); err != nil {
			return err
		}
		s.manifests = []string{s.app.file}
		return nil
	}
	for i, path := range s.manifests {
		s.manifests[i] = insideDirectory(path)
	}
	return nil
}

// address returns the database: that of the flag or of serve.yaml, or the one that all manifests name.
func (s *serving) address(serve *config.Config) (threadstore.Address, error) {
	if s.storage != "" {
		address, err := threadstore.Parse(s.storage)
		if err != nil {
			return address, fmt.Errorf("--storage: %w", err)
		}
		return address, nil
	}
	if text := serve.Storage.Address(); text != "" {
		address, err := threadstore.Parse(text)
		if err != nil {
			return address, fmt.Errorf("storage: %w", err)
		}
		return address, nil
	}
	var common threadstore.Address
	for i, path := range s.manifests {
		s.app.file = path
		named, err := manifest.ReadCheckpoint(path, manifest.Options{Set: s.set})
		if err != nil {
			return common, s.withManifestHint(err)
		}
		if i > 0 && named != common {
			return common, errors.New("the manifests name different databases as checkpoint; name the one to use with --storage, or as storage in serve.yaml")
		}
		common = named
	}
	return common, nil
}

func described(a threadstore.Address) string {
	if a.IsZero() {
		return "memory: everything is lost when the server stops"
	}
	return a.String()
}

// build builds the agent of a manifest for a server.
func (s *serving) build(ctx context.Context, path string, options manifest.Options, serve *config.Config, logger *slog.Logger) (*served.Agent, error) {
	agent := &served.Agent{Path: path}
	s.app.file = path
	var err error
	if agent.Agent, err = s.load(ctx, options, agent.Adjust(logger, serve)); err != nil {
		return nil, err
	}
	if err := agent.Check(serve); err != nil {
		return nil, &exitError{exitUsage, errors.Join(err, agent.Agent.Close())}
	}
	return agent, nil
}

// start opens the address and makes the server, which performs runs from then on. page is what the page of dev works with; nil for others.
func (s *serving) start(
	ctx context.Context, serve *config.Config, agents served.Agents, kept *storage.Storage, page *devpage.Config, logger *slog.Logger,
) (*server.Server, net.Listener, error) {
	named, err := agents.Named(kept.Threads)
	if err != nil {
		return nil, nil, err
	}
	listener, err := served.Listen(ctx, serve.Listen) // before the server performs runs
	if err != nil {
		return nil, nil, err
	}
	running, err := server.New(server.Config{
		Agents: named, Runs: kept.Runs, Store: agents.Values(kept.Threads), Serve: serve, Logger: logger, Version: thisBuild().version, Dev: page,
		Observe: s.telemetry.Observe, Began: s.telemetry.Began, OlderA2A: olderA2A,
	})
	if err != nil {
		return nil, nil, errors.Join(err, listener.Close())
	}
	return running, listener, nil
}

// addressOf returns the address for people.
func addressOf(serve *config.Config, listener net.Listener) string {
	switch {
	case serve.Listen.Network() == "unix":
		return string(serve.Listen)
	case serve.TLS != nil:
		return "https://" + listener.Addr().String()
	default:
		return "http://" + listener.Addr().String()
	}
}

// log returns the server's logger.
func (s *serving) log(c config.Log, level slog.Level) *slog.Logger {
	if s.verbose {
		level = slog.LevelDebug
	}
	file, isFile := s.err.(*os.File)
	watched := isFile && isatty.IsTerminal(file.Fd())
	if c.Format == "json" || c.Format == "auto" && !watched {
		return slog.New(s.telemetry.LogHandler(slog.NewJSONHandler(s.err, &slog.HandlerOptions{Level: level})))
	}
	return slog.New(s.telemetry.LogHandler(logline.New(s.err, level, watched && os.Getenv("NO_COLOR") == "")))
}
