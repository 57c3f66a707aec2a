package manifest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
		return n.Errorf("a middleware has one name as its key, and may have an id; this one has %d", len(names))
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
	Plugin    pluginSource   `yaml:"plugin" strict:"required"`             // the module: a path, or {path, sha256, minisign}
	ID        string         `yaml:"id"`                                   // its name in steps and events
	Config    map[string]any `yaml:"config" strict:"optional"`             // the plugin's configuration
	Grant     grantEntry     `yaml:"grant"`                                // what the plugin may do beyond what every plugin may
	Limits    limitsEntry    `yaml:"limits"`                               // limits of the plugin
	Isolation string         `yaml:"isolation" strict:"enum=pool|call"`    // pool: instances are used again; call: each call has a new one
	OnFailure string         `yaml:"on_failure" strict:"enum=closed|open"` // closed: the run fails with the plugin; open: it goes on without it
	Breaker   breakerEntry   `yaml:"breaker"`                              // when the plugin is bypassed
}

// pluginSource is the path of a module, or a mapping with more.
type pluginSource struct {
	Path     string     `yaml:"path" strict:"required"` // path of the module, relative to the manifest
	SHA256   digest     `yaml:"sha256"`                 // the digest that the module must have
	Minisign publicKeys `yaml:"minisign"`               // public keys, of which one must have signed the module
}

// digest is a SHA-256 digest in hexadecimal.
type digest string

// CheckStrict requires 64 digits.
func (d *digest) CheckStrict(n strictyaml.Node) error {
	if b, err := hex.DecodeString(string(*d)); err != nil || len(b) != sha256.Size {
		return n.Errorf("must be a SHA-256: 64 hexadecimal digits, as sha256sum prints them")
	}
	return nil
}

// publicKeys are public keys of minisign: one, or a list.
type publicKeys []string

// UnmarshalStrict decodes either form.
func (k *publicKeys) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() == strictyaml.KindList {
		return n.Decode((*[]string)(k))
	}
	*k = make(publicKeys, 1)
	return n.Decode(&(*k)[0])
}

// CheckStrict requires at least one key.
func (k *publicKeys) CheckStrict(n strictyaml.Node) error {
	for _, key := range *k {
		if err := plugin.ParseKey(key); err != nil {
			return n.Errorf("%w", err)
		}
	}
	return nil
}

// breakerEntry is when a plugin is bypassed.
type breakerEntry struct {
	Faults int           `yaml:"faults" strict:"required,min=1"` // the number of faults that opens the breaker
	Window time.Duration `yaml:"window" strict:"min=1s"`         // within such a time
}

// UnmarshalStrict decodes either form.
func (s *pluginSource) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() != strictyaml.KindMap {
		return n.Decode(&s.Path)
	}
	type fields pluginSource
	return n.Decode((*fields)(s))
}

type limitsEntry struct {
	Memory    strictyaml.Size  `yaml:"memory" strict:"min=64KiB,max=4GiB"` // of an instance
	Fuel      strictyaml.Count `yaml:"fuel" strict:"min=1k"`               // fuel of a call
	Deadline  time.Duration    `yaml:"deadline" strict:"min=1ms"`          // time for a call
	Input     strictyaml.Size  `yaml:"input" strict:"min=1KiB,max=1GiB"`   // bytes of a call's input
	Result    strictyaml.Size  `yaml:"result" strict:"min=1KiB,max=1GiB"`  // bytes of a call's result
	HostCalls strictyaml.Count `yaml:"host_calls" strict:"min=1"`          // host calls in a call
	Next      int              `yaml:"next" strict:"min=1"`                // calls of next in a call
	Log       strictyaml.Size  `yaml:"log" strict:"min=1KiB,max=1GiB"`     // bytes that a call may log
	Instances int              `yaml:"instances" strict:"min=1"`           // that may be at work at once
}

// build makes the middleware of the entry.
func (e *middlewareEntry) build(m *Manifest) host.Middleware {
	inner := e.builtin
	if config, ok := inner.(builtin.PathResolver); ok {
		inner = config.ResolvePaths(m.path)
	}
	switch {
	case e.subagents != nil:
		inner = &subagents{entry: e.subagents, manifest: m}
	case inner == nil:
		p := &e.plugin
		inner = plugin.Wasm{
			ID: p.ID, Path: m.path(p.Plugin.Path), SHA256: string(p.Plugin.SHA256), Config: p.Config,
			Minisign: p.Plugin.Minisign, Isolation: plugin.Isolation(p.Isolation), Breaker: plugin.Breaker(p.Breaker),
			OnFailure: plugin.FailurePolicy(p.OnFailure), Engine: m.engine,
			Grant: p.Grant.build(), Recorder: m.recorder,
			Limits: plugin.Limits{
				Memory: int64(p.Limits.Memory), Fuel: int64(p.Limits.Fuel), Deadline: p.Limits.Deadline,
				Input: int(p.Limits.Input), Result: int(p.Limits.Result),
				HostCalls: int(p.Limits.HostCalls), Next: p.Limits.Next, Log: int(p.Limits.Log), Instances: p.Limits.Instances,
			},
		}
	}
	return &entryMiddleware{Middleware: inner, id: e.id, node: e.node}
}

// entryMiddleware is the middleware of an entry of the manifest. Its errors are shown at the place of the entry.
type entryMiddleware struct {
	host.Middleware
	id   string
	node strictyaml.Node
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
	if err != nil {
		return nil, located(p.node, err)
	}
	if hooks.Kind == "" && p.id != "" {
		hooks.Kind, _, _ = strings.Cut(p.Middleware.Name(), "[")
	}
	return hooks, nil
}

// located puts an error at a node, unless it has a place of its own.
func located(at strictyaml.Node, err error) error {
	if _, ok := errors.AsType[*strictyaml.Error](err); ok {
		return err
	}
	return at.Errorf("%w", err)
}
