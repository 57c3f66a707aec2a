package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/logline"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/extism"
	"github.com/agenthost/agenthost/host/plugin/script"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth/keyring"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/a2a/older"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/telemetry"
)

// setup is what all commands read.
type setup struct {
	manifests []string
	file      string // serve.yaml; "": none
	storage   string
	engine    string

	serve     *config.Config
	log       *slog.Logger
	telemetry *telemetry.Telemetry // nil: nothing is recorded
}

// flags adds the flags that all commands have.
func (s *setup) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVarP(&s.manifests, "manifest", "f", []string{"agenthost.yaml"}, "a manifest `FILE`; may be repeated")
	f.StringVar(&s.file, "config", "", "the serve.yaml `FILE` to use")
	f.StringVar(&s.storage, "storage", "", "the `DATABASE` that all processes share, instead of storage in serve.yaml, such as postgres://db/agents")
}

// read reads serve.yaml.
func (s *setup) read(err io.Writer) error {
	var failed error
	if s.serve, failed = served.Config(s.file, config.Options{}); failed != nil {
		return usageError{failed}
	}
	level := s.serve.Log.Slog()
	if s.serve.Log.Format == "text" {
		s.log = slog.New(logline.New(err, level, false))
	} else {
		s.log = slog.New(slog.NewJSONHandler(err, &slog.HandlerOptions{Level: level}))
	}
	return nil
}

// record begins to record what agents do, if serve.yaml or the variables OTEL_* ask for it. The caller must close it.
func (s *setup) record(ctx context.Context) (err error) {
	s.telemetry, err = telemetry.Open(ctx, telemetry.Config{Version: version(), Prometheus: s.serve.Metrics != nil, Logger: s.log})
	if err != nil {
		return usageError{err}
	}
	s.log = slog.New(s.telemetry.LogHandler(s.log.Handler()))
	return nil
}

// server returns the configuration of a server, or of a worker, with these agents.
func (s *setup) server(kept *storage.Storage, a *agents) server.Config {
	return server.Config{
		Agents: a.byName, Runs: kept.Runs, Store: a.Values(kept.Threads), Serve: s.serve, Logger: s.log, Version: version(),
		Observe: s.telemetry.Observe, Began: s.telemetry.Began, OlderA2A: older.New(),
	}
}

// directed makes Temporal the engine, at its usual address if serve.yaml names none.
func (s *setup) directed() {
	if s.serve.Engine.Temporal == nil {
		s.serve.Engine.Temporal = config.DefaultTemporal()
	}
}

// open opens the database.
func (s *setup) open(ctx context.Context) (*storage.Storage, error) {
	address, err := s.address()
	if err != nil {
		return nil, usageError{err}
	}
	if s.serve.Engine.Temporal != nil && (address.IsZero() || address.InMemory()) {
		return nil, usageError{errors.New("storage: the server and its workers need a database that they share; name one as storage.postgres in serve.yaml, " +
			"or with --storage postgres://…")}
	}
	// A run uses a connection for a moment after each step, so some runs can share one.
	connections := max(8, s.serve.Engine.Runs/4)
	kept, err := storage.Open(ctx, address.WithLease(s.serve.Lease).WithConnections(connections))
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	return kept, nil
}

func (s *setup) address() (threadstore.Address, error) {
	for _, text := range []string{s.storage, s.serve.Storage.Address()} {
		if text != "" {
			return threadstore.Parse(text)
		}
	}
	return manifest.ReadCheckpoint(s.manifests[0], manifest.Options{})
}

// agents are the agents of a process.
type agents struct {
	served.Agents
	byName  map[string]runs.Agent
	plugins *plugin.Engine
}

func (a *agents) Close() error { return errors.Join(a.Agents.Close(), a.plugins.Close()) }

// build builds the agents of the manifests. The caller must close them.
func (s *setup) build(ctx context.Context, kept *storage.Storage) (_ *agents, err error) {
	plugins, err := pluginEngine()
	if err != nil {
		return nil, err
	}
	a := &agents{plugins: plugins}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	for _, path := range s.manifests {
		m, err := manifest.Load(path, manifest.Options{Threads: kept.Threads, Engine: plugins, Logins: logins(s.log), Tracer: s.telemetry.Tracer()})
		if err != nil {
			return nil, usageError{err}
		}
		agent := &served.Agent{Path: path}
		if agent.Agent, err = m.Build(ctx, s.log, agent.Adjust(s.log, s.serve)); err != nil {
			return nil, usageError{err}
		}
		a.Agents = append(a.Agents, agent)
		if err := agent.Check(s.serve); err != nil {
			return nil, usageError{err}
		}
	}
	if a.byName, err = a.Named(kept.Threads); err != nil {
		return nil, usageError{err}
	}
	return a, nil
}

// withAgents opens the database and builds the agents for do, and closes both when do has returned.
func (s *setup) withAgents(ctx context.Context, do func(kept *storage.Storage, a *agents) error) (err error) {
	kept, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	agents, err := s.build(ctx, kept)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, agents.Close()) }()
	return do(kept, agents)
}

// recorded does the same for a command that performs or accepts runs, and records what happens meanwhile.
func (s *setup) recorded(ctx context.Context, do func(kept *storage.Storage, a *agents) error) (err error) {
	if err := s.record(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.telemetry.Close()) }()
	return s.withAgents(ctx, do)
}

// pluginEngine opens the user's cache of compiled plugins, which agenthost uses too.
func pluginEngine() (*plugin.Engine, error) {
	c := plugin.EngineConfig{Contracts: []plugin.Contract{extism.Extism{}}, Loaders: []plugin.Loader{script.Loader{}}}
	dir, err := os.UserCacheDir()
	if err == nil {
		var self string
		if self, err = os.Executable(); err == nil {
			c.Dir, c.Compile = filepath.Join(dir, "agenthost", "wasm"), plugin.CompileInChild(self, compileName)
		}
	}
	return plugin.NewEngine(c)
}

func logins(log *slog.Logger) oauth.Store {
	files, err := oauth.UserFiles()
	if err != nil {
		log.Warn("logins to MCP servers cannot be kept", "error", err)
		return nil
	}
	return keyring.Open(files)
}

// dialTime is how long Temporal may take to answer at the start.
const dialTime = 30 * time.Second
