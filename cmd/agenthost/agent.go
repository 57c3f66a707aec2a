package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/registry"
)

func (a *app) agentCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "agent", Short: "Share whole agents through OCI registries"})
	c.AddCommand(a.agentPushCommand(), a.agentPullCommand())
	return c
}

func (a *app) agentPushCommand() *cobra.Command {
	var flags registryFlags
	var key string
	c := &cobra.Command{
		Use:   "push oci://HOST/NAME:TAG [PATH...] [flags]",
		Short: "Push an agent to an OCI registry",
		Long: `Push the manifest and the files that it names to a registry: its lock file, prompts, schemas and rules,
plugins, the folders of its skills and the files of its memory, and the manifests of other agents that it
uses. Each PATH adds a file or a folder, such as data for its tools. The command lists what it pushes.

All files must be in the directory of the manifest or below it. Files whose names begin with a dot, and the
file of variables that env_file names, are never pushed. Plugins in registries stay there: the lock file
says which ones belong to the agent.`,
		Example: `  agenthost agent push oci://ghcr.io/acme/support:1.0 --sign acme.key
  agenthost agent push -f support/agenthost.yaml oci://localhost:5000/support:dev support/data`,
		Args: arguments("oci://HOST/NAME:TAG..."), // the rest are paths
		RunE: func(c *cobra.Command, args []string) error {
			return a.agentPush(c.Context(), args[0], args[1:], key, &flags)
		},
	}
	a.addFile(c, false)
	c.PreRunE = func(c *cobra.Command, _ []string) error { return a.locate(c) }
	flags.add(c)
	c.Flags().StringVar(&key, "sign", "", "sign with the private key in this `FILE`")
	return c
}

func (a *app) agentPush(ctx context.Context, target string, more []string, keyFile string, flags *registryFlags) error {
	fail := func(err error) error { return &exitError{exitUsage, fmt.Errorf("agent push: %w", err)} }
	ref, err := parseReference("agent push", target)
	if err != nil {
		return err
	}
	if ref.Digest != "" || ref.Tag == "" {
		return fail(errors.New("give the tag to set, and no digest"))
	}
	m, err := manifest.Load(a.file, manifest.Options{InMemory: true})
	if err != nil {
		return &exitError{exitUsage, a.withManifestHint(err)}
	}
	files, err := m.Files()
	if err != nil {
		return fail(err)
	}
	parcel, err := newParcel(a.file)
	if err != nil {
		return fail(err)
	}
	defer parcel.close()
	if err := parcel.addFiles(ctx, files, more); err != nil {
		return fail(err)
	}
	agent := &registry.Agent{Manifest: filepath.Base(a.file), Name: m.Name, Files: parcel.files}
	signed := ""
	if keyFile != "" {
		key, err := a.signingKey(keyFile)
		if err != nil {
			return fail(fmt.Errorf("--sign: %w", err))
		}
		agent.Key, signed = &key, fmt.Sprintf("  signed   by %s\n", key.Public())
	}
	for i := range parcel.files {
		fmt.Fprintf(a.err, "· %s, %d bytes\n", terminal.Line(parcel.files[i].Name), len(parcel.files[i].Content))
	}
	for _, left := range parcel.left {
		fmt.Fprintf(a.err, "· %s is left out\n", terminal.Line(left))
	}
	client := flags.client()
	defer client.CloseIdleConnections()
	pushed, err := client.PushAgent(ctx, ref, agent)
	if err != nil {
		return registryError(ctx, "agent push", err)
	}
	_, err = fmt.Fprintf(a.out, "%s: pushed %s\n  digest   %s\n%s%s", ref, counted(len(parcel.files), "file"), pushed.Digest, signed, movedFrom(pushed))
	return err
}

func (a *app) agentPullCommand() *cobra.Command {
	var flags registryFlags
	var output string
	c := &cobra.Command{
		Use:   "pull oci://HOST/NAME:TAG [flags]",
		Short: "Pull an agent from an OCI registry into a new directory",
		Long: `Pull an agent into the directory NAME, or that of -o, which must not exist yet or must be empty. Nothing of
the agent is run. Look at its manifest before you run it: a manifest starts programs and names the files
that its tools may use. With --minisign, an agent that none of the keys has signed is refused.

The exit code is 1 if the registry fails or does not answer, 2 if it does not have the agent or the directory
cannot be used, and 5 if the agent was refused.`,
		Example: `  agenthost agent pull oci://ghcr.io/acme/support:1.0 --minisign RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3
  agenthost agent pull oci://localhost:5000/support:dev -o support`,
		Args: arguments("oci://HOST/NAME:TAG"),
		RunE: func(c *cobra.Command, args []string) error { return a.agentPull(c.Context(), args[0], output, &flags) },
	}
	flags.add(c)
	flags.addMinisign(c)
	c.Flags().StringVarP(&output, "output", "o", "", "the `DIR` for the agent; default: NAME")
	return c
}

func (a *app) agentPull(ctx context.Context, source, output string, flags *registryFlags) error {
	ref, err := parseReference("agent pull", source)
	if err != nil {
		return err
	}
	keys, err := flags.keys()
	if err != nil {
		return err
	}
	output = cmp.Or(output, ref.Base())
	client := flags.client()
	defer client.CloseIdleConnections()
	pulled, err := client.PullAgent(ctx, ref, output, keys...)
	if err != nil {
		return registryError(ctx, "agent pull", err)
	}
	signed := ""
	if pulled.Signature != nil {
		signed = fmt.Sprintf("  signed   by %s\n", pulled.Signature.By)
	}
	_, err = fmt.Fprintf(a.out, "%s: %s from %s\n  digest   %s\n%s", terminal.Line(output), counted(len(pulled.Files), "file"), ref, pulled.Digest, signed)
	if err != nil {
		return err
	}
	path := filepath.Join(output, filepath.FromSlash(pulled.Manifest))
	next := []string{"agenthost validate -f " + path, "agenthost run -f " + path + " \"hello\""}
	if slices.Contains(pulled.Files, strings.TrimSuffix(pulled.Manifest, filepath.Ext(pulled.Manifest))+".lock") {
		next = slices.Insert(next, 0, "agenthost plugin pull -f "+path)
	}
	_, err = fmt.Fprintf(a.out, "\nNext:\n  %s\n", strings.Join(next, "\n  "))
	return err
}
