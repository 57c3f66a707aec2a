package testservers

import (
	"os"
	"path/filepath"
	"testing"
)

// Tool returns the path of a tool for tests, which an interpreter runs. If the tools are not installed, the test is skipped, or fails in CI.
func Tool(t *testing.T, path, interpreter string) string {
	t.Helper()
	return installed(t, path, interpreter)
}

// PythonClient returns the command that runs a script with LangGraph's SDK for Python and the package langgraph.
func PythonClient(t *testing.T, script string) []string {
	t.Helper()
	return []string{installed(t, "langgraph/bin/python", "python3"), script}
}

// PythonDoorClient returns the command that runs a script with the official clients for Python of the server's other doors: openai, a2a-sdk,
// ag-ui-protocol and mcp.
func PythonDoorClient(t *testing.T, script string) []string {
	t.Helper()
	return []string{installed(t, "clients/bin/python", "python3"), script}
}

// NodeClient returns the command that runs a script with the official clients for JavaScript: LangGraph's SDK with React and happy-dom, and
// those of AG-UI, OpenAI, MCP, ACP and A2A. It puts a copy of the
// script where Node.js finds them.
func NodeClient(t *testing.T, script string) []string {
	t.Helper()
	modules := filepath.Dir(filepath.Dir(filepath.Dir(installed(t, "node_modules/@langchain/langgraph-sdk/package.json", "node"))))
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "scripts"), os.DirFS(filepath.Dir(script))); err != nil {
		t.Fatal(err)
	}
	return []string{"node", filepath.Join(dir, "scripts", filepath.Base(script))}
}
