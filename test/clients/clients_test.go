package clients_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/test/clientscript"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPythonSDK(t *testing.T) {
	t.Parallel()
	run(t, testservers.PythonClient(t, filepath.Join("testdata", "sdk.py")))
}

func TestGuides(t *testing.T) {
	t.Parallel()
	run(t, testservers.PythonClient(t, filepath.Join("testdata", "guides.py")))
}

func TestRemoteGraph(t *testing.T) {
	t.Parallel()
	run(t, testservers.PythonClient(t, filepath.Join("testdata", "remotegraph.py")))
}

func TestJavaScriptSDK(t *testing.T) {
	t.Parallel()
	run(t, testservers.NodeClient(t, filepath.Join("testdata", "sdk.mjs")))
}

func TestUseStream(t *testing.T) {
	t.Parallel()
	run(t, testservers.NodeClient(t, filepath.Join("testdata", "usestream.mjs")))
}

func TestPythonProtocol(t *testing.T) {
	t.Parallel()
	run(t, testservers.PythonClient(t, filepath.Join("testdata", "protocol.py")))
}

func TestJavaScriptProtocol(t *testing.T) {
	t.Parallel()
	run(t, testservers.NodeClient(t, filepath.Join("testdata", "protocol.mjs")))
}

func TestReact(t *testing.T) {
	t.Parallel()
	testservers.Tool(t, "node_modules/@langchain/react/package.json", "node") // an installation may be older
	run(t, testservers.NodeClient(t, filepath.Join("testdata", "react.mjs")))
}

// run runs a client against a server of its own. The client's arguments are the address of the server, that of the tools, another one of the
// server, and one that cuts all connections to that.
func run(t *testing.T, command []string) {
	t.Helper()
	tools := clientscript.Tools(t, nil)
	server := startServer(t, tools)
	c, fragile := startCutter(t, server)
	cut := httptest.NewServer(c)
	t.Cleanup(cut.Close)
	command = append(command, server, tools, fragile, cut.URL)
	clientscript.Run(t, command, "LANGSMITH_TRACING=false")
}

// startServer starts `agenthost serve` with an agent whose tools are at an address, and returns the server's address.
func startServer(t *testing.T, tools string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "agent"))))
	return programs.Serve(t, dir, []string{"TOOLS=" + tools}).URL
}
