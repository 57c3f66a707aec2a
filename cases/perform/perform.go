package perform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/cassette"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest"
)

// Options are options for performing a case.
type Options struct {
	Engine   *plugin.Engine // shared by the plugins; nil: none
	Recorder plugin.Recorder
	Logins   oauth.Store
	Logger   *slog.Logger // nil: nothing is logged
	Set      []string     // overrides of the manifest, before those of the case

	// Record asks the manifest's models instead of a cassette, and records them: the report then has a Cassette. Models with a script in the case
	// are neither asked nor recorded.
	Record bool
	// Real asks the manifest's models, whatever the case says.
	Real     bool
	Manifest string // the path of the manifest to use in place of that of the case; "": that of the case
	// Capture records what the scripts of the case are asked; nil: nothing is recorded.
	Capture *cassette.Recorder
	// Event is told every event; nil: nothing is told. An error ends the case.
	Event func(turn int, e host.Event) error
}

// Report is what came of a case.
type Report struct {
	Turns    []Turn
	Cassette *cassette.Cassette // what was recorded; nil: nothing
	Duration time.Duration
}

// Turn is what came of a turn.
type Turn struct {
	Outcome     *cases.Outcome
	Differences []cases.Difference // from what is expected
}

// Failed reports whether there are differences.
func (r *Report) Failed() bool {
	for i := range r.Turns {
		if len(r.Turns[i].Differences) > 0 {
			return true
		}
	}
	return false
}

// Case performs a case. The error says why the case could not be performed: its agent cannot be built, or the context has ended. A run that
// fails is part of the report.
func Case(ctx context.Context, c *cases.Case, o Options) (report *Report, err error) {
	s := &stage{c: c, o: &o, start: time.Now(), report: &Report{}, known: map[string]bool{}} //nolint:forbidigo // how long a case takes for people
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := s.build(ctx); err != nil {
		return nil, s.original(err)
	}
	for i := range c.Turns {
		if err := s.turn(ctx, i); err != nil {
			return nil, err
		}
	}
	s.report.Duration = time.Since(s.start) //nolint:forbidigo // see Case
	if s.recorder != nil {
		if s.report.Cassette, err = s.recorder.Cassette(); err != nil {
			return nil, err
		}
	}
	return s.report, nil
}

// stage is where a case is performed.
type stage struct {
	c      *cases.Case
	o      *Options
	start  time.Time
	report *Report

	dir       string // the directory in which the agent works
	temporary string // the directory to remove; "": none
	agent     *manifest.Agent
	config    host.Config // of the agent
	secrets   secrets
	recorder  *cassette.Recorder
	player    *cassette.Player
	told      int // mismatches of the player that are in the report
	seeds     seeds
	known     map[string]bool // ids of the messages of the thread
}

// prepare makes the copy of the manifest's directory.
func (s *stage) prepare() error {
	path := s.manifest()
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%s: its manifest %s is not there; name another one with the key manifest", s.c.Path, path)
	}
	from, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	if s.dir = from; s.c.InPlace {
		return nil
	}
	if s.temporary, err = os.MkdirTemp("", "agenthost-case-"); err != nil {
		return err
	}
	s.dir = filepath.Join(s.temporary, filepath.Base(from))
	if err := copyDirectory(from, s.dir); err != nil {
		return err
	}
	return s.writeFiles()
}

// manifest returns the path of the manifest.
func (s *stage) manifest() string { return cmp.Or(s.o.Manifest, s.c.ManifestPath()) }

// writeFiles writes and removes the files that the case wants.
func (s *stage) writeFiles() error {
	if len(s.c.Files) == 0 {
		return nil
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for path, content := range s.c.Files {
		name := filepath.FromSlash(path)
		if content == nil {
			err = root.RemoveAll(name)
		} else if err = root.MkdirAll(filepath.Dir(name), 0o700); err == nil {
			err = root.WriteFile(name, []byte(*content), 0o600)
		}
		if err != nil {
			return fmt.Errorf("%s: files: %w", s.c.Path, err)
		}
	}
	return nil
}

// close closes the agent and removes its directory.
func (s *stage) close() (err error) {
	if s.agent != nil {
		err = s.agent.Close()
	}
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	return err
}

// build builds the agent.
func (s *stage) build(ctx context.Context) error {
	from, err := filepath.Abs(s.manifest())
	if err != nil {
		return err
	}
	options := manifest.Options{
		Set: append(append([]string{}, s.o.Set...), s.c.Set...), LookupEnv: s.lookup, Engine: s.o.Engine, Recorder: s.o.Recorder, MemoryStore: true,
		Logins: s.o.Logins, Model: s.model, Embedder: s.embedder, EnvFile: s.secrets.addAll,
	}
	if !s.c.InPlace {
		options.CopyOf = filepath.Dir(from)
	}
	m, err := manifest.Load(filepath.Join(s.dir, filepath.Base(from)), options)
	if err != nil {
		return err
	}
	if err := s.openCassette(); err != nil {
		return err
	}
	s.agent, err = m.Build(ctx, s.o.Logger, s.adjust)
	if err != nil {
		return err
	}
	if err := s.unknownScripts(); err != nil {
		return err
	}
	return s.fillStore(ctx)
}

// original shows the problems of files in the copy at their places in the original, which is still there when people read about them.
func (s *stage) original(err error) error {
	wrong, ok := errors.AsType[*strictyaml.Error](err)
	if !ok || s.temporary == "" {
		return err
	}
	for i := range wrong.Problems {
		p := &wrong.Problems[i]
		if rel, err := filepath.Rel(s.dir, p.File); err == nil && filepath.IsLocal(rel) {
			p.File = filepath.Join(filepath.Dir(s.manifest()), rel)
		}
	}
	return err
}

// lookup returns the value of a variable, which the case may set.
func (s *stage) lookup(name string) (string, bool) {
	value, ok := s.c.Env[name]
	if !ok {
		value, ok = os.LookupEnv(name)
	}
	s.secrets.add(name, value)
	return value, ok
}

// adjust changes the configuration of the agent.
func (s *stage) adjust(config *host.Config) {
	config.Clock, config.Seed = s.c.Time, s.seeds.next
	config.ToolCalls.Parallel = 1 // calls at once could take each other's results and turns of models
	if config.Checkpointer == nil {
		config.Checkpointer, config.Durability = memoryThreads(), ""
	}
	if len(s.c.Tools) > 0 {
		config.Middleware = append(config.Middleware, &toolStubs{results: s.c.Tools})
	}
	s.config = *config
}
