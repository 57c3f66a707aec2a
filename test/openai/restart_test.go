package openai_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/clientscript"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

// A client answers the call of its tool although the server was killed after it had asked.
func TestAToolOfTheClientOutlivesTheServer(t *testing.T) {
	t.Parallel()
	client := testservers.NodeClient(t, filepath.Join("testdata", "restart.mjs"))
	dir := directory(t)
	start := func() *programs.Server {
		return programs.Serve(t, dir, []string{"TOOLS=http://127.0.0.1:1"}, "--config", "serve.yaml", "-f", "agent", "--storage", "sqlite:runs.db")
	}
	first := start()
	asked, _, _ := strings.Cut(clientscript.Run(t, append(client, first.URL, key, "ask")), "\n")
	require.Error(t, first.End(syscall.SIGKILL))
	clientscript.Run(t, append(client, start().URL, key, "answer", asked))
}
