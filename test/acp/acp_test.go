// Package acp tests `agenthost acp` with the official client of the Agent Client Protocol.
package acp_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/clientscript"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	client := testservers.NodeClient(t, filepath.Join("testdata", "client.mjs"))
	bin, err := programs.Build("cmd/agenthost")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "agent"))))
	client = append(client, dir, testservers.Everything(t)[1], filepath.Join(bin, "agenthost"), "acp")
	clientscript.Run(t, client, "TMPDIR="+t.TempDir())
}
