package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/pack"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) pluginPackCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "pack FILE [flags]",
		Short: "Make a plugin ready to be handed on",
		Long: `Take the sections out of a plugin that only debuggers read (.debug_*, sourceMappingURL,
external_debug_info), and put what its describe says into the custom section agenthost.description,
as canonical msgpack, so that a registry or an operator can read it without running the plugin.
The names of its functions stay: they show when it traps. What the plugin does is the same.

The file is replaced, as strip does, unless -o names another; it is either as it was or complete.
Packing a file again changes nothing. The digest that is printed is what a manifest takes.
A signature must be made after packing: it is one of the file's bytes.`,
		Example: `  agenthost plugin pack redact.wasm
  agenthost plugin pack target/wasm32-unknown-unknown/release/redact.wasm -o redact.wasm`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.pluginPack(c.Context(), args[0], cmp.Or(output, args[0]))
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE`, and leave the other as it is")
	return c
}

func (a *app) pluginPack(ctx context.Context, file, output string) error {
	module, perm, err := readPlugin(file)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("plugin pack: %w", err)}
	}
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process ends
	in := plugin.Inspect(ctx, plugin.Wasm{Path: file, Bytes: module, Engine: engine})
	switch {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case !in.OK:
		return &exitError{exitPlugin, fmt.Errorf("plugin pack: %s: %s: %s: %s; a plugin that does not load is not packed", file, in.Stage, in.Kind, in.Message)}
	}
	packed, err := pack.Pack(module, in.Description)
	if err != nil {
		return &exitError{exitPlugin, fmt.Errorf("plugin pack: %s: %w", file, err)}
	}
	if same := bytes.Equal(packed, module); !same || output != file {
		if err := atomicfile.Write(output, packed, perm); err != nil {
			return &exitError{exitFailed, fmt.Errorf("plugin pack: %w; name another place with -o FILE", err)}
		}
		if !same && output == file && in.Signature != "" {
			fmt.Fprintln(a.err, terminal.Line(in.Signature)+" is of the file as it was: sign the packed one")
		}
	}
	sum := sha256.Sum256(packed)
	_, err = fmt.Fprintf(a.out, "%s: %d bytes, were %d\n  sha256 %s\n", terminal.Line(output), len(packed), len(module), hex.EncodeToString(sum[:]))
	return err
}

// readPlugin reads a module, and what may be done with its file.
func readPlugin(file string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is no regular file", file)
	case info.Size() > plugin.MaxModuleSize:
		return nil, 0, fmt.Errorf("%s has %d bytes; a plugin has at most %d", file, info.Size(), plugin.MaxModuleSize)
	}
	module, err := os.ReadFile(file)
	return module, info.Mode().Perm(), err
}
