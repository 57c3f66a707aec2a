package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/manifest"
)

// manifest checks the manifest and what it names.
func (d *doctor) manifest(ctx context.Context) {
	logger := d.logger()
	engine := d.engine(logger)
	defer func() { _ = engine.Close() }() // the process ends
	m, err := manifest.Load(d.file, d.options(manifest.Options{Set: d.set, Engine: engine, InMemory: true, Unstarted: d.server}))
	if err != nil {
		remedy := "docs/manifest.md describes every key"
		if missing, ok := errors.AsType[*manifest.NotFoundError](err); ok && missing.Path == d.file {
			remedy = "name another one with -f FILE, or write one with 'agenthost init'"
		}
		d.failed("manifest", err.Error(), remedy)
		return
	}
	d.okf("manifest", "%s is readable", d.file)
	d.plugins(ctx, m, engine)
	var config host.Config
	agent, err := m.Build(ctx, logger, func(c *host.Config) { config = *c })
	switch {
	case ctx.Err() != nil:
	case err != nil:
		remedy := ""
		if config.Model == nil { // Build failed before
			remedy = "correct this, and run doctor again: the models are not checked yet"
		}
		d.failed("agent", err.Error(), remedy)
	default:
		d.okf("agent", "builds, with %d tools of its own and %d middleware", len(config.Tools), len(config.Middleware))
		if err := agent.Close(); err != nil {
			d.failed("agent", err.Error(), "")
		}
	}
	if config.Model == nil {
		return
	}
	d.named = config.Name != ""
	d.model(ctx, "model", config.Model)
	for _, name := range slices.Sorted(maps.Keys(config.Models)) {
		d.model(ctx, "model "+name, config.Models[name])
	}
}

// options returns options that also keep the variables in the manifest's env_file.
func (d *doctor) options(options manifest.Options) manifest.Options {
	options = d.watch.watching(options)
	told := options.EnvFile
	options.EnvFile = func(values map[string]string) {
		if d.inFile == nil { // those of agents that are tools come later
			d.inFile = values
		}
		if told != nil {
			told(values)
		}
	}
	return options
}

// lookup returns the value of a variable of the manifest.
func (d *doctor) lookup(name string) (string, bool) {
	if value := os.Getenv(name); value != "" {
		return value, true
	}
	value, ok := d.inFile[name]
	return value, ok
}

// plugins checks each plugin of the manifest.
func (d *doctor) plugins(ctx context.Context, m *manifest.Manifest, engine *plugin.Engine) {
	for _, w := range m.Plugins() {
		if ctx.Err() != nil {
			return
		}
		d.plugin(ctx, plugin.Wasm{ID: w.ID, Path: w.Path, SHA256: w.SHA256, Minisign: w.Minisign, Signature: w.Signature, Engine: engine})
	}
	for _, r := range m.RemotePlugins() {
		if r.Err != nil {
			d.failed("plugin "+r.Name, r.Err.Error(), "'agenthost plugin lock' accepts versions of plugins, and 'agenthost plugin pull' fetches them")
		}
	}
}

func (d *doctor) plugin(ctx context.Context, w plugin.Wasm) {
	subject := "plugin " + w.Name()
	in := author.Inspect(ctx, w)
	if !in.OK {
		d.failed(subject, fmt.Sprintf("%s (%s): %s", w.Path, in.Stage, in.Message),
			"'agenthost plugin inspect' shows details; 'agenthost plugin build' builds a plugin from its sources")
		return
	}
	said := fmt.Sprintf("%s %s, ABI %d", in.Described.Name, in.Described.Version, in.Described.ABI)
	switch {
	case w.SHA256 != "" && len(w.Minisign) > 0:
		d.okf(subject, "%s; its digest and signature are as the manifest demands", said)
	case w.SHA256 != "":
		d.okf(subject, "%s; its digest is as the manifest demands", said)
	case len(w.Minisign) > 0:
		d.okf(subject, "%s; its signature is as the manifest demands", said)
	default:
		d.note(subject, said+"; it is not pinned, so any file at its path is accepted",
			fmt.Sprintf("if it is not your own, pin it: plugin: {path: …, sha256: %s}", in.SHA256))
	}
}
