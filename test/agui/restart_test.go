package agui_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/clientscript"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

// A page answers the call of its tool although the server was killed after it had asked.
func TestAToolOfThePageOutlivesTheServer(t *testing.T) {
	t.Parallel()
	testservers.Tool(t, "node_modules/@ag-ui/client/package.json", "node")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "agent"))))
	client := testservers.NodeClient(t, filepath.Join("testdata", "restart.mjs"))
	start := func() *programs.Server {
		return programs.Serve(t, dir, []string{"TOOLS=http://127.0.0.1:1"}, "-f", "agenthost.yaml")
	}
	first := start()
	conversation, _, _ := strings.Cut(clientscript.Run(t, append(client, first.URL, "ask")), "\n")
	require.Error(t, first.End(syscall.SIGKILL))
	clientscript.Run(t, append(client, start().URL, "answer", conversation))
}
