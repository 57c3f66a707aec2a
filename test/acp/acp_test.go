// Package acp tests `agenthost acp` with the official client of the Agent Client Protocol.
package acp_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

// patience is how long the client may take.
const patience = 2 * time.Minute

func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	client := testservers.NodeClient(t, filepath.Join("testdata", "client.mjs"))
	bin, err := programs.Build("cmd/agenthost")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "agent"))))
	client = append(client, dir, testservers.Everything(t)[1], filepath.Join(bin, "agenthost"), "acp")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	script := exec.CommandContext(ctx, client[0], client[1:]...)
	script.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	said, err := script.CombinedOutput()
	require.NoError(t, err, "%s", said)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	require.Equal(t, "all done", lines[len(lines)-1], "%s", said)
}
