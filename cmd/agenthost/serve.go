package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/logline"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/notify"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
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
	f := c.Flags()
	f.StringArrayVarP(&s.manifests, manifestFlag, "f", nil,
		"a manifest `FILE` to serve, or its directory; may be repeated; default: "+manifestFile+" here or in a parent directory")
	f.StringVar(&s.file, "config", "", "the serve.yaml `FILE` to use")
	f.StringVar(&s.listen, "listen", "", "the `ADDRESS` to listen at, instead of that in serve.yaml: HOST:PORT or unix:PATH")
	f.StringVar(&s.storage, "storage", "", "where to keep threads and runs, instead of storage in serve.yaml: a `DATABASE` such as sqlite:agents.db")
	f.StringArrayVar(&a.set, "set", nil, "override a value of the manifest: `KEY=VALUE`; only with a single manifest; may be repeated")
	return c
}

// do serves until the context ends.
func (s *serving) do(c *cobra.Command) (err error) {
	if len(s.manifests) > 1 && len(s.set) > 0 {
		return &exitError{exitUsage, errors.New("--set changes one manifest, and -f names several; serve them one by one, or change the files")}
	}
	serve, err := s.config()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if err := s.locateAll(c); err != nil {
		return err
	}
	logger := s.log(serve.Log)
	ctx := c.Context()
	address, err := s.address(serve)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	kept, err := storage.Open(ctx, address.WithLease(serve.Lease))
	if err != nil {
		return &exitError{storeExit(err), fmt.Errorf("storage: %w", err)}
	}
	defer func() { err = errors.Join(err, failure(kept.Close())) }()
	agents, values, closeAgents, err := s.agents(ctx, kept.Threads, logger)
	defer func() { err = errors.Join(err, failure(closeAgents())) }()
	if err != nil {
		return err
	}
	listener, err := open(ctx, serve.Listen) // before the server performs runs
	if err != nil {
		return &exitError{exitUsage, err}
	}
	running, err := server.New(server.Config{
		Agents: agents, Runs: kept.Runs, Store: values, Serve: serve, Logger: logger, Version: thisBuild().version,
	})
	if err != nil {
		return &exitError{exitUsage, errors.Join(err, listener.Close())}
	}
	defer running.Close(ctx)
	logger.Info("serving", "agents", strings.Join(slices.Sorted(maps.Keys(agents)), ", "), "at", addressOf(serve, listener),
		"storage", described(address))
	if serve.Auth == nil {
		logger.Info("everybody on this machine may use the server: there is no auth in serve.yaml")
	}
	s.tell(logger, notify.Ready)
	stop := context.AfterFunc(ctx, func() {
		logger.Info("stopping: runs stop after their present step", "at most", serve.Drain)
		s.tell(logger, notify.Stopping)
	})
	defer stop()
	if err := running.Serve(ctx, listener); err != nil {
		return &exitError{exitFailed, fmt.Errorf("serve: %w", err)}
	}
	logger.Info("stopped")
	return nil
}

// failure returns an error with the exit code of a failed command.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitFailed, err}
}

func (s *serving) tell(logger *slog.Logger, state string) {
	if err := notify.Send(os.Getenv("NOTIFY_SOCKET"), state); err != nil {
		logger.Warn(err.Error())
	}
}

// config returns the configuration: that of the file, changed by flags.
func (s *serving) config() (*config.Config, error) {
	var options config.Options
	if s.listen != "" {
		options.Set = append(options.Set, "listen="+s.listen)
	}
	if s.file == "" {
		return config.Parse("the command line", []byte("{}"), options)
	}
	return config.Load(s.file, options)
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

// agents builds the agents. What it returns closes them, also after an error.
func (s *serving) agents(ctx context.Context, threads *threadstore.Store, logger *slog.Logger) (
	map[string]runs.Agent, store.Store, func() error, error,
) {
	agents, built := map[string]runs.Agent{}, []*manifest.Agent{}
	closeAll := func() error {
		var errs []error
		for _, agent := range slices.Backward(built) {
			errs = append(errs, agent.Close())
		}
		return errors.Join(errs...)
	}
	var values store.Store
	for _, path := range s.manifests {
		s.app.file = path
		var own host.Config
		agent, err := s.load(ctx, manifest.Options{Threads: threads}, func(c *host.Config) {
			c.Logger = logger
			if c.Durability == "" { // clients go on from any step, and another server takes over behind the last one
				c.Durability = host.DurabilityStep
			}
			own = *c
		})
		if err != nil {
			return nil, nil, closeAll, err
		}
		built = append(built, agent)
		name := own.Name
		if name == "" {
			return nil, nil, closeAll, &exitError{exitUsage, nameless(path)}
		}
		if _, taken := agents[name]; taken {
			return nil, nil, closeAll, &exitError{exitUsage, fmt.Errorf(
				"%s: another manifest has the name %q too; give each agent a name of its own", path, name)}
		}
		agents[name] = runs.Agent{
			Agent: agent.Agent, Name: name, Threads: threads, Description: agent.Description, Context: own.ContextSchema,
			Models: slices.Sorted(maps.Keys(own.Models)),
		}
		values = own.Store
	}
	if _, searches := values.(store.Searcher); !searches || len(agents) > 1 { // agents may have different indexes
		values = semantic.WithoutIndex(threads.Values)
	}
	return agents, values, closeAll, nil
}

// nameless is the error of a manifest whose agent cannot be served.
func nameless(path string) error {
	return fmt.Errorf("%s: the agent has no name; clients ask for it by its name, so add name", path)
}

// open opens the address. The file of a socket that a server left is replaced.
func open(ctx context.Context, at config.Listen) (net.Listener, error) {
	if at.Network() == "unix" {
		if info, err := os.Lstat(at.Address()); err == nil && info.Mode()&os.ModeSocket != 0 {
			if conn, err := (&net.Dialer{}).DialContext(ctx, "unix", at.Address()); err == nil {
				return nil, errors.Join(fmt.Errorf("%s: another server listens there", at), conn.Close())
			}
			if err := os.Remove(at.Address()); err != nil {
				return nil, err
			}
		}
	}
	return (&net.ListenConfig{}).Listen(ctx, at.Network(), at.Address())
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
func (s *serving) log(c config.Log) *slog.Logger {
	level := c.Slog()
	if s.verbose {
		level = slog.LevelDebug
	}
	file, isFile := s.err.(*os.File)
	watched := isFile && isatty.IsTerminal(file.Fd())
	if c.Format == "json" || c.Format == "auto" && !watched {
		return slog.New(slog.NewJSONHandler(s.err, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(logline.New(s.err, level, watched && os.Getenv("NO_COLOR") == ""))
}
