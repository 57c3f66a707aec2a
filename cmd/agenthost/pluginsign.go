package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/registry/reference"
)

func (a *app) pluginSignCommand() *cobra.Command {
	var key, repository string
	c := &cobra.Command{
		Use:   "sign FILE --key KEYFILE",
		Short: "Sign a plugin",
		Long: `Write the signature of a module to FILE.minisig, with a private key that 'agenthost plugin keygen' or
minisign has made. Pack the plugin before, because a signature covers the bytes of the file. To sign what
you push to a registry, use 'agenthost plugin push --sign'.

With --repository, the signature holds only for a plugin that is pulled from that repository.`,
		Example: `  agenthost plugin sign redact.wasm --key acme.key
  agenthost plugin sign redact.wasm --key acme.key --repository ghcr.io/acme/redact`,
		Args: arguments("FILE"),
		RunE: func(_ *cobra.Command, args []string) error { return a.pluginSign(args[0], key, repository) },
	}
	c.Flags().StringVar(&key, "key", "", "the `FILE` of the private key")
	c.Flags().StringVar(&repository, "repository", "", "the `HOST/NAME` from which the plugin will be pulled")
	return c
}

func (a *app) pluginSign(file, keyFile, repository string) error {
	fail := func(code int, err error) error { return &exitError{code, fmt.Errorf("plugin sign: %w", err)} }
	if keyFile == "" {
		return fail(exitUsage, errors.New("--key is missing; 'agenthost plugin keygen' makes a key"))
	}
	if loaderOf(file) != nil {
		return fail(exitUsage, fmt.Errorf("%s is a script; 'agenthost plugin pack' makes a module of it, which you can sign", file))
	}
	module, err := regularfile.Read(file, plugin.MaxModuleSize)
	if err != nil {
		return fail(exitUsage, err)
	}
	comment := "agenthost"
	if repository != "" {
		if _, err := reference.Parse(repository); err == nil {
			return fail(exitUsage, fmt.Errorf("--repository: leave the tag and the digest out of %q: the signature is for all of them", repository))
		}
		ref, err := reference.Parse(repository + ":latest")
		if err != nil {
			return fail(exitUsage, fmt.Errorf("--repository: %q is not the name of a repository, which looks like ghcr.io/acme/redact", repository))
		}
		in := author.Read(file, module)
		if !in.OK {
			return fail(exitPlugin, fmt.Errorf("%s: %s; 'agenthost plugin pack' packs it", file, in.Message))
		}
		comment = registry.Comment(ref, in.Described.Name, in.Described.Version)
	}
	key, err := a.signingKey(keyFile)
	if err != nil {
		return fail(exitUsage, err)
	}
	signature, err := key.Sign(module, comment)
	if err == nil {
		err = atomicfile.Write(file+minisig.Suffix, signature, 0o644)
	}
	if err != nil {
		return fail(exitFailed, err)
	}
	_, err = fmt.Fprintf(a.out, "%s: signed by %s\n", terminal.Line(file+minisig.Suffix), key.Public())
	return err
}

func (a *app) pluginVerifyCommand() *cobra.Command {
	var flags registryFlags
	c := &cobra.Command{
		Use:   "verify FILE|oci://HOST/NAME:TAG --minisign KEY",
		Short: "Check the signature of a plugin",
		Long: `Check that one of the keys has signed a module. The signature of a file is in FILE.minisig; that of a plugin
in a registry is kept with it. Nothing of the plugin is run.

The exit code is 0 if the signature is in order, and 5 if it is missing or not in order.`,
		Example: `  agenthost plugin verify redact.wasm --minisign RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3
  agenthost plugin verify oci://ghcr.io/acme/redact:1.2 --minisign RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3`,
		Args: arguments("FILE"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginVerify(c.Context(), args[0], &flags) },
	}
	flags.add(c)
	flags.addMinisign(c)
	return c
}

func (a *app) pluginVerify(ctx context.Context, file string, flags *registryFlags) error {
	keys, err := flags.keys()
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return &exitError{exitUsage, errors.New("plugin verify: --minisign is missing; give the public key of the plugin's author")}
	}
	var signed minisig.Signed
	if isReference(file) {
		ref, err := parseReference("plugin verify", file)
		if err != nil {
			return err
		}
		client := flags.client()
		defer client.CloseIdleConnections()
		pulled, err := client.PullPlugin(ctx, ref, keys...)
		if err != nil {
			return registryError(ctx, "plugin verify", err)
		}
		signed = pulled.Signature.Signed
	} else if signed, err = verifyFile(file, keys); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: signed by %s\n  comment  %s\n", terminal.Line(file), signed.By, terminal.Line(signed.Comment))
	return err
}

// verifyFile checks the signature beside a module.
func verifyFile(file string, keys []minisig.Key) (signed minisig.Signed, err error) {
	fail := func(code int, err error) (minisig.Signed, error) {
		return minisig.Signed{}, &exitError{code, fmt.Errorf("plugin verify: %w", err)}
	}
	module, err := regularfile.Read(file, plugin.MaxModuleSize)
	if err != nil {
		return fail(exitUsage, err)
	}
	signature, err := regularfile.Read(file+minisig.Suffix, minisig.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return fail(exitPlugin, fmt.Errorf("%s: %w: there is no file %s", file, plugin.ErrSignature, file+minisig.Suffix))
	}
	if err != nil {
		return fail(exitUsage, err)
	}
	signed, ok := minisig.Verify(module, signature, keys...)
	if !ok {
		return fail(exitPlugin, fmt.Errorf("%s: %w of the wanted keys: it is signed by someone else, or was changed", file, plugin.ErrSignature))
	}
	return signed, nil
}
