package clients_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

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

// patience is how long a client may take.
const patience = 2 * time.Minute

// run runs a client against a server of its own. The client's arguments are the address of the server, that of the tools, another one of the
// server, and one that cuts all connections to that.
func run(t *testing.T, command []string) {
	t.Helper()
	tools := startTools(t)
	server := startServer(t, tools)
	c, fragile := startCutter(t, server)
	cut := httptest.NewServer(c)
	t.Cleanup(cut.Close)
	command = append(command, server, tools, fragile, cut.URL)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := exec.CommandContext(ctx, command[0], command[1:]...)
	client.Env = append(os.Environ(), "NO_PROXY=*", "LANGSMITH_TRACING=false")
	said, err := client.CombinedOutput()
	require.NoError(t, err, "%s", said)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	require.Equal(t, "all done", lines[len(lines)-1], "%s", said)
}

// startServer starts `agenthost serve` with an agent whose tools are at an address, and returns the server's address.
func startServer(t *testing.T, tools string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "agent"))))
	return programs.Serve(t, dir, []string{"TOOLS=" + tools}).URL
}

// startTools starts the server of the agent's tools. A call of /wait lasts until somebody calls /go.
func startTools(t *testing.T) string {
	t.Helper()
	passes, ended := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /weather/{city}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "sunny in "+r.PathValue("city"))
	})
	mux.HandleFunc("POST /file", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		_, _ = io.WriteString(w, "wrote "+string(text))
	})
	mux.HandleFunc("GET /wait", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-passes:
			_, _ = io.WriteString(w, "waited")
		case <-r.Context().Done():
		case <-ended:
		}
	})
	mux.HandleFunc("POST /go", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case passes <- struct{}{}:
		case <-r.Context().Done():
		case <-ended:
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		close(ended)
		server.Close()
	})
	return server.URL
}
