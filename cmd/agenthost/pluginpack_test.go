package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
)

// unpacked returns the plugin redact with a debug section, in a new directory.
func unpacked(t *testing.T, b *bundle) (path string, module []byte) {
	t.Helper()
	module, err := os.ReadFile(redact)
	require.NoError(t, err)
	module = slices.Concat(module, []byte("\x00\x15\x0b.debug_infoinfo info"[:23]))
	path = filepath.Join(b.dir, "redact.wasm")
	require.NoError(t, os.WriteFile(path, module, 0o640))
	return path, module
}

func TestPluginPackReplacesTheFile(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	path, module := unpacked(t, b)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "check", path), &b.err)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "pack", path), &b.err)
	require.Regexp(t, `^\S+redact.wasm: \d+ bytes, before packing \d+\n  sha256 [0-9a-f]{64}\n$`, b.out.String())
	require.Empty(t, b.err.String())
	said := b.out.String()[len(b.out.String())-65 : len(b.out.String())-1]
	packed, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEqual(t, module, packed)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())

	var d abi.Description
	_, err = d.UnmarshalMsg(anatomy.Description(packed))
	require.NoError(t, err, "it can be read without running the plugin")
	require.Equal(t, "redact", d.Name)
	canonical, err := wire.IsCanonical(anatomy.Description(packed), wire.Limits{})
	require.NoError(t, err)
	require.True(t, canonical)

	// Packing again does not even write the file.
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "pack", path), &b.err)
	require.Contains(t, b.out.String(), said)
	again, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(info, again))

	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "inspect", path), &b.err)
	require.Contains(t, b.out.String(), said)
	require.Contains(t, b.out.String(), "embedded      a Description, the same as describe returns")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "check", path), &b.err)
	require.Contains(t, b.out.String(), "wrap_tool_call  ok")
	b.write("agenthost.yaml", say+"middleware:\n  - plugin: {path: ./redact.wasm, sha256: "+said+"}\n")
	require.Equal(t, exitOK, b.run("validate"), &b.err)
}

func TestPluginPackWritesAnotherFile(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	path, module := unpacked(t, b)
	output := filepath.Join(b.dir, "packed.wasm")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "pack", path, "-o", output), &b.err)
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, module, left)
	require.FileExists(t, output)
	require.Equal(t, exitFailed, b.runWith(t.Context(), "", "plugin", "pack", path, "-o", filepath.Join(b.dir, "none", "x.wasm")))
	require.Contains(t, b.err.String(), "name another file with -o FILE")

	b.write("redact.wasm.minisig", "")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "pack", path), &b.err)
	require.Contains(t, b.err.String(), "redact.wasm.minisig belongs to the file before packing; sign the packed file")
}

func TestPluginPackLeavesWhatDoesNotLoad(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	b.write("bad.wasm", "\x1b[31mno module")
	require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "pack", filepath.Join(b.dir, "bad.wasm")))
	require.Contains(t, b.err.String(), "bad.wasm: preflight: malformed: ")
	left, err := os.ReadFile(filepath.Join(b.dir, "bad.wasm"))
	require.NoError(t, err)
	require.Equal(t, "\x1b[31mno module", string(left))
	for _, path := range []string{b.dir, filepath.Join(b.dir, "gone.wasm")} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", "plugin", "pack", path))
		require.Empty(t, b.out.String())
	}
	entries, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left behind")
}
