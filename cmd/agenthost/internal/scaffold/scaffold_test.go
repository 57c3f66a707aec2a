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
	"github.com/agenthost/agenthost/internal/toolchain"
)

// TestGoProjects vets and tests a project with each hook alone, one with none and one with all.
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
			p := scaffold.Project{Name: "try-it", Dir: filepath.Join(t.TempDir(), "try-it"), Language: toolchain.Go, Hooks: hooks, SDK: checkout}
			files, err := p.Write()
			require.NoError(t, err)
			for _, hook := range abi.Hooks() {
				require.Equal(t, slices.Contains(hooks, hook), slices.Contains(files, string(hook)+".go"), hook)
			}
			for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}} {
				c := exec.CommandContext(t.Context(), "go", args...)
				c.Dir, c.Env = p.Dir, append(os.Environ(), "GOFLAGS=-mod=mod")
				said, err := c.CombinedOutput()
				require.NoError(t, err, "%s", said)
			}
		})
	}
}

func TestTheReleaseIsRequired(t *testing.T) {
	t.Parallel()
	p := scaffold.Project{Name: "x", Dir: t.TempDir(), Language: toolchain.TinyGo, Hooks: abi.Hooks(), Version: "v1.2.3"}
	_, err := p.Write()
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(p.Dir, "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(mod), "require github.com/agenthost/agenthost v1.2.3\n")
	require.NotContains(t, string(mod), "replace")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Upper", "1st", "a--b", "-a", "a-", "a_b", "a b", "../x", "ü", strings.Repeat("a", 65)} {
		p := scaffold.Project{Name: name, Dir: t.TempDir(), Language: toolchain.Go}
		_, err := p.Write()
		require.ErrorContains(t, err, "is no name for a plugin", name)
	}
	dir := t.TempDir()
	kept := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(kept, []byte("mine"), 0o600))
	p := scaffold.Project{Name: "x", Dir: dir, Language: toolchain.Go}
	_, err := p.Write()
	require.ErrorContains(t, err, "is there already, and is not empty")
	content, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
}
