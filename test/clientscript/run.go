package clientscript

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Patience is how long a client may take.
const Patience = 2 * time.Minute

// Run runs a client, whose last line must be "all done", with more variables in its environment, and returns what it wrote.
func Run(t *testing.T, command []string, env ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	client := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the command is the test's
	client.Env = append(append(os.Environ(), "NO_PROXY=*"), env...)
	said, err := client.CombinedOutput()
	require.NoError(t, err, "%s", said)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	require.Equal(t, "all done", lines[len(lines)-1], "%s", said)
	return string(said)
}
