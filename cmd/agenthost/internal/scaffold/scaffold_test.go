package scaffold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/scaffold"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/script"
	"github.com/agenthost/agenthost/internal/testcache"
	"github.com/agenthost/agenthost/internal/toolchain"
)

// TestGoProjects vets and tests a project with each hook alone, one with none and one with all, without the network.
func TestGoProjects(t *testing.T) {
	t.Parallel()
	checkout, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	sets := map[string][]abi.Hook{"none": nil, "all": abi.Hooks()}
	for _, hook := range abi.Hooks() {
		sets[string(hook)] = []abi.Hook{hook}
	}
	for name, hooks := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := scaffold.Project{
				Name: "try-it", Dir: filepath.Join(t.TempDir(), "try-it"), Language: toolchain.Go, Hooks: hooks, SDK: scaffold.SDK{Checkout: checkout},
			}
			files, err := p.Write()
			require.NoError(t, err)
			for _, hook := range abi.Hooks() {
				require.Equal(t, slices.Contains(hooks, hook), slices.Contains(files, string(hook)+".go"), hook)
			}
			source, err := os.ReadFile(filepath.Join(p.Dir, "main.go"))
			require.NoError(t, err)
			require.NotRegexp(t, `HookSpecs\{[^\n]*\n\s*\}`, string(source), "no block is empty")
			goes(t, p.Dir, "vet", "./...")
			goes(t, p.Dir, "test", "./...")
		})
	}
}

// goes runs the go command, which must succeed with the go.mod and go.sum that are there.
func goes(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off")
	said, err := c.CombinedOutput()
	require.NoError(t, err, "%s", said)
}

// TestAGoProjectHasItsOwnSDK checks that the copied SDK is complete: for the plugin, its tests and go generate.
func TestAGoProjectHasItsOwnSDK(t *testing.T) {
	t.Parallel()
	p := scaffold.Project{Name: "try-it", Dir: filepath.Join(t.TempDir(), "try-it"), Language: toolchain.Go, Hooks: abi.Hooks()}
	files, err := p.Write()
	require.NoError(t, err)
	require.Contains(t, files, "third_party/agenthost/")
	generated, err := os.ReadFile(filepath.Join(p.Dir, "agenthost_gen.go"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(p.Dir, "agenthost_gen.go")))
	goes(t, p.Dir, "generate")
	again, err := os.ReadFile(filepath.Join(p.Dir, "agenthost_gen.go"))
	require.NoError(t, err)
	require.Equal(t, string(generated), string(again))
	goes(t, p.Dir, "vet", "./...")
	goes(t, p.Dir, "test", "./...")
	require.FileExists(t, filepath.Join(p.Dir, "third_party", "agenthost", "LICENSE"))
	require.NoFileExists(t, filepath.Join(p.Dir, "third_party", "agenthost", "abi", "content_test.go"))
}

// TestARustProjectHasItsOwnSDK checks that cargo understands the project and the copied crates.
func TestARustProjectHasItsOwnSDK(t *testing.T) {
	t.Parallel()
	p := scaffold.Project{Name: "try-it", Dir: filepath.Join(t.TempDir(), "try-it"), Language: toolchain.Rust, Hooks: abi.Hooks()}
	files, err := p.Write()
	require.NoError(t, err)
	require.Contains(t, files, "third_party/agenthost/")
	for _, name := range []string{"LICENSE", "Cargo.toml", "src/lib.rs", "derive/Cargo.toml", "derive/src/lib.rs"} {
		require.FileExists(t, filepath.Join(p.Dir, "third_party", "agenthost", name))
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("cargo is not installed")
	}
	c := exec.CommandContext(t.Context(), "cargo", "metadata", "--no-deps", "--format-version=1", "--offline")
	c.Dir = p.Dir
	said, err := c.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), "third_party/agenthost")
}

// TestScriptProjects loads a project with each hook alone, one with none and one with all, in each language.
func TestScriptProjects(t *testing.T) {
	t.Parallel()
	engine, err := plugin.NewEngine(plugin.EngineConfig{Dir: testcache.Dir(), Memory: 4 << 30, Loaders: []plugin.Loader{script.Loader{}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	sets := [][]abi.Hook{nil, abi.Hooks()}
	for _, hook := range abi.Hooks() {
		sets = append(sets, []abi.Hook{hook})
	}
	for _, lang := range []toolchain.Language{toolchain.TypeScript, toolchain.JavaScript, toolchain.Python} {
		for _, hooks := range sets {
			p := scaffold.Project{Name: "try-it", Dir: filepath.Join(t.TempDir(), "try-it"), Language: lang, Hooks: hooks}
			files, err := p.Write()
			require.NoError(t, err)
			require.Contains(t, files, "try-it"+lang.Extension())
			require.NotContains(t, files, "third_party/agenthost/")
			in := author.Inspect(t.Context(), plugin.Wasm{Path: filepath.Join(p.Dir, p.File()), Engine: engine})
			require.True(t, in.OK, in.Message)
			for _, hook := range abi.Hooks() {
				require.Equal(t, slices.Contains(hooks, hook), in.Described.Hooks.Spec(hook) != nil, hook)
			}
			source, err := os.ReadFile(filepath.Join(p.Dir, p.File()))
			require.NoError(t, err)
			blank := `\n\n\n`
			if lang == toolchain.Python {
				blank += `\n`
			}
			require.NotRegexp(t, blank+`|\n$|[{(]\n\s*\n`, strings.TrimSuffix(string(source), "\n"))
		}
	}
}

func TestTheReleaseIsRequired(t *testing.T) {
	t.Parallel()
	p := scaffold.Project{Name: "x", Dir: t.TempDir(), Language: toolchain.TinyGo, Hooks: abi.Hooks(), SDK: scaffold.SDK{Release: "v1.2.3"}}
	_, err := p.Write()
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(p.Dir, "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(mod), "require github.com/agenthost/agenthost v1.2.3\n")
	require.NotContains(t, string(mod), "replace")
}

// A commit between two releases has no tag: cargo takes it by its revision, and Go by its version.
func TestACommitIsRequired(t *testing.T) {
	t.Parallel()
	sdk := scaffold.SDK{Release: "v1.2.4-0.20261124085411-3a28093f1c0b", Commit: "3a28093f1c0b"}
	for lang, file := range map[toolchain.Language]string{toolchain.Go: "go.mod", toolchain.Rust: "Cargo.toml"} {
		p := scaffold.Project{Name: "x", Dir: t.TempDir(), Language: lang, SDK: sdk}
		_, err := p.Write()
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(p.Dir, file))
		require.NoError(t, err)
		if lang == toolchain.Go {
			require.Contains(t, string(text), "require github.com/agenthost/agenthost "+sdk.Release+"\n")
		} else {
			require.Contains(t, string(text), `agenthost = { git = "https://github.com/agenthost/agenthost", rev = "3a28093f1c0b" }`+"\n")
			require.NotContains(t, string(text), "tag")
		}
		known, err := toolchain.Detect(p.Dir)
		require.NoError(t, err)
		require.Equal(t, lang, known, "the project remembers its language")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Upper", "1st", "a--b", "-a", "a-", "a_b", "a b", "../x", "ü", strings.Repeat("a", 65)} {
		p := scaffold.Project{Name: name, Dir: t.TempDir(), Language: toolchain.Go}
		_, err := p.Write()
		require.ErrorContains(t, err, "is not a valid name for a plugin", name)
	}
	dir := t.TempDir()
	kept := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(kept, []byte("mine"), 0o600))
	p := scaffold.Project{Name: "x", Dir: dir, Language: toolchain.Go}
	_, err := p.Write()
	require.ErrorContains(t, err, "already exists and is not empty")
	content, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
}
