package manifest

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// middlewareEntry is one entry of the list: the name of a built-in middleware, alone or as the key of its configuration, or a
// plugin.
type middlewareEntry struct {
	node    strictyaml.Node // the whole entry
	id      string
	builtin host.Middleware // nil: a plugin
	plugin  pluginEntry

	subagents *subagentsEntry // for the middleware "subagents"
}

// UnmarshalStrict decodes any of the forms.
func (e *middlewareEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	if n.Kind() == strictyaml.KindString {
		var name string
		if err := n.Decode(&name); err != nil {
			return err
		}
		return e.decodeBuiltin(n, name, strictyaml.Node{})
	}
	if n.Kind() != strictyaml.KindMap {
		return n.Errorf("a middleware is a name, {name: {…}} or {plugin: FILE, …}")
	}
	if _, ok := n.Get("plugin"); ok {
		if err := n.Decode(&e.plugin); err != nil {
			return err
		}
		e.id = e.plugin.ID
		return nil
	}
	var names []string
	for _, key := range n.Keys() {
		if key != "id" {
			names = append(names, key)
		}
	}
	if len(names) != 1 {
		return n.Errorf("a middleware has exactly one name as its key, besides id; this one has %d", len(names))
	}
	if id, ok := n.Get("id"); ok {
		if err := id.Decode(&e.id); err != nil {
			return err
		}
	}
	key, _ := n.Key(names[0])
	config, _ := n.Get(names[0])
	return e.decodeBuiltin(key, names[0], config)
}

func (e *middlewareEntry) decodeBuiltin(at strictyaml.Node, name string, config strictyaml.Node) error {
	entry, ok := builtin.Lookup(name)
	if !ok {
		var names []string
		for _, known := range builtin.Registry() {
			names = append(names, known.Name)
		}
		return at.Unknown("middleware", append(names, "plugin"))
	}
	e.builtin = entry.New()
	if config.IsZero() || config.Kind() == strictyaml.KindNull {
		return nil
	}
	if err := config.Decode(e.builtin); err != nil {
		return err
	}
	var err error
	if hands, ok := e.builtin.(*builtin.Subagents); ok {
		e.subagents, err = readSubagents(hands, config)
	}
	return err
}

// pluginEntry is a WebAssembly plugin.
type pluginEntry struct {
	Plugin pluginSource `yaml:"plugin" strict:"required"` // the plugin's module: a path, or a mapping with path, oci or https
	// the name in steps, events and errors; default: the name of the file, without .wasm, or the last part of the reference
	ID     string         `yaml:"id"`
	Config map[string]any `yaml:"config" strict:"optional"` // the plugin's configuration, which must fit the plugin's schema
	Grant  grantEntry     `yaml:"grant"`                    // what this plugin may do beyond what every plugin may
	Limits limitsEntry    `yaml:"limits"`                   // the limits of what the plugin may use
	// what a call may see of earlier calls. pool (the default): an instance may keep values from call to call. call: each call finds
	// the memory as it was after configuration
	Isolation string `yaml:"isolation" strict:"enum=pool|call" schema:"default=pool"`
	// what a fault of the plugin does. closed (the default): the run fails. open: the run goes on as if the plugin had said nothing
	OnFailure string       `yaml:"on_failure" strict:"enum=closed|open" schema:"default=closed"`
	Breaker   breakerEntry `yaml:"breaker"` // when faults cause the plugin to be bypassed for a while; default: never
	// permits on_failure: open and a breaker for a plugin that guards something. Without it they are an error
	AcceptOpen bool `yaml:"accept_open"`
	// permits a plugin that guards tools which the agent does not have. Without it they are an error, because a misspelt name protects nothing
	Optional bool `yaml:"optional"`
}

// breakerEntry says when faults cause a plugin to be bypassed.
type breakerEntry struct {
	Faults int `yaml:"faults" strict:"required,min=1"` // the number of faults within the window that opens the breaker
	// the time in which faults count, and for which the plugin is bypassed; default 1m
	Window time.Duration `yaml:"window" strict:"min=1s"`
}

// limitsEntry bounds what a plugin may use. The defaults are those of plugin.DefaultLimits.
type limitsEntry struct {
	Memory strictyaml.Size  `yaml:"memory" strict:"min=64KiB,max=4GiB"` // the memory of an instance; default 64MiB
	Fuel   strictyaml.Count `yaml:"fuel" strict:"min=1k"`               // the fuel of a call of a hook; default 1G
	// the plugin's own time in a call of a hook, without the time in next; default 2s
	Deadline time.Duration   `yaml:"deadline" strict:"min=1ms"`
	Input    strictyaml.Size `yaml:"input" strict:"min=1KiB,max=1GiB"`  // the size of a document that a hook receives; default 4MiB
	Result   strictyaml.Size `yaml:"result" strict:"min=1KiB,max=1GiB"` // the size of a document that the plugin writes; default 1MiB
	// the number of host calls in a call of a hook and in the tool calls that it makes; default 10k
	HostCalls strictyaml.Count `yaml:"host_calls" strict:"min=1"`
	// how long a call of a hook may wait for its host calls, in all; the last one is not cut off; default 10m
	Wait   time.Duration   `yaml:"wait" strict:"min=1ms"`
	Next   int             `yaml:"next" strict:"min=1"`               // how often a call of a hook may call next; default 10
	Log    strictyaml.Size `yaml:"log" strict:"min=1KiB,max=1GiB"`    // the size of what a call of a hook may log; default 64KiB
	Events strictyaml.Size `yaml:"events" strict:"min=1KiB,max=1GiB"` // the size of the events that a call of a hook may emit; default 1MiB
	State  strictyaml.Size `yaml:"state" strict:"min=1KiB"`           // the size of all results with which the plugin changes a run; default 64MiB
	// how many calls of the plugin's hooks can run at once; default 8
	Instances int `yaml:"instances" strict:"min=1"`
}

// build makes the middleware of the entry.
func (e *middlewareEntry) build(m *Manifest) host.Middleware {
	inner := e.builtin
	if config, ok := inner.(builtin.PathResolver); ok {
		inner = config.ResolvePaths(m.path)
	}
	if skills, ok := inner.(builtin.Skills); ok {
		for _, dir := range skills.Directories() {
			m.use(dir)
		}
	}
	switch {
	case e.subagents != nil:
		inner = &subagents{entry: e.subagents, manifest: m}
	case inner == nil:
		w, err := e.plugin.build(m)
		if err != nil {
			inner = &unusable{w.Name(), err}
			break
		}
		inner = w
	}
	return &entryMiddleware{Middleware: inner, id: e.id, node: e.node, source: &e.plugin.Plugin}
}

// build makes the plugin. Only one that is not a file may fail. The name of the plugin is set even then.
func (p *pluginEntry) build(m *Manifest) (plugin.Wasm, error) {
	w := plugin.Wasm{
		ID: p.ID, SHA256: string(p.Plugin.SHA256), Config: p.Config,
		Minisign: p.Plugin.Minisign, Isolation: plugin.Isolation(p.Isolation), Breaker: plugin.Breaker(p.Breaker),
		OnFailure: plugin.FailurePolicy(p.OnFailure), AcceptOpen: p.AcceptOpen, Optional: p.Optional, Engine: m.engine,
		Grant: p.Grant.build(), Recorder: m.recorder,
		Limits: plugin.Limits{
			Memory: int64(p.Limits.Memory), Fuel: int64(p.Limits.Fuel), Deadline: p.Limits.Deadline,
			Input: int(p.Limits.Input), Result: int(p.Limits.Result),
			HostCalls: int(p.Limits.HostCalls), Wait: p.Limits.Wait, Next: p.Limits.Next, Log: int(p.Limits.Log),
			Events: int(p.Limits.Events), State: int64(p.Limits.State), Instances: p.Limits.Instances,
		},
	}
	if p.Plugin.Path != "" {
		w.Path = m.use(m.path(p.Plugin.Path))
		return w, nil
	}
	w.ID = cmp.Or(w.ID, p.Plugin.base())
	return w, m.takeLocked(&p.Plugin, &w)
}

// unusable is a plugin whose module is not on this machine.
type unusable struct {
	name string
	err  error
}

func (u *unusable) Name() string { return u.name }

func (u *unusable) Hooks(context.Context, host.Env) (*host.Hooks, error) { return nil, u.err }

// entryMiddleware is the middleware of an entry of the manifest. Its errors are shown at the place of the entry.
type entryMiddleware struct {
	host.Middleware

	id     string
	node   strictyaml.Node
	source *pluginSource // zero: the middleware is built in
}

// Unwrap returns the inner middleware.
func (p *entryMiddleware) Unwrap() host.Middleware { return p.Middleware }

func (p *entryMiddleware) Name() string {
	if p.id != "" {
		return p.id
	}
	return p.Middleware.Name()
}

func (p *entryMiddleware) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	hooks, err := p.Middleware.Hooks(ctx, env)
	if wrong, ok := errors.AsType[*plugin.ConfigError](err); ok {
		return nil, misconfigured(p.node, wrong)
	}
	if err != nil {
		return nil, located(p.node, withPullAdvice(err, p.source))
	}
	if hooks.Kind == "" && p.id != "" {
		hooks.Kind, _, _ = strings.Cut(p.Middleware.Name(), "[")
	}
	return hooks, nil
}

// misconfigured puts an error about a plugin's configuration at the key or value that does not fit. A part that the manifest does not
// have, such as a default, is shown at the value around it.
func misconfigured(entry strictyaml.Node, wrong *plugin.ConfigError) error {
	config, ok := entry.Get("config")
	if !ok {
		return located(entry, wrong)
	}
	around, at, last := config, config, ""
	for step := range strings.SplitSeq(strings.TrimPrefix(wrong.Pointer, "/"), "/") {
		last = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		inner, ok := at.Get(last)
		if i, err := strconv.Atoi(last); err == nil && at.Kind() == strictyaml.KindList && i < at.Len() {
			inner, ok = at.Items()[i], true
		}
		if !ok {
			break
		}
		around, at = at, inner
	}
	if key, ok := around.Key(last); ok && wrong.Unknown {
		return key.Unknown("key", wrong.Known)
	}
	return at.Errorf("%s", wrong.Problem)
}

// located puts an error at a node, unless it has a place of its own.
func located(at strictyaml.Node, err error) error {
	if _, ok := errors.AsType[*strictyaml.Error](err); ok {
		return err
	}
	return at.Errorf("%w", err)
}
