//go:build !no_serve

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/internal/filewatch"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// round checks everything that has changed since the last round, and swaps it in if nothing is wrong. It prints what is wrong. A round
// whose context ends leaves the rest for the next one.
func (d *dev) round(ctx context.Context) {
	well := d.check(ctx)
	if ctx.Err() != nil {
		return
	}
	switch {
	case !well && d.running != nil:
		fmt.Fprintln(d.out, "  the last good version goes on serving")
	case !well:
		fmt.Fprintln(d.out, "  nothing is served yet; correct it, and dev tries again")
	case d.ill && d.running != nil:
		d.sayf("all is well again")
	}
	d.ill = !well
	d.publish()
}

// check checks and swaps in what has changed, and reports whether all is well.
func (d *dev) check(ctx context.Context) (well bool) {
	well = true
	d.forgetProblems()
	for _, a := range d.agents {
		well = d.readManifest(a) && well
	}
	if !d.checkPlugins(ctx) || !well {
		return false
	}
	if d.kept == nil {
		var err error
		if d.address, err = d.serving.address(d.serve); err == nil {
			d.kept, err = storage.Open(ctx, d.address.WithLease(d.serve.Lease))
		}
		if err != nil {
			d.wrong("storage", err)
			return false
		}
	}
	for _, a := range d.agents {
		well = d.renew(ctx, a) && well
	}
	return well
}

// readManifest reads the manifest of an agent, and finds the files that it names.
func (d *dev) readManifest(a *devAgent) bool {
	before := filewatch.Take(a.patterns())
	used := &usedFiles{}
	a.changed = a.changed || a.seen == nil || !before.Equal(a.seen)
	m, err := d.read(a.path, manifest.Options{Engine: d.engine, Threads: d.threads(), Used: used.add}, d.log)
	switch {
	case err != nil:
		a.used = a.used.with(used) // the broken manifest does not say all
	case a.changed:
		m.Plugins() // tells their files; those of agents that are tools are told when it is built
		a.used = used
	}
	d.find(a)
	a.saw(before)
	if err == nil {
		err = d.fixed(a, m)
	}
	if err != nil {
		a.changed = true
		d.wrong(a.path, d.withManifestHint(err))
	}
	return err == nil
}

// threads returns the store of threads. As long as it is not open, one in memory stands in.
func (d *dev) threads() *threadstore.Store {
	if d.kept == nil {
		return threadstore.InMemory()
	}
	return d.kept.Threads
}

// fixed refuses changes of what is fixed while dev serves.
func (d *dev) fixed(a *devAgent, m *manifest.Manifest) error {
	if m.Name == "" {
		return served.Nameless(a.path)
	}
	if a.served == nil || d.running == nil {
		return nil
	}
	if was := a.served.Config.Name; m.Name != was {
		return fmt.Errorf("the name of the agent has changed from %q to %q; stop dev and start it again", was, m.Name)
	}
	if now, err := d.serving.address(d.serve); err != nil || now != d.address {
		return errors.New("the checkpoint has changed; stop dev and start it again")
	}
	return nil
}

// find makes a devPlugin of each plugin that an agent uses.
func (d *dev) find(a *devAgent) {
	for _, path := range a.used.paths() {
		if isPluginPath(path) && d.plugins[path] == nil {
			d.plugins[path] = newDevPlugin(path)
		}
	}
}

// inUse returns the plugins that agents use now, in the order of their paths. What is known of others stays, because a broken manifest may
// name them again.
func (d *dev) inUse() (plugins []*devPlugin) {
	for _, path := range sortedKeys(d.plugins) {
		if slices.ContainsFunc(d.agents, func(a *devAgent) bool { return a.used.has(path) }) {
			plugins = append(plugins, d.plugins[path])
		}
	}
	return plugins
}

// checkPlugins checks the plugins that have changed, and reports whether all are well.
func (d *dev) checkPlugins(ctx context.Context) bool {
	well := true
	for _, p := range d.inUse() {
		d.checkPlugin(ctx, p)
		if ctx.Err() != nil {
			return false
		}
		well = well && !p.ill
	}
	return well
}

// mostTries is how often an agent is built again because it has told of plugins that were not known before. Agents that are tools are at
// most that deep.
const mostTries = 8

// renew builds an agent again if it has changed, and reports whether that was possible.
func (d *dev) renew(ctx context.Context, a *devAgent) bool {
	var err error
	for range mostTries {
		known, written := len(d.inUse()), d.written
		err = d.build(ctx, a)
		if ctx.Err() != nil {
			return false
		}
		d.find(a)
		if len(d.inUse()) == known {
			break
		}
		if !d.checkPlugins(ctx) {
			return false
		}
		if err == nil && d.written == written { // the agent has what was checked
			a.inUse = a.versions(d.plugins)
			break
		}
	}
	if err != nil {
		if placed, ok := errors.AsType[*strictyaml.Error](err); ok { // it shows the entry of the manifest
			err = placed
		}
		d.wrong(a.path, err)
	}
	return err == nil
}

// build puts the agent into service as it is now.
func (d *dev) build(ctx context.Context, a *devAgent) error {
	versions := a.versions(d.plugins)
	switch {
	case a.served == nil:
	case a.changed || !a.onlyPlugins(versions):
	case a.same(versions):
		return nil
	default:
		if err := a.served.Agent.Remake(ctx); err != nil {
			a.changed = true
			return err
		}
		a.inUse = versions
		d.sayf("%s: the changed plugins are in use", a.path)
		d.changed(a, "the changed plugins are in use")
		return nil
	}
	err := d.rebuild(ctx, a)
	a.changed = err != nil
	if err == nil {
		a.inUse = versions
	}
	return err
}

// rebuild builds the agent from its manifest.
func (d *dev) rebuild(ctx context.Context, a *devAgent) error {
	before := filewatch.Take(a.patterns())
	defer func() { a.saw(before) }()
	m, err := d.read(a.path, manifest.Options{Engine: d.engine, Threads: d.kept.Threads, Used: a.used.add}, d.log)
	if err != nil {
		return err
	}
	next := &served.Agent{Path: a.path}
	if a.served == nil {
		if next.Agent, err = m.Build(ctx, d.log, next.Adjust(d.log, d.serve)); err != nil {
			return err
		}
	} else {
		next.Agent = a.served.Agent
		if err := m.Replace(ctx, next.Agent, d.log, next.Adjust(d.log, d.serve)); err != nil {
			return err
		}
	}
	a.served, a.own = next, m.Plugins()
	d.warnSkills(ctx, m)
	if d.running == nil {
		return nil
	}
	d.sayf("%s: the change is in use; runs that go on keep what they began with", a.path)
	d.changed(a, "the change is in use")
	return d.running.Service().Describe(next.InService(d.kept.Threads))
}

// warnSkills prints what is wrong with skills. The agent leaves such a skill out, or uses it in part.
func (d *dev) warnSkills(ctx context.Context, m *manifest.Manifest) {
	warnings, err := m.CheckSkills(ctx)
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	if len(warnings) > 0 {
		d.note("skills", warnings)
	}
}
