package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/registry/reference"
)

func (a *app) pluginPullCommand() *cobra.Command {
	var flags registryFlags
	var output string
	c := &cobra.Command{
		Use:   "pull [oci://HOST/NAME:TAG] [flags]",
		Short: "Pull the manifest's plugins from their registries, or one plugin into a file",
		Long: `Without an argument, fetch those plugins of the manifest, and of the agents that it uses, that come from a
registry or a URL, and keep them on this machine, where a run finds them without a network. A plugin in
agenthost.lock is fetched with the digest there, even if its tag has moved. One that is not locked yet is
fetched as its tag says now. A plugin that asks for more than the lock file says, even under another tag, is
refused.

With an argument, pull one plugin into the file NAME.wasm, or the one that -o names, which must not exist
yet. With --minisign, its signature is written to the same name with .minisig at the end.

The exit code is 1 if the registry fails or does not answer, 2 if it does not have the plugin or the file is
taken, and 5 if a plugin was refused.`,
		Example: `  agenthost plugin pull
  agenthost plugin pull oci://ghcr.io/acme/redact:1.2 -o redact.wasm
  agenthost plugin pull oci://ghcr.io/acme/redact:1.2 --minisign RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.pullFile(c.Context(), args[0], output, &flags)
			}
			if output != "" || len(flags.minisign) > 0 {
				return &exitError{exitUsage, errors.New("plugin pull: -o and --minisign are for one plugin; name it, or leave them out")}
			}
			if err := a.locate(c); err != nil {
				return err
			}
			return a.pullPlugins(c.Context(), "plugin pull", &flags)
		},
	}
	a.manifestFlags(c)
	c.PreRunE = nil // one plugin needs no manifest
	flags.add(c)
	flags.addMinisign(c)
	c.Flags().StringVarP(&output, "output", "o", "", "the `FILE` for the plugin; default: NAME.wasm")
	return c
}

// pullFile pulls one plugin into a file.
func (a *app) pullFile(ctx context.Context, source, output string, flags *registryFlags) error {
	ref, err := parseReference("plugin pull", source)
	if err != nil {
		return err
	}
	keys, err := flags.keys()
	if err != nil {
		return err
	}
	output = cmp.Or(output, ref.Base()+".wasm")
	client := flags.client()
	defer client.CloseIdleConnections()
	pulled, err := client.PullPlugin(ctx, ref, keys...)
	if err != nil {
		return registryError(ctx, "plugin pull", err)
	}
	type file struct {
		path    string
		content []byte
	}
	files := []file{{output, pulled.Bytes}}
	if pulled.Signature != nil {
		files = append(files, file{output + minisig.Suffix, pulled.Signature.Bytes})
	}
	for _, f := range files {
		if err := notTaken(f.path, f.content); err != nil {
			return &exitError{exitUsage, fmt.Errorf("plugin pull: %w", err)}
		}
	}
	for _, f := range files {
		if err := atomicfile.Write(f.path, f.content, 0o644); err != nil {
			return &exitError{exitFailed, fmt.Errorf("plugin pull: %w", err)}
		}
	}
	signed := ""
	if pulled.Signature != nil {
		signed = fmt.Sprintf("  signed   by %s\n", pulled.Signature.By)
	}
	_, err = fmt.Fprintf(a.out, "%s: %d bytes from %s\n  digest   %s\n%s", terminal.Line(output), len(pulled.Bytes), ref, pulled.Manifest, signed)
	return err
}

// notTaken refuses to replace a file by one with another content.
func notTaken(path string, content []byte) error {
	old, err := regularfile.Read(path, plugin.MaxModuleSize)
	_, large := errors.AsType[*regularfile.SizeError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && bytes.Equal(old, content):
		return nil
	case err != nil && !large:
		return fmt.Errorf("%w; name another file with -o FILE", err)
	default:
		return fmt.Errorf("%s is there already, with another content; name another file with -o FILE", path)
	}
}

// pullPlugins fetches the plugins of the manifest that are not files, unless they are on this machine.
func (a *app) pullPlugins(ctx context.Context, command string, flags *registryFlags) error {
	number, unlocked := 0, false
	err := a.eachManifest(command, flags, func(f *fetcher) error {
		remote := f.manifest.RemotePlugins()
		number += len(remote)
		for i := range remote {
			said, locked, err := f.pull(ctx, &remote[i])
			if err != nil {
				return err
			}
			unlocked = unlocked || !locked
			fmt.Fprintf(a.err, "· %s: %s\n", terminal.Line(remote[i].Source), said)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if number == 0 {
		fmt.Fprintf(a.err, "· %s has no plugins from registries or URLs\n", terminal.Line(a.file))
	}
	if unlocked {
		fmt.Fprintln(a.err, "· 'agenthost plugin lock' shows what they ask for, and lets a run use them")
	}
	return nil
}

// pullFirst fetches the plugins of the manifest before a run, if the flags say so.
func (a *app) pullFirst(ctx context.Context, flags *runFlags) error {
	switch {
	case !flags.pull:
		return nil
	case flags.server.url != "":
		return &exitError{exitUsage, errors.New("run: --pull is for the plugins of a manifest; leave it out, because the agent is one of a server")}
	default:
		return a.pullPlugins(ctx, "run: --pull", &flags.registries)
	}
}

// pull fetches one plugin, and returns what happened and whether the plugin is locked.
func (f *fetcher) pull(ctx context.Context, r *manifest.RemotePlugin) (said string, locked bool, err error) {
	if f.usable(r) {
		return "is already on this machine", true, nil
	}
	entry := f.locked.Find(r.Source)
	p, err := f.fetch(ctx, r, entry)
	if err != nil {
		return "", false, err
	}
	if entry != nil && p.entry.SHA256 != entry.SHA256 {
		return "", false, f.refused(r, fmt.Errorf("%w; the lock file was changed by hand, or belongs to something else: 'agenthost plugin lock' corrects it",
			&plugin.DigestError{Want: entry.SHA256, Got: p.entry.SHA256}))
	}
	if err := f.checkAsks(r, p); err != nil {
		return "", false, err
	}
	if err := f.keep(p); err != nil {
		return "", false, err
	}
	said = fmt.Sprintf("pulled %s %s, %d bytes", terminal.Line(p.entry.Name), terminal.Line(p.entry.Version), len(p.Bytes))
	switch {
	case entry == nil:
		return said + "; it is not locked yet", false, nil
	case entry.Signer != p.entry.Signer:
		return said + "; its signer is not the one in the lock file", false, nil
	default:
		return said + f.moved(ctx, r, entry.Manifest), true, nil
	}
}

// moved says that the tag of a reference names something else than what is locked. A registry that does not answer is no reason to fail.
func (f *fetcher) moved(ctx context.Context, r *manifest.RemotePlugin, pinned string) string {
	ref, err := reference.Parse(r.Source)
	if r.IsURL || err != nil || ref.Digest != "" {
		return ""
	}
	now, err := f.client.Resolve(ctx, ref)
	if err != nil || now == pinned {
		return ""
	}
	return "; the tag has moved since it was locked, and 'agenthost plugin lock' shows what is new"
}
