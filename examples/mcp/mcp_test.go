// Package mcp_test runs the example, in copies.
package mcp_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/programs"
)

// bin returns the directory with the command and the server.
var bin = sync.OnceValues(func() (string, error) { return programs.Build("cmd/agenthost", "examples/mcp/server") })

// example is a copy of the example.
type example struct {
	t   *testing.T
	dir string
	bin string // the directory with the programs
}

func setup(t *testing.T) *example {
	t.Helper()
	bin, err := bin()
	require.NoError(t, err)
	e := &example{t, t.TempDir(), bin}
	for _, name := range []string{"agenthost.yaml", "rules.yaml", "notes/welcome.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(e.dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(e.dir, name), text, 0o600))
	}
	return e
}

// must runs a subcommand with the built server in the place of go run, which must end with the code.
func (e *example) must(code int, args ...string) string {
	e.t.Helper()
	args = append(args, "--set", fmt.Sprintf("tools[0].mcp.command=[%q, ./notes]", filepath.Join(e.bin, "server")))
	c := exec.CommandContext(e.t.Context(), filepath.Join(e.bin, "agenthost"), args...)
	c.Dir = e.dir
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(e.dir, "cache"))
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(e.t, err)
	}
	require.Equal(e.t, code, c.ProcessState.ExitCode(), "%q\n%s", args, out)
	return string(out)
}

func TestNotesAreReadAndWritten(t *testing.T) {
	t.Parallel()
	e := setup(t)
	require.Contains(t, e.must(0, "run", "which notes are there?"), "welcome.md")
	require.Contains(t, e.must(0, "run", "read welcome"), "Welcome to the notes.")
	require.Contains(t, e.must(0, "run", "read missing"), "no such file")
	require.Contains(t, e.must(3, "run", "--thread", "ada", "note shopping: tea"), "--approve call-1")
	require.NoFileExists(t, filepath.Join(e.dir, "notes", "shopping.md"))
	require.Contains(t, e.must(0, "resume", "ada", "--approve", "call-1"), "It is written.")
	text, err := os.ReadFile(filepath.Join(e.dir, "notes", "shopping.md"))
	require.NoError(t, err)
	require.Equal(t, "tea", string(text))
}

func TestTheManifestIsValidWithoutTheServer(t *testing.T) {
	t.Parallel()
	e := setup(t)
	require.Contains(t, e.must(0, "validate"), "ok")
}

// A run writes notes and a database, which are no part of the repository.
func TestARunLeavesNoUntrackedFiles(t *testing.T) {
	t.Parallel()
	if exec.CommandContext(t.Context(), "git", "ls-files", "--error-unmatch", "agenthost.yaml").Run() != nil {
		t.Skip("needs git, and the repository")
	}
	ignored := func(name string) error {
		return exec.CommandContext(t.Context(), "git", "check-ignore", "-q", name).Run()
	}
	for _, name := range []string{"notes/shopping.md", "agent.db"} {
		require.NoError(t, ignored(name), name)
	}
	require.Error(t, ignored("notes/welcome.md"), "the example needs it")
}
