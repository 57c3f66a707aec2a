package toolchain_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/internal/filewatch"
	"github.com/agenthost/agenthost/internal/toolchain"
	"github.com/agenthost/agenthost/internal/toolchain/toolchaintest"
)

// sources copies a plugin of testdata to a directory of its own.
func sources(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "hand")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))))
	return dir
}

// requireLoads checks that a plugin was built, and returns what it consists of.
func requireLoads(t *testing.T, file string) *anatomy.Module {
	t.Helper()
	in := author.Inspect(t.Context(), plugin.Wasm{Path: file})
	require.True(t, in.OK, in.Message)
	require.Equal(t, "hand", in.Described.Name)
	return in.Module
}

func TestGo(t *testing.T) {
	t.Parallel()
	dir := sources(t, "go")
	var said bytes.Buffer
	file, err := toolchain.Build{Dir: dir, Log: &said}.Run(t.Context(), toolchain.Go)
	require.NoError(t, err, &said)
	require.Equal(t, filepath.Join(dir, "hand.wasm"), file)
	module, err := os.ReadFile(file)
	require.NoError(t, err)
	m, err := anatomy.Of(module) // loading it takes a minute with the race detector, and other tests load modules of Go
	require.NoError(t, err)
	require.True(t, m.Exported("describe"))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "wrong.go"), []byte("package main\nfunc wrong() { nonsense() }\n"), 0o600))
	_, err = toolchain.Build{Dir: dir, Log: &said}.Run(t.Context(), toolchain.Go)
	var failed *toolchain.FailedError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, "go failed: exit status 1", err.Error())
	require.Contains(t, said.String(), "undefined: nonsense", "what the compiler says is passed on")
}

func TestTinyGo(t *testing.T) {
	t.Parallel()
	dir := sources(t, "go")
	var said bytes.Buffer
	output := filepath.Join(t.TempDir(), "out.wasm")
	file, err := toolchain.Build{Dir: dir, Output: output, Log: &said}.Run(t.Context(), toolchain.TinyGo)
	if _, missing := errors.AsType[*toolchain.MissingError](err); missing {
		toolchaintest.Absent(t, "TinyGo")
	}
	require.NoError(t, err, &said)
	require.Equal(t, output, file)
	m := requireLoads(t, file)
	require.False(t, m.Asyncify())
	require.Zero(t, m.Debug)
	require.Equal(t, 64<<10, m.Stack)

	file, err = toolchain.Build{Dir: dir, Debug: true, Log: &said}.Run(t.Context(), toolchain.TinyGo)
	require.NoError(t, err, &said)
	require.Positive(t, requireLoads(t, file).Debug)
}

// rust builds a plugin, if there is a Rust that can.
func rust(t *testing.T, dir string, debug bool) (*anatomy.Module, string) {
	t.Helper()
	var said bytes.Buffer
	file, err := toolchain.Build{Dir: dir, Log: &said, Debug: debug}.Run(t.Context(), toolchain.Rust)
	if missing, ok := errors.AsType[*toolchain.MissingError](err); ok {
		toolchaintest.Absent(t, missing.What)
	}
	require.NoError(t, err, &said)
	return requireLoads(t, file), said.String()
}

func TestRust(t *testing.T) {
	t.Parallel()
	dir := sources(t, "rust")
	m, said := rust(t, dir, false)
	require.Equal(t, 64<<10, m.Stack)
	require.Zero(t, m.Debug)
	require.Contains(t, said, "Compiling hand-made")

	require.NoError(t, os.Mkdir(filepath.Join(dir, ".cargo"), 0o700))
	config := "[target.wasm32-unknown-unknown]\nrustflags = [\"-C\", \"link-arg=-zstack-size=131072\"]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".cargo", "config.toml"), []byte(config), 0o600))
	m, _ = rust(t, dir, true)
	require.Equal(t, 128<<10, m.Stack, "what the project says holds")
	require.Positive(t, m.Debug)
}

func TestRustFlagsOfTheEnvironmentStay(t *testing.T) {
	t.Setenv("RUSTFLAGS", "-C debuginfo=2 -C strip=none")
	m, _ := rust(t, sources(t, "rust"), false)
	require.Equal(t, 64<<10, m.Stack)
	t.Setenv("RUSTFLAGS", "-C link-arg=-zstack-size=262144")
	m, _ = rust(t, sources(t, "rust"), false)
	require.Equal(t, 256<<10, m.Stack)
}

func TestRustWithoutACdylib(t *testing.T) {
	t.Parallel()
	dir := sources(t, "rust")
	rust(t, dir, false)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte("[package]\nname = \"hand\"\nversion = \"1.0.0\"\nedition = \"2021\"\n"), 0o600))
	_, err := toolchain.Build{Dir: dir, Log: &bytes.Buffer{}}.Run(t.Context(), toolchain.Rust)
	require.ErrorContains(t, err, `crate-type = ["cdylib"]`)
}

// What rustup prints when it has no toolchain to run.
const (
	noDefault = "error: rustup could not choose a version of rustc to run, because one wasn't specified explicitly, and no default is configured.\n" +
		"help: run 'rustup default stable' to download the latest stable release of Rust and set it as your default toolchain.\n\n" +
		"Stack backtrace:\n   0: anyhow::error\n"
	notInstalled = "error: toolchain 'nightly-2025-01-01' is not installed\n\nStack backtrace:\n   0: anyhow::error\n"
)

func TestRustupWithoutAToolchain(t *testing.T) {
	t.Setenv("RUSTC", "")
	fake(t, "cargo", "exit 1")
	for complaint, says := range map[string]string{
		noDefault:    "rustup's default toolchain is missing; --lang rust needs it\nRun: rustup default stable",
		notInstalled: "Rust's toolchain nightly-2025-01-01 is missing; --lang rust needs it\nRun: rustup toolchain install nightly-2025-01-01",
	} {
		said := filepath.Join(t.TempDir(), "said")
		require.NoError(t, os.WriteFile(said, []byte(complaint), 0o600))
		fake(t, "rustc", "cat '"+said+"' >&2; exit 1")
		var log bytes.Buffer
		_, err := toolchain.Build{Dir: sources(t, "rust"), Log: &log}.Run(t.Context(), toolchain.Rust)
		require.EqualError(t, err, says)
		require.Empty(t, log.String())
	}
	fake(t, "rustc", "echo libLLVM.so is missing >&2; exit 127")
	var log bytes.Buffer
	_, err := toolchain.Build{Dir: sources(t, "rust"), Log: &log}.Run(t.Context(), toolchain.Rust)
	require.EqualError(t, err, "rustc failed: exit status 127")
	require.Equal(t, "libLLVM.so is missing\n", log.String())
}

func TestWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("TINYGO", "")
	t.Setenv("TINYGOROOT", "")
	for language, says := range map[toolchain.Language]string{
		toolchain.Go: "go.dev/dl", toolchain.TinyGo: "--lang go", toolchain.Rust: "rustup target add wasm32-unknown-unknown",
	} {
		dir := sources(t, "go") // the sources are not looked at
		_, err := toolchain.Build{Dir: dir}.Run(t.Context(), language)
		var missing *toolchain.MissingError
		require.ErrorAs(t, err, &missing)
		require.Contains(t, err.Error(), "is missing; --lang "+string(language)+" needs it")
		require.Contains(t, err.Error(), says)
	}
	t.Setenv("TINYGO", "/no/such/tinygo")
	_, err := toolchain.Build{Dir: sources(t, "go")}.Run(t.Context(), toolchain.TinyGo)
	require.ErrorContains(t, err, "$TINYGO is /no/such/tinygo, which cannot be run")
}

// fake puts a program of this name on an otherwise empty PATH.
func fake(t *testing.T, name, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake tools are shell scripts")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func TestRustWithoutItsTarget(t *testing.T) {
	fake(t, "rustc", "echo /no/such/lib")
	fake(t, "cargo", "exit 7")
	t.Setenv("RUSTC", "")
	_, err := toolchain.Build{Dir: sources(t, "rust"), Log: &bytes.Buffer{}}.Run(t.Context(), toolchain.Rust)
	var missing *toolchain.MissingError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, "Rust's target wasm32-unknown-unknown is missing; --lang rust needs it\n"+
		"Install it: rustup target add wasm32-unknown-unknown", err.Error())
}

func TestTinyGoIsFoundByItsVariables(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "bin"), 0o700))
	fake(t, "tinygo", `echo "root=$TINYGOROOT $*" >&2`)
	path, err := exec.LookPath("tinygo")
	require.NoError(t, err)
	require.NoError(t, os.Rename(path, filepath.Join(root, "bin", "tinygo")))
	t.Setenv("TINYGO", "")
	t.Setenv("TINYGOROOT", root)
	var said bytes.Buffer
	_, err = toolchain.Build{Dir: sources(t, "go"), Log: &said}.Run(t.Context(), toolchain.TinyGo)
	require.NoError(t, err)
	require.Contains(t, said.String(), "root="+root+" build -target=wasip1 -buildmode=c-shared -scheduler=none -opt=z -no-debug -o ")

	// The project says how memory is freed.
	dir := sources(t, "go")
	for text, want := range map[string]string{"language: tinygo\n": "-opt=z -no-debug -o ", "language: tinygo\ngc: leaking\n": "-opt=z -gc=leaking -no-debug -o "} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, toolchain.ProjectFile), []byte(text), 0o600))
		said.Reset()
		_, err = toolchain.Build{Dir: dir, Log: &said}.Run(t.Context(), toolchain.TinyGo)
		require.NoError(t, err)
		require.Contains(t, said.String(), want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, toolchain.ProjectFile), []byte("language: tinygo\ngc: none\n"), 0o600))
	_, err = toolchain.Build{Dir: dir, Log: &said}.Run(t.Context(), toolchain.TinyGo)
	require.ErrorContains(t, err, "precise")

	// A TinyGo that stands in the directory of its installation finds that by its place.
	require.NoError(t, os.MkdirAll(filepath.Join(root, "targets"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, "targets", "wasip1.json"), nil, 0o600))
	t.Setenv("TINYGOROOT", "")
	t.Setenv("TINYGO", filepath.Join(root, "bin", "tinygo"))
	said.Reset()
	_, err = toolchain.Build{Dir: sources(t, "go"), Log: &said, Debug: true}.Run(t.Context(), toolchain.TinyGo)
	require.NoError(t, err)
	require.Contains(t, said.String(), "root="+root+" build")
	require.NotContains(t, said.String(), "-no-debug")
}

func TestABuildIsCancelled(t *testing.T) { //nolint:paralleltest // fake sets PATH
	fake(t, "go", "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := toolchain.Build{Dir: sources(t, "go"), Log: &bytes.Buffer{}}.Run(ctx, toolchain.Go)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 10*time.Second)
}

// watched returns the files that a build reads, relative to the directory, in which they are.
func watched(t *testing.T, dir string, l toolchain.Language) []string {
	t.Helper()
	var names []string
	for _, path := range filewatch.Take(toolchain.Build{Dir: dir}.Sources(t.Context(), l)).Paths() {
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		names = append(names, filepath.ToSlash(name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestSourcesOfGo(t *testing.T) {
	t.Parallel()
	dir := sources(t, "go")
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.com/hand\n\ngo 1.26.0\n\nrequire example.com/far v0.0.0\n\nreplace example.com/far => ../far\n")
	write("near/near.go", "package near\n\nimport _ \"embed\"\n\n//go:embed text.txt\nvar Text string\n")
	write("near/text.txt", "text")
	write("other/other.go", "package other\n")
	write("../far/go.mod", "module example.com/far\n\ngo 1.26.0\n")
	write("../far/far.go", "package far\n")
	write("agent.db", "not a source")
	write("more.go", "package main\n\nimport (\n\t_ \"example.com/far\"\n\t_ \"example.com/hand/near\"\n)\n")
	want := []string{"../far/far.go", "../far/go.mod", "go.mod", "main.go", "more.go", "near/near.go", "near/text.txt"}
	require.Equal(t, want, watched(t, dir, toolchain.Go))
	require.Equal(t, want, watched(t, dir, toolchain.TinyGo))
	write("plugin.yaml", "language: go\n")
	write("broken.go", "package main\n\nfunc {\n")
	require.Equal(t, slices.Concat(want[:2], []string{"broken.go"}, want[2:], []string{"plugin.yaml"}), watched(t, dir, toolchain.Go), "broken sources are sources")
	write("go.mod", "module\n")
	require.Subset(t, watched(t, dir, toolchain.Go), []string{"go.mod", "main.go", "more.go"})
	require.Empty(t, watched(t, filepath.Join(t.TempDir(), "gone"), toolchain.Go))
}

func TestSourcesOfRust(t *testing.T) {
	t.Parallel()
	dir := sources(t, "rust")
	rust(t, dir, false)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.txt"), []byte("text"), 0o600))
	require.Equal(t, []string{"Cargo.lock", "Cargo.toml", "src/lib.rs"}, watched(t, dir, toolchain.Rust))
	lib := filepath.Join(dir, "src", "lib.rs")
	code, err := os.ReadFile(lib)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(lib, append(code, "\npub const TEXT: &str = include_str!(\"../text.txt\");\n"...), 0o600))
	rust(t, dir, false)
	require.Equal(t, []string{"Cargo.lock", "Cargo.toml", "src/lib.rs", "text.txt"}, watched(t, dir, toolchain.Rust), "the compiler has read it")
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files []string
		want  toolchain.Language
		says  string
	}{
		"go":    {files: []string{"main.go", "main_test.go", "README.md"}, says: "TinyGo or Go can build its Go files; say which with --lang tinygo or --lang go"},
		"rust":  {files: []string{"Cargo.toml", "Cargo.lock"}, want: toolchain.Rust},
		"both":  {files: []string{"Cargo.toml", "main.go"}, says: "say which with --lang"},
		"none":  {files: []string{"README.md"}, says: "it holds no plugin"},
		"tests": {files: []string{"main_test.go"}, says: "it holds no plugin"},
		"empty": {says: "it holds no plugin"},
		"ts":    {files: []string{"policy.ts"}, says: "a script needs no build"},
		"py":    {files: []string{"policy.py"}, says: "a script needs no build"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, file := range test.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
			}
			require.NoError(t, os.Mkdir(filepath.Join(dir, "directory.go"), 0o700))
			got, err := toolchain.Detect(dir)
			require.Equal(t, test.want, got)
			if test.says != "" {
				var source *toolchain.SourceError
				require.ErrorAs(t, err, &source)
				require.Contains(t, err.Error(), test.says)
			}
		})
	}
	for text, says := range map[string]string{
		"language: go\n": "", "language: tinygo": "", "language: rust": "", "language: ts\n": "go, tinygo or rust", "": "the file is empty", "language: go\nflags: []\n": "flags",
	} {
		dir := sources(t, "go")
		require.NoError(t, os.WriteFile(filepath.Join(dir, toolchain.ProjectFile), []byte(text), 0o600))
		got, err := toolchain.Detect(dir)
		if says == "" {
			require.NoError(t, err)
			require.Equal(t, strings.TrimSpace(strings.TrimPrefix(text, "language: ")), string(got), "the project says it")
			continue
		}
		require.ErrorContains(t, err, toolchain.ProjectFile)
		require.ErrorContains(t, err, says)
	}
	_, err := toolchain.Detect(filepath.Join(t.TempDir(), "gone"))
	require.ErrorContains(t, err, "no such")
	_, err = toolchain.Build{Dir: filepath.Join(t.TempDir(), "gone")}.Run(t.Context(), toolchain.Go)
	require.ErrorContains(t, err, "there is no such directory")
	_, err = toolchain.Parse("c")
	require.EqualError(t, err, `the language "c" is unknown; use go, tinygo, rust, ts, js or python`)
}

// The oldest versions are those that the SDKs say, and the documents too.
func TestTheOldestVersions(t *testing.T) {
	t.Parallel()
	for file, says := range map[string][]string{
		"go.mod":              {"\ngo " + toolchain.MinGo + "."},
		"sdk/rust/Cargo.toml": {"\nrust-version = \"" + toolchain.MinRust + "\"\n"},
		"sdk/rust/README.md":  {"You need Rust " + toolchain.MinRust + " or later"},
		"docs/plugins.md": {
			"| `tinygo` | TinyGo " + toolchain.MinTinyGo + ", with Go " + toolchain.MinGo + " |", "| `go` | Go " + toolchain.MinGo + " |",
			"| `rust` | Rust " + toolchain.MinRust + " |",
		},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		require.NoError(t, err)
		for _, words := range says {
			require.Contains(t, string(text), words, file)
		}
	}
}
