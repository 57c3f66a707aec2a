package studio_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheTypes checks the types of the sources with tsc, which make servers installs.
func TestTheTypes(t *testing.T) {
	t.Parallel()
	tsc, err := filepath.Abs("../.bin/servers/node_modules/typescript/bin/tsc")
	require.NoError(t, err)
	if _, err := os.Stat(tsc); err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	execute(t, "node", tsc, "-p", "web")
}

// TestTheModel runs the tests in test/ by Node's test runner.
func TestTheModel(t *testing.T) {
	t.Parallel()
	tests, err := filepath.Glob("test/*.test.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, tests)
	require.Regexp(t, `(?m)^# fail 0$`, execute(t, append([]string{"node", "--test", "--test-reporter=tap"}, tests...)...))
}

func execute(t *testing.T, command ...string) string {
	t.Helper()
	path, err := exec.LookPath(command[0])
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	output, err := exec.CommandContext(t.Context(), path, command[1:]...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}
