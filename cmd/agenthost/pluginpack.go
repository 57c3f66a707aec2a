package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/pack"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) pluginPackCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "pack FILE [flags]",
		Short: "Prepare a plugin for distribution",
		Long: `Remove the sections of a plugin that only debuggers read (.debug_*, sourceMappingURL,
external_debug_info), and add the result of its describe function as the custom section
agenthost.description, in canonical msgpack. A registry or an operator can then read it without running
the plugin. The names of functions stay, because they appear in the text of a trap. The plugin behaves the
same as before.

Like strip, pack replaces the file, unless -o names another one; it never leaves a partial file. Packing a
file again changes nothing. From a script, such as policy.ts, it makes policy.wasm in the same directory:
one module with the script and its engine, which loads everywhere. The printed digest pins the file in a
manifest. Sign a plugin after packing it, because a signature covers the bytes of the file.`,
		Example: `  agenthost plugin pack redact.wasm
  agenthost plugin pack policy.ts
  agenthost plugin pack target/wasm32-unknown-unknown/release/redact.wasm -o redact.wasm`,
		Args: arguments("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.pluginPack(c.Context(), args[0], output)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE` and leave the original unchanged")
	return c
}

func (a *app) pluginPack(ctx context.Context, file, output string) error {
	output = cmp.Or(output, packedName(file))
	if loaderOf(output) != nil {
		return &exitError{exitUsage, fmt.Errorf(
			"plugin pack: %s is the name of a script, and the packed plugin is a module; name a file that ends in .wasm with -o FILE", output)}
	}
	p, err := a.packPlugin(ctx, "plugin pack", file)
	if err != nil {
		return err
	}
	if same := bytes.Equal(p.packed, p.module); !same || output != file {
		if err := atomicfile.Write(output, p.packed, p.perm); err != nil {
			return &exitError{exitFailed, fmt.Errorf("plugin pack: %w; name another file with -o FILE", err)}
		}
		if !same && output == file && p.inspection.Signature != "" {
			fmt.Fprintln(a.err, terminal.Line(p.inspection.Signature)+" belongs to the file before packing; sign the packed file")
		}
	}
	_, err = fmt.Fprintf(a.out, "%s: %d bytes, before packing %d\n  sha256 %s\n", terminal.Line(output), len(p.packed), len(p.module), p.digest())
	return err
}

// packedPlugin is a plugin before and after packing.
type packedPlugin struct {
	module     []byte
	packed     []byte
	perm       fs.FileMode        // of the file
	inspection *author.Inspection // of the module
}

// digest returns the SHA-256 of the packed module, in hexadecimal.
func (p *packedPlugin) digest() string {
	sum := sha256.Sum256(p.packed)
	return hex.EncodeToString(sum[:])
}

// packPlugin reads or makes a module, and packs it. It changes no file.
func (a *app) packPlugin(ctx context.Context, command, file string) (*packedPlugin, error) {
	p := &packedPlugin{}
	var err error
	if p.module, p.perm, err = readPlugin(file); err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("%s: %w", command, err)}
	}
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process is about to end
	in := author.Inspect(ctx, plugin.Wasm{Path: file, Bytes: p.module, Engine: engine})
	switch {
	case ctx.Err() != nil:
		return nil, interrupted()
	case !in.OK:
		return nil, &exitError{exitPlugin, fmt.Errorf("%s: %s: %s: %s: %s; only a plugin that loads can be packed",
			command, file, in.Stage, in.Kind, in.Message)}
	}
	p.inspection = in
	if p.packed, err = pack.Pack(p.module, in.Description); err != nil {
		return nil, &exitError{exitPlugin, fmt.Errorf("%s: %s: %w", command, file, err)}
	}
	return p, nil
}

// packedName returns the file that a packed plugin is written to: the file itself, or the module NAME.wasm beside the script NAME.ts.
func packedName(file string) string {
	if loaderOf(file) == nil {
		return file
	}
	dir, name := filepath.Split(filepath.Clean(file))
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		if path, err := filepath.Abs(file); err == nil { // "." has another name
			name = filepath.Base(path)
		}
		return filepath.Join(file, name+".wasm")
	}
	return filepath.Join(dir, strings.TrimSuffix(name, filepath.Ext(name))+".wasm")
}

// readPlugin reads or makes a module, and returns the permissions of its file.
func readPlugin(file string) ([]byte, fs.FileMode, error) {
	if l := loaderOf(file); l != nil {
		module, err := l.Load(file)
		return module, 0o644, err
	}
	module, err := regularfile.Read(file, plugin.MaxModuleSize)
	if err != nil {
		return nil, 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, 0, err
	}
	return module, info.Mode().Perm(), nil
}
