package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/registry/reference"
)

func (a *app) pluginPushCommand() *cobra.Command {
	var flags registryFlags
	var key string
	c := &cobra.Command{
		Use:   "push FILE oci://HOST/NAME:TAG [flags]",
		Short: "Push a plugin to an OCI registry",
		Long: `Pack a module or a script, as 'agenthost plugin pack' does but without changing the file, and push the
module to a registry, such as one that keeps container images. The tag is set last. A tag that exists is
moved, and the command says from where.

With --sign, the module is signed with the key, and the signature is kept with it. Without it, a signature
in FILE.minisig goes along, if the file is packed already. Log in with 'docker login HOST', or with any
other program that writes Docker's configuration.`,
		Example: `  agenthost plugin push redact.wasm oci://ghcr.io/acme/redact:1.2 --sign acme.key
  agenthost plugin push policy.ts oci://localhost:5000/policy:dev`,
		Args: arguments("FILE", "oci://HOST/NAME:TAG"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.pluginPush(c.Context(), args[0], args[1], key, &flags)
		},
	}
	flags.add(c)
	c.Flags().StringVar(&key, "sign", "", "sign with the private key in this `FILE`")
	return c
}

func (a *app) pluginPush(ctx context.Context, file, target, key string, flags *registryFlags) error {
	if isReference(file) {
		return &exitError{exitUsage, errors.New("plugin push: the FILE comes first, and then oci://HOST/NAME:TAG")}
	}
	ref, err := parseReference("plugin push", target)
	if err != nil {
		return err
	}
	if ref.Digest != "" || ref.Tag == "" {
		return &exitError{exitUsage, errors.New("plugin push: give the tag to set, and no digest")}
	}
	p, err := a.packPlugin(ctx, "plugin push", file)
	if err != nil {
		return err
	}
	signature, signer, err := a.signatureToPush(file, key, ref, p)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("plugin push: %w", err)}
	}
	var signatures [][]byte
	if signature != nil {
		signatures = append(signatures, signature)
	}
	client := flags.client()
	defer client.CloseIdleConnections()
	described := p.inspection.Described
	pushed, err := client.PushPlugin(ctx, ref, &registry.Module{Bytes: p.packed, Name: described.Name, Version: described.Version}, signatures...)
	if err != nil {
		return registryError(ctx, "plugin push", err)
	}
	_, err = fmt.Fprintf(a.out, "%s: pushed %s %s, %d bytes\n  digest   %s\n  sha256   %s\n%s%s", ref, terminal.Line(described.Name),
		terminal.Line(described.Version), len(p.packed), pushed.Digest, p.digest(), signer, movedFrom(pushed))
	return err
}

// movedFrom says that a tag named something else before.
func movedFrom(p registry.Pushed) string {
	if p.Before == "" || p.Before == p.Digest {
		return ""
	}
	return fmt.Sprintf("  moved    from %s\n", terminal.Line(p.Before))
}

// signatureToPush returns the signature of a packed module, and a line about it: made with the key, or that of the file.
func (a *app) signatureToPush(file, keyFile string, ref reference.Reference, p *packedPlugin) (signature []byte, line string, err error) {
	if keyFile == "" {
		signature, err = regularfile.Read(file+minisig.Suffix, minisig.MaxSize)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, "", nil
		case err != nil:
			return nil, "", err
		case !bytes.Equal(p.packed, p.module):
			return nil, "", fmt.Errorf("%s belongs to the file before packing; sign with --sign, or pack the file and sign it again", file+minisig.Suffix)
		}
		return signature, fmt.Sprintf("  signed   %s\n", terminal.Line(file+minisig.Suffix)), nil
	}
	key, err := a.signingKey(keyFile)
	if err != nil {
		return nil, "", fmt.Errorf("--sign: %w", err)
	}
	d := p.inspection.Described
	signature, err = key.Sign(p.packed, registry.Comment(ref, d.Name, d.Version))
	return signature, fmt.Sprintf("  signed   by %s\n", key.Public()), err
}
