package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// handMade copies the sources of a plugin that needs no SDK.
func handMade(t *testing.T, b *bundle) string {
	t.Helper()
	dir := filepath.Join(b.dir, "hand")
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../internal/toolchain/testdata/go")))
	b.write("hand/plugin.yaml", "language: tinygo\n")
	return dir
}

// fakeTinyGo is a program in place of TinyGo that prints a line and then copies a file, or fails. Package toolchain tests the
// real one.
func fakeTinyGo(t *testing.T, b *bundle, module string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake compiler is a shell script")
	}
	script := "#!/bin/sh\necho compiling\nwhile [ \"$1\" != -o ]; do shift; done\nexec cp '" + module + "' \"$2\"\n"
	path := filepath.Join(b.dir, "tinygo")
	require.NoError(t, os.WriteFile(path, []byte(script), 0o700))
	t.Setenv("TINYGO", path)
}

func TestPluginBuild(t *testing.T) { //nolint:paralleltest // fakeTinyGo sets a variable
	b := setup(t, say)
	dir := handMade(t, b)
	fakeTinyGo(t, b, filepath.Join(mustGetwd(t), redact))
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "build", dir), &b.err)
	require.Regexp(t, `^\S+hand.wasm: redact 1\.0\.0, built with tinygo, \d+ bytes\n  sha256 [0-9a-f]{64}\n  hooks  before_model, wrap_tool_call\n$`, b.out.String())
	require.Equal(t, "compiling\n", b.err.String(), "what the compiler says goes to standard error")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "check", filepath.Join(dir, "hand.wasm")), &b.err)

	b.write("empty.wasm", "\x00asm\x01\x00\x00\x00")
	fakeTinyGo(t, b, filepath.Join(b.dir, "empty.wasm"))
	output := filepath.Join(b.dir, "other.wasm")
	require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "build", dir, "-o", output))
	require.Contains(t, b.err.String(), "other.wasm was built with tinygo but does not load: link: it is not an agenthost plugin")
	require.FileExists(t, output)

	path, _ := unpacked(t, b)
	fakeTinyGo(t, b, path)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "build", dir), &b.err)
	require.Contains(t, b.err.String(), "warning: 9 bytes of it are for debuggers alone")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "build", dir, "--debug"), &b.err)
	require.NotContains(t, b.err.String(), "warning", "they were asked for")
}

func TestPluginBuildTellsOfMistakes(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	dir := handMade(t, b)
	b.write("hand/main.go", "package main\n\nfunc main() { nonsense() }\n")
	require.Equal(t, exitFailed, b.runWith(t.Context(), "", "plugin", "build", dir, "--lang", "go"))
	require.Regexp(t, `(?s)undefined: nonsense\n.*agenthost: go failed: exit status 1; see its messages above\n$`, b.err.String())
	require.Empty(t, b.out.String())
}

func TestPluginBuildWithoutSources(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for says, args := range map[string][]string{
		"it holds no plugin: there are neither Go files nor a Cargo.toml": {b.dir},
		"there is no such directory":                                      {filepath.Join(b.dir, "gone"), "--lang", "go"},
		`the language "c" is unknown`:                                     {b.dir, "--lang", "c"},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", append([]string{"plugin", "build"}, args...)...), says)
		require.Contains(t, b.err.String(), says)
		require.Empty(t, b.out.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, exitSignal, b.runWith(ctx, "", "plugin", "build", handMade(t, b), "--lang", "go"))
}

func TestPluginBuildWithoutACompiler(t *testing.T) {
	b := setup(t, say)
	dir := handMade(t, b)
	t.Setenv("PATH", b.dir)
	t.Setenv("TINYGO", "")
	t.Setenv("TINYGOROOT", "")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "plugin", "build", dir))
	require.Contains(t, b.err.String(), "TinyGo is missing; --lang tinygo needs it\n")
	require.Contains(t, b.err.String(), "--lang go builds the same sources with Go alone")
	require.NoError(t, os.Remove(filepath.Join(dir, "plugin.yaml")))
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "plugin", "build", dir))
	require.Contains(t, b.err.String(), "TinyGo or Go can build its Go files; say which with --lang tinygo or --lang go, or in a file plugin.yaml")
	b.write("hand/Cargo.toml", "")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "plugin", "build", dir))
	require.Contains(t, b.err.String(), "say which with --lang")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "plugin", "build", dir, "--lang", "rust"))
	require.Contains(t, b.err.String(), "rustup target add wasm32-unknown-unknown")
}
