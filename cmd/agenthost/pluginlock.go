package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/registry/lock"
)

func (a *app) pluginLockCommand() *cobra.Command {
	var flags registryFlags
	var accept bool
	c := &cobra.Command{
		Use:   "lock [flags]",
		Short: "Say which versions of the manifest's plugins a run may use",
		Long: `Fetch the plugins of the manifest that come from a registry or a URL, as their tags and URLs say now, print
what has changed since the last time, and write agenthost.lock beside the manifest. It has for each plugin
the digests of its manifest in the registry and of its module, its signer, and what it asks for: hooks, the
messages that they see, capabilities, keys of the run's context, and the fields of other middleware that it
reads and writes. A run uses these modules and no others. Keep the file together with the manifest.
Manifests of agents that the agent uses as tools or subagents have lock files of their own, which the
command writes, too.

A plugin that asks for more than the lock file says, or has another signer, must be accepted: at a terminal
the command asks, elsewhere it takes --accept. Otherwise it changes nothing, and the exit code is 5.`,
		Example: `  agenthost plugin lock
  agenthost plugin lock -f work.yaml --accept`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.eachManifest("plugin lock", &flags, func(f *fetcher) error { return a.pluginLock(c.Context(), f, accept) })
		},
	}
	a.manifestFlags(c)
	flags.add(c)
	c.Flags().BoolVar(&accept, "accept", false, "accept plugins that ask for more, or have another signer")
	return c
}

// pluginLock locks the plugins of one manifest.
func (a *app) pluginLock(ctx context.Context, f *fetcher, accept bool) error {
	next := &lock.File{}
	var all []*fetched
	grown := 0
	remote := f.manifest.RemotePlugins()
	if len(remote) == 0 && len(f.locked.Plugins) == 0 {
		fmt.Fprintf(a.err, "· %s has no plugins from registries or URLs\n", terminal.Line(f.manifest.Path()))
		return nil
	}
	for i := range remote {
		r := &remote[i]
		if next.Find(r.Source) != nil {
			return &exitError{exitUsage, fmt.Errorf("plugin lock: %s is in the manifest twice, with different demands; make them equal", r.Source)}
		}
		p, err := f.fetch(ctx, r, nil)
		if err != nil {
			return err
		}
		change := changeOf(f.before(r.Source), p, r.Minisign)
		if change.grows() {
			grown++
		}
		if err := change.print(a.out, r); err != nil {
			return &exitError{exitFailed, err}
		}
		next.Plugins, all = append(next.Plugins, p.entry), append(all, p)
	}
	for i := range f.locked.Plugins {
		if source := f.locked.Plugins[i].Source; next.Find(source) == nil {
			fmt.Fprintf(a.out, "%s: is no longer in the manifest\n", terminal.Line(source))
		}
	}
	if grown > 0 && !accept {
		if err := a.accepted(ctx, grown); err != nil {
			return err
		}
	}
	for _, p := range all {
		if err := f.keep(p); err != nil {
			return err
		}
	}
	if err := next.Write(f.manifest.LockPath()); err != nil {
		return &exitError{exitFailed, fmt.Errorf("plugin lock: %w", err)}
	}
	_, err := fmt.Fprintf(a.out, "%s: %s\n", terminal.Line(f.manifest.LockPath()), counted(len(next.Plugins), "plugin"))
	return err
}

// accepted asks the person at the terminal to accept what has grown.
func (a *app) accepted(ctx context.Context, grown int) error {
	refused := &exitError{exitPlugin, fmt.Errorf("plugin lock: nothing was changed, because you must accept %s that asks for more or has another signer; "+
		"if you trust the author, repeat the command with --accept", counted(grown, "plugin"))}
	if !a.terminal {
		return refused
	}
	yes, err := a.conversation().Confirm(ctx, "Accept this?")
	switch {
	case errors.Is(err, prompt.ErrLeft), err == nil && !yes:
		return refused
	case ctx.Err() != nil:
		return interrupted()
	case err != nil:
		return &exitError{exitFailed, err}
	}
	return nil
}

// lockChange is how a plugin differs from what the lock file says.
type lockChange struct {
	before, now *lock.Plugin // before is nil: it is new
	trusted     []string     // the keys in the manifest
	more, less  plugin.Asks
}

func changeOf(before *lock.Plugin, p *fetched, trusted []string) lockChange {
	c := lockChange{before: before, now: &p.entry, trusted: trusted}
	now := plugin.Asks(p.entry.Asks)
	if before != nil {
		c.more, c.less = now.Beyond(plugin.Asks(before.Asks)), plugin.Asks(before.Asks).Beyond(now)
	}
	return c
}

// newSigner reports whether a plugin that was signed is not signed any more, or by someone else than the keys that the manifest had. Of
// several keys in the manifest, any may have signed it.
func (c *lockChange) newSigner() bool {
	return c.before != nil && c.before.Signer != "" && c.before.Signer != c.now.Signer && !slices.Contains(c.trusted, c.before.Signer)
}

// grows reports whether the change must be accepted. A new plugin need not be: its entry in the manifest grants what it may do.
func (c *lockChange) grows() bool { return !c.more.IsZero() || c.newSigner() }

func (c *lockChange) print(w io.Writer, r *manifest.RemotePlugin) error {
	out := &strings.Builder{}
	row := func(name, format string, args ...any) {
		fmt.Fprintf(out, "  %-16s %s\n", name, terminal.Line(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(out, "%s: %s %s", terminal.Line(r.Source), terminal.Line(c.now.Name), terminal.Line(c.now.Version))
	switch {
	case c.before == nil:
		out.WriteString(", new\n")
		row("sha256", "%s", c.now.SHA256)
		if c.now.Signer != "" {
			row("signed by", "%s", c.now.Signer)
		}
		row("asks for", "%s", cmp.Or(plugin.Asks(c.now.Asks).String(), "nothing"))
	case c.before.SHA256 == c.now.SHA256 && !c.grows() && c.less.IsZero() && c.before.Signer == c.now.Signer:
		out.WriteString(", unchanged\n")
	default:
		fmt.Fprintf(out, ", before %s\n", terminal.Line(c.before.Version))
		row("sha256", "%s", c.now.SHA256)
		if c.newSigner() {
			row("signed by", "%s, before %s", cmp.Or(c.now.Signer, "nobody"), c.before.Signer)
		}
		if !c.more.IsZero() {
			row("now also asks", "for %s", c.more)
		}
		if !c.less.IsZero() {
			row("no longer asks", "for %s", c.less)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
