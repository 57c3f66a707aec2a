package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/registry/cache"
	"github.com/agenthost/agenthost/registry/lock"
)

// APIVersion is the version of the format that this package reads.
const APIVersion = "agenthost/v1"

// Manifest holds a manifest that was read. Its fields are the keys of the file.
type Manifest struct {
	APIVersion string `yaml:"apiVersion" strict:"required,enum=agenthost/v1"` // the version of the format: agenthost/v1
	// the name of the agent, which is set on the model's messages and on events
	Name        string `yaml:"name"`
	Description string `yaml:"description"` // free text, for people
	// the path of a file of lines NAME=VALUE, for variables that the environment lacks; relative to the manifest
	EnvFile      string                            `yaml:"env_file"`
	Model        modelEntry                        `yaml:"model" strict:"required"` // the agent's model
	Models       strictyaml.OrderedMap[modelEntry] `yaml:"models"`                  // further models by name, for middleware
	Prices       pricesEntry                       `yaml:"prices"`                  // what models cost: a mapping, or the path of a YAML file; default: unknown
	SystemPrompt promptEntry                       `yaml:"system_prompt"`           // the system prompt: a text, {file: PATH}, or a list of text blocks
	Tools        []toolEntry                       `yaml:"tools"`                   // the tools that the model may call
	ToolCalls    toolCallsEntry                    `yaml:"tool_calls"`              // the limits of tool calls
	// the middleware around the model and the tools; the first is the outermost
	Middleware []middlewareEntry `yaml:"middleware"`
	// the schema of the answer, if the answer of a run is a value that must fit one
	ResponseFormat responseFormatEntry `yaml:"response_format"`
	// what the context of a run must fit, the value that the caller gives to hooks and tools: a JSON Schema, or the path of a JSON file
	ContextSchema schemaEntry `yaml:"context_schema"`
	// where threads are kept: memory, sqlite:PATH or a postgres:// URL; default: nowhere
	Checkpoint checkpointEntry `yaml:"checkpoint"`
	// how long a thread in a database stays with a run whose process has died; default 15s. A server has a lease of its own, in serve.yaml
	Lease           time.Duration   `yaml:"lease" strict:"min=1s,max=10m" schema:"default=15s"`
	Store           storeEntry      `yaml:"store"`            // the values that outlive threads, which are where checkpoint keeps threads
	Durability      durabilityEntry `yaml:"durability"`       // when a run saves its thread; default round
	InterruptBefore []breakpoint    `yaml:"interrupt_before"` // the steps before which a run stops
	InterruptAfter  []breakpoint    `yaml:"interrupt_after"`  // the steps after which a run stops
	// the number of steps at which a run fails; default 10000
	RecursionLimit int `yaml:"recursion_limit" strict:"min=1" schema:"default=10000"`

	root         strictyaml.Node                  // the file after the assignments, with variables as they are written
	file         string                           // the path of the file
	dir          string                           // directory of the file, which paths are relative to
	lookup       func(name string) (string, bool) // looks up a variable in the environment and then in env_file
	inFile       func(name string) bool           // reports whether a variable is from env_file; nil: none is
	process      func(name string) (string, bool) // looks up a variable in the environment alone
	engine       *plugin.Engine
	cache        *cache.Cache
	locked       func() (*lock.File, error)
	recorder     plugin.Recorder
	inMemory     bool
	memoryStore  bool
	threads      *threadstore.Store
	unstarted    func(server mcp.Config)
	loginStore   oauth.Store
	toolsChanged func()
	waiting      func(servers []string)
	used         func(path string)
	tracer       host.Tracer
	envFile      func(values map[string]string)
	makeModel    func(of *ModelEntry) (model.Model, error)
	makeEmbedder func(of *EmbedderEntry) (model.Embedder, error)
	copied       string // a copy of copyOf, if that is not ""
	copyOf       string
	chain        []string // the manifests of the agents that have this agent as a tool, and its own manifest
}

// Options are options for reading a manifest.
type Options struct {
	Set       []string                         // assignments on top of the file: "model.provider=scripted", "middleware[0].config.strategy=hash"
	LookupEnv func(name string) (string, bool) // nil: os.LookupEnv
	EnvFile   func(values map[string]string)   // is told the variables of env_file, also of agents that are tools; nil: nothing is told
	Engine    *plugin.Engine                   // shared by the plugins; nil: none
	Cache     *cache.Cache                     // has the plugins that are not files; nil: the user's
	Recorder  plugin.Recorder                  // records every call of every plugin; nil: none
	InMemory  bool                             // keeps threads in memory, whatever the manifest says, and does not open its database
	// MemoryStore keeps threads and values in memory, and does not open the manifest's database. Unlike with InMemory, MCP servers are
	// started.
	MemoryStore bool
	// Threads is a store in place of the manifest's database, for several agents that share one. It stays open when the agent is closed.
	// Agents that are tools keep their own.
	Threads *threadstore.Store
	// Unstarted is told of each MCP server that InMemory keeps from being started, also by agents that are tools; nil: nothing
	// is told.
	Unstarted func(server mcp.Config)
	// ToolsChanged is told, by any goroutine, that host.Config.RefreshTools may return other tools now, because an MCP server has announced
	// it. It must not wait. nil: nothing is told.
	ToolsChanged func()
	// Logins keeps the user's logins to MCP servers, also for agents that are tools; nil: there are none, and the key oauth is an error.
	Logins oauth.Store
	// Waiting is told the names of the MCP servers that Build still waits for when it has waited for two seconds, also for agents that
	// are tools; nil: nothing is told.
	Waiting func(servers []string)
	// Used is told the path of each file that the agent is made of, also of agents that are tools, when it is about to be read: manifests,
	// prompts, rules, schemas and plugins. Of a plugin with a loader it is the path that the manifest names. It may be told a path more than
	// once, by any goroutine. nil: nothing is told.
	Used func(path string)
	// Tracer is told what the agent does, and what agents do that are tools or subagents; nil: nobody is.
	Tracer host.Tracer
	// Model makes the models in place of the manifest, also those of agents that are tools; nil: the manifest makes them.
	Model func(of *ModelEntry) (model.Model, error)
	// Embedder makes the embedding models in place of the manifest, like Model; nil: the manifest makes them.
	Embedder func(of *EmbedderEntry) (model.Embedder, error)
	// CopyOf is the directory that the manifest's directory is a copy of: paths that lead out of the copy lead to the same place as in the
	// original. "": it is not a copy.
	CopyOf string

	copied string // the directory that is a copy of CopyOf; "": that of the manifest
}

// MaxSize is the size of the largest manifest, in bytes, and of the largest file that a manifest names.
const MaxSize = 1 << 20

// Load reads a manifest. The error is a [*NotFoundError], or one that shows where in the file the problem is.
func Load(path string, options Options) (*Manifest, error) {
	return load(path, options, []string{absolute(path)})
}

// load reads a manifest; chain holds the manifests that lead to it, and the manifest itself.
func load(path string, options Options, chain []string) (*Manifest, error) {
	m := &Manifest{
		ToolCalls: defaultToolCalls(), file: path, dir: filepath.Dir(path), chain: chain, cache: options.Cache,
		engine: options.Engine, recorder: options.Recorder, inMemory: options.InMemory, memoryStore: options.MemoryStore,
		threads: options.Threads, unstarted: options.Unstarted, used: options.Used, tracer: options.Tracer,
		waiting: options.Waiting, loginStore: options.Logins, toolsChanged: options.ToolsChanged, envFile: options.EnvFile,
		makeModel: options.Model, makeEmbedder: options.Embedder, copyOf: options.CopyOf, copied: cmp.Or(options.copied, filepath.Dir(path)),
	}
	m.locked = sync.OnceValues(func() (*lock.File, error) { return lock.Read(m.use(lock.Path(path))) })
	data, err := m.readFile(path, "a manifest")
	if err != nil {
		return nil, err
	}
	lookup := options.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	m.process = lookup
	root, err := strictyaml.Parse(path, data,
		strictyaml.WithSet(options.Set), strictyaml.WithMaxBytes(MaxSize), strictyaml.WithSecrets(isSecret), strictyaml.WithShortForms(longForm))
	if err != nil {
		return nil, err
	}
	m.root = root
	if m.lookup, m.inFile, err = environment(root, lookup, func(file string) string { return m.use(m.path(file)) }, options.EnvFile); err != nil {
		return nil, err
	}
	expanded, unset := root.Expand(m.lookup)
	err = strictyaml.Join(unset, expanded.Decode(m))
	if err == nil {
		err = strictyaml.Join(m.needsCheckpoint("lease"), m.needsCheckpoint("durability"))
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// NotFoundError means that a file is missing.
type NotFoundError struct {
	Path string
	What string // "a manifest", "a rules file", …
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s: there is no such file (expected %s)", e.Path, e.What)
}

// use tells that the agent is made of a file, which is returned.
func (m *Manifest) use(path string) string {
	if m.used != nil && path != "" {
		m.used(path)
	}
	return path
}

// readFile reads a file that the agent is made of.
func (m *Manifest) readFile(path, what string) ([]byte, error) { return readFile(m.use(path), what) }

// readFile reads a file that the operator named. It reads regular files only, of at most [MaxSize] bytes.
func readFile(path, what string) ([]byte, error) {
	data, err := regularfile.Read(path, MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFoundError{path, what}
	}
	if _, ok := errors.AsType[*regularfile.KindError](err); ok {
		return nil, fmt.Errorf("%w; %s is expected", err, what)
	}
	return data, err
}

// path resolves a path of the manifest.
func (m *Manifest) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	path := filepath.Join(m.dir, p)
	if m.copyOf == "" || !below(m.copied, m.dir) || below(m.copied, path) {
		return path
	}
	out, err := filepath.Rel(m.copied, path)
	if err != nil {
		return path
	}
	return filepath.Join(m.copyOf, out)
}

// below reports whether a path is a directory or below it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
