//go:build !no_serve

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/workshop"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/filewatch"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
	devpage "github.com/agenthost/agenthost/server/dev"
)

// dev serves agents while their author changes them.
type dev struct {
	*serving

	ticks  <-chan time.Time // when files are looked at
	engine *plugin.Engine
	log    *slog.Logger

	agents  []*devAgent
	plugins map[string]*devPlugin // by their paths
	written int                   // counts the modules that were put in their places

	serve   *config.Config
	address threadstore.Address
	kept    *storage.Storage // nil: it is not open yet
	running *server.Server   // nil: nothing is served yet
	ended   chan error       // receives how serving ended
	stop    func()           // ends dev
	ill     bool             // the last round found a problem

	board    *devpage.Board // what the page shows
	workshop *workshop.Workshop
	problems map[string][]devpage.Problem // by the file, of the last round
	changes  int                          // counts what was taken up while serving
	opens    bool                         // whether a browser is opened, if --open says so
	opened   sync.WaitGroup
}

// lookInterval is the time between two looks at the files. A change is taken up when two looks have found the same.
const lookInterval = 200 * time.Millisecond

func (a *app) devCommand() *cobra.Command {
	d := &dev{
		serving: &serving{app: a}, plugins: map[string]*devPlugin{}, ended: make(chan error, 1), board: &devpage.Board{},
		problems: map[string][]devpage.Problem{},
	}
	c := &cobra.Command{
		Use:   "dev [flags]",
		Short: "Serve agents while you change them",
		Long: `Serve agents like 'agenthost serve', and take up what you change, without a restart: manifests, prompts,
rules, skills, and plugins. Runs that go on keep what they began with; runs that begin later have the change.

A plugin DIR/NAME.wasm, where NAME is the name of the directory DIR, is built when its sources change, if DIR
has a plugin.yaml that names the language, as 'agenthost plugin new' writes it, or a Cargo.toml. A script needs
no build. A changed plugin must load, and pass its golden cases (testdata/*.yaml), before it takes the place of
the former one.

When something is wrong, dev shows where and why, and goes on serving the last good version. A newer change
stops a build. What dev cannot change while it serves: the name of an agent, its checkpoint, and serve.yaml.

The page at the address that dev prints, the studio, shows the same: what is wrong and where, and what is in
use. There you can also call a plugin again with an input that you edit, and keep a run as a cassette. On a
terminal with a display dev opens it in your browser; --open=false keeps it from that.

The log on standard error has warnings and errors; -v shows more. Ctrl-C stops dev.`,
		Example: `  agenthost dev
  agenthost dev -f agents/support.yaml --listen 127.0.0.1:9000 --storage sqlite:dev.db`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return d.do(c) },
	}
	d.flags(c)
	c.Flags().BoolVar(&d.opens, "open", false, "open the page in a browser; default: if there are a terminal and a display, and CI is not set")
	return c
}

// do serves until the context ends.
func (d *dev) do(c *cobra.Command) (err error) {
	if d.serve, err = d.prepare(c); err != nil {
		return err
	}
	if !c.Flags().Changed("open") {
		d.opens = d.terminal && hasDisplay() && os.Getenv("CI") == ""
	}
	d.recordIfAsked(c.Context())
	d.log = d.serving.log(d.serve.Log, slog.LevelWarn)
	d.engine = d.app.engine(d.log)
	if !d.serve.Listen.Public() {
		tape := workshop.NewTape(workshop.DefaultRoom)
		d.recorder, d.workshop = tape, workshop.New(tape, d.engine)
	}
	defer d.opened.Wait()
	defer func() { err = errors.Join(err, failure(d.engine.Close())) }()
	defer func() { err = errors.Join(err, failure(d.close())) }()
	for _, path := range d.manifests {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) { // it is the wrong directory, rather than a moment of an editor
			d.app.file = path
			return &exitError{exitUsage, d.withManifestHint(&manifest.NotFoundError{Path: path, What: "a manifest"})}
		}
		d.agents = append(d.agents, &devAgent{path: path})
	}
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	d.ticks = ticker.C
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	d.stop = stop
	d.discover(ctx)
	err = d.loop(ctx)
	stop()
	if d.running != nil {
		err = errors.Join(err, <-d.ended)
	}
	if err != nil && c.Context().Err() == nil {
		return err
	}
	fmt.Fprintln(d.out, "stopped")
	return nil
}

// loop takes up one change after the other. It returns nil when the context ends, and an error if dev cannot serve.
func (d *dev) loop(ctx context.Context) error {
	for {
		known := d.turn(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the user stops dev
		}
		if d.running == nil && !d.ill {
			if err := d.begin(ctx); err != nil {
				return &exitError{exitUsage, err}
			}
		}
		if _, err := filewatch.Await(ctx, d.ticks, d.patterns(), known); err != nil {
			return nil //nolint:nilerr // the user stops dev, or the server has ended: do reports how
		}
	}
}

// discover finds the files of the agents, so that a change during the first round is noticed. The round says what is wrong.
func (d *dev) discover(ctx context.Context) {
	for _, a := range d.agents {
		a.used = &usedFiles{}
		if m, err := d.read(a.path, manifest.Options{Engine: d.engine, Threads: d.threads(), Used: a.used.add}, d.log); err == nil {
			m.Plugins() // tells their files
		}
		d.find(a)
	}
	for _, p := range d.inUse() {
		p.detect()
		p.locate(ctx)
	}
}

// turn performs a round, and begins again when files change meanwhile. It returns the state of the files that the round has seen.
func (d *dev) turn(ctx context.Context) filewatch.State {
	patterns := d.patterns()
	known := filewatch.Take(patterns)
	for {
		round, cancel := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer cancel()
			d.round(round)
		}()
		state, err := filewatch.Await(round, d.ticks, patterns, known)
		cancel()
		<-ended
		if err != nil { // the round is over
			return d.known()
		}
		patterns, known = d.patterns(), state
	}
}

// begin begins to serve.
func (d *dev) begin(ctx context.Context) error {
	agents := make(served.Agents, len(d.agents))
	for i, a := range d.agents {
		agents[i] = a.served
	}
	var page *devpage.Config
	if d.workshop != nil {
		page = &devpage.Config{Board: d.board, Workshop: d.workshop}
	}
	running, listener, err := d.start(ctx, d.serve, agents, d.kept, page, d.log)
	if err != nil {
		return err
	}
	d.running = running
	go func() {
		err := running.Serve(ctx, listener)
		if err != nil {
			err = fmt.Errorf("serve: %w", err)
		}
		d.ended <- failure(err)
		d.stop()
	}()
	d.welcome(listener)
	return nil
}

// welcome says what is served, and what to do with it.
func (d *dev) welcome(listener net.Listener) {
	names := d.running.Service().AgentNames()
	use := "--server " + addressOf(d.serve, listener)
	if len(names) > 1 {
		use += " --agent " + names[0]
	}
	at := addressOf(d.serve, listener)
	d.sayf("serving %s at %s; threads are in %s", strings.Join(names, ", "), at, described(d.address))
	if d.serve.Listen.Network() != "unix" {
		fmt.Fprintf(d.out, "  in a browser:    %s/\n", at)
		d.show(at + "/")
	}
	fmt.Fprintf(d.out, "  to talk to it:   agenthost chat %s\n  to ask it once:  agenthost run %s \"hello\"\n"+
		"  in programs:     LangGraph's SDKs and useStream, see docs/server.md\n", use, use)
	for _, a := range d.agents {
		fmt.Fprintln(d.out, "  "+a.watching(d.plugins))
	}
}

// show opens the page in a browser, if that is wanted.
func (d *dev) show(address string) {
	if !d.opens {
		return
	}
	d.opened.Go(func() {
		if err := openBrowser(address); err != nil {
			d.log.Warn("no browser could be opened; open the address yourself", "address", address, "error", err)
		}
	})
}

// patterns returns all files that are looked at.
func (d *dev) patterns() (patterns []filewatch.Pattern) {
	for _, a := range d.agents {
		patterns = append(patterns, a.patterns()...)
	}
	for _, p := range d.inUse() {
		patterns = append(patterns, p.patterns...)
	}
	return patterns
}

// known returns the state of the files that the last round has seen.
func (d *dev) known() filewatch.State {
	known := filewatch.State{}
	for _, a := range d.agents {
		maps.Copy(known, a.seen)
	}
	for _, p := range d.inUse() {
		maps.Copy(known, p.seen)
	}
	return known
}

// close releases what was built.
func (d *dev) close() error {
	var agents served.Agents
	for _, a := range d.agents {
		if a.served != nil {
			agents = append(agents, a.served)
		}
	}
	err := agents.Close()
	if d.kept != nil {
		err = errors.Join(err, d.kept.Close())
	}
	return err
}
