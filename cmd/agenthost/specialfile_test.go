//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Wherever a command takes a file, a pipe to which nobody writes and a device that never ends are refused. The command that
// reads one of them does not return.
func TestFilesThatAreNotRegularAreRefused(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: agenthost/v1\n"
	const key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"
	kinds := map[string]struct {
		make func(path string) error
		says string
	}{
		"pipe":   {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is a named pipe, not a regular file"},
		"device": {func(path string) error { return os.Symlink("/dev/zero", path) }, "is a device, not a regular file"},
	}
	for name, test := range map[string]struct {
		file     string   // the special file
		manifest string   // "": say
		args     []string // DIR is the directory
	}{
		"manifest":          {file: "special.yaml", args: []string{"validate", "-f", "DIR/special.yaml"}},
		"manifest, run":     {file: "special.yaml", args: []string{"run", "-f", "DIR/special.yaml", "hi"}},
		"manifest, threads": {file: "special.yaml", args: []string{"threads", "list", "-f", "DIR/special.yaml"}},
		"env_file":          {file: "keys", manifest: say + "env_file: keys\n"},
		"prompt":            {file: "prompt.md", manifest: say + "system_prompt: {file: prompt.md}\n"},
		"rules":             {file: "rules.yaml", manifest: head + "model: {provider: scripted, rules: rules.yaml}\n"},
		"schema":            {file: "answer.json", manifest: say + "response_format: {schema: answer.json}\n"},
		"module":            {file: "a.wasm", manifest: say + "middleware: [plugin: a.wasm]\n"},
		"database":          {file: "a.db", manifest: say + "checkpoint: sqlite:a.db\n", args: []string{"threads", "list", "-f", "DIR/agenthost.yaml"}},
		"module, inspect":   {file: "a.wasm", args: []string{"plugin", "inspect", "DIR/a.wasm"}},
		"module, pack":      {file: "a.wasm", args: []string{"plugin", "pack", "DIR/a.wasm"}},
		"signature":         {file: "bad.wasm.minisig", manifest: say + "middleware: [plugin: {path: bad.wasm, minisign: " + key + "}]\n"},
		"configuration":     {file: "config.yaml", args: []string{"plugin", "check", "DIR/bad.wasm", "--config", "@DIR/config.yaml"}},
		"golden case":       {file: "testdata/a.yaml", args: []string{"plugin", "test", "DIR/bad.wasm"}},
		"cassette":          {file: "run.cassette", args: []string{"plugin", "replay", "DIR/run.cassette"}},
		".gitignore":        {file: ".gitignore", args: []string{"init", "DIR", "--force", "--yes"}},
	} {
		for kind, special := range kinds {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				manifest := test.manifest
				if manifest == "" {
					manifest = say
				}
				b := cased(t, nil)
				b.write("agenthost.yaml", manifest)
				path := b.path(test.file)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
				require.NoError(t, special.make(path))
				args := []string{"validate", "-f", "DIR/agenthost.yaml"}
				if test.args != nil {
					args = append([]string{}, test.args...)
				}
				for i, arg := range args {
					args[i] = strings.Replace(arg, "DIR", b.dir, 1)
				}
				require.NotEqual(t, exitOK, b.runWith(t.Context(), "", args...), &b.out)
				said := special.says
				if name == "database" {
					said, _, _ = strings.Cut(strings.Replace(said, "is a", "the path is a", 1), ",")
				}
				require.Contains(t, b.out.String()+b.err.String(), said)
			})
		}
	}
}

// Answers come from files too.
func TestAnswersThatAreNotInARegularFileAreRefused(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a")
	require.NoError(t, syscall.Mkfifo(b.path("pipe"), 0o600))
	for _, flag := range []string{"--answer=", "--edit=call-1="} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", "resume", "ada", "-f", b.path("agenthost.yaml"), flag+b.path("pipe")))
		require.Contains(t, b.err.String(), b.path("pipe")+": is a named pipe, not a regular file")
	}
}

// A link to a file is how Kubernetes mounts configuration.
func TestAManifestMayBeALink(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.NoError(t, os.MkdirAll(b.path("..data"), 0o750))
	require.NoError(t, os.Rename(b.path("agenthost.yaml"), b.path("..data/agenthost.yaml")))
	require.NoError(t, os.Symlink("..data/agenthost.yaml", b.path("agenthost.yaml")))
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Equal(t, "hello\n", b.out.String())
}
