// Package packages helps tests that pack and install the packages of the SDKs for other languages, as their users do.
package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Run runs a command in a directory, with additional environment variables, and returns what it prints. It must succeed.
func Run(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...) //nolint:gosec // a test chose it
	c.Dir, c.Env = dir, append(append(os.Environ(), "NO_COLOR=1"), env...)
	output, err := c.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// Copy copies files into a directory, and makes the directory.
func Copy(t *testing.T, dir string, files ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600)) //nolint:gosec // a test chose it
	}
}

// Only returns the one file that matches a pattern.
func Only(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, found, 1, pattern)
	return found[0]
}
