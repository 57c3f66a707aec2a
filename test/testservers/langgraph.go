package testservers

import (
	"os"
	"strings"
	"testing"
)

// LangGraph starts LangGraph's development server with the agents of a folder, which has langgraph.json, and returns its address. The
// server keeps everything in memory, and asks nothing of the network.
func LangGraph(t *testing.T, agents string) string {
	t.Helper()
	program := installed(t, "langgraph/bin/langgraph", "python3")
	dir := t.TempDir() // the server writes into its folder
	if err := os.CopyFS(dir, os.DirFS(agents)); err != nil {
		t.Fatal(err)
	}
	port := FreePort(t)
	command := []string{
		program, "dev", "--host", "127.0.0.1", "--port", port, "--no-browser", "--no-reload", "--allow-blocking", "--n-jobs-per-worker", "8",
	}
	env := []string{"LANGSMITH_TRACING=false", "LANGGRAPH_NO_VERSION_CHECK=true", "LANGGRAPH_CLI_NO_ANALYTICS=1"}
	return startIn(t, dir, command, env, func(line string) (string, bool) {
		return "http://127.0.0.1:" + port, strings.Contains(line, "Queue stats") // it listens a moment before
	})
}
