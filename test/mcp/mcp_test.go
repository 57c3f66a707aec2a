package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/test/clientscript"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	annsKey = "ann-0123456789abcdef"
	bobsKey = "bob-0123456789abcdef"
)

// setup is a started server.
type setup struct {
	t      *testing.T
	server string
	tools  string
	issuer string
}

func start(t *testing.T) *setup {
	t.Helper()
	s := &setup{t: t, tools: startTools(t), issuer: startProvider(t)}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clerk"))))
	s.server = programs.Serve(t, dir, append(s.env(), "TOOLS="+s.tools), "--config", "serve.yaml").URL
	return s
}

func (s *setup) env() []string {
	return []string{"ANNS_KEY=" + annsKey, "BOBS_KEY=" + bobsKey, "ISSUER=" + s.issuer, "SERVER=" + s.server, "NO_PROXY=*"}
}

// run runs a program in a directory, and returns what it wrote.
func (s *setup) run(dir string, command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), clientscript.Patience)
	defer cancel()
	program := exec.CommandContext(ctx, command[0], command[1:]...)
	program.Dir, program.Env = dir, append(os.Environ(), s.env()...)
	said, err := program.CombinedOutput()
	return string(said), err
}

// startTools starts the server of the agent's tools. A call of /wait lasts until its client is gone.
func startTools(t *testing.T) string {
	t.Helper()
	ended := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /file", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Content string `json:"content"`
		}
		_ = json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&in)
		_, _ = io.WriteString(w, "wrote "+in.Content)
	})
	mux.HandleFunc("GET /wait", func(_ http.ResponseWriter, r *http.Request) {
		select {
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

// script runs a client's script to its end.
func (s *setup) script(command []string) {
	s.t.Helper()
	clientscript.Run(s.t, append(command, s.server, s.tools, s.issuer), s.env()...)
}

func TestPythonSDK(t *testing.T) {
	t.Parallel()
	command := testservers.PythonDoorClient(t, filepath.Join("testdata", "client.py"))
	start(t).script(command)
}

// The code in the documentation works.
func TestTheDocument(t *testing.T) {
	t.Parallel()
	script := filepath.Join("testdata", "quick.py")
	command := testservers.PythonDoorClient(t, script)
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "mcp.md"))
	require.NoError(t, err)
	code, err := os.ReadFile(script)
	require.NoError(t, err)
	require.Contains(t, string(document), "```python\n"+string(code)+"```\n")
	s := start(t)
	said, err := s.run("", append(command, s.server, annsKey)...)
	require.NoError(t, err, said)
	require.Equal(t, "You said: hello\n", said)
}

func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	command := testservers.NodeClient(t, filepath.Join("testdata", "client.mjs"))
	start(t).script(command)
}

// inspectorCLI returns the path of the inspector's command, in a copy that lies as in the inspector's own package: the command reads that package's
// description.
func inspectorCLI(t *testing.T) string {
	t.Helper()
	description := testservers.Tool(t, "node_modules/@modelcontextprotocol/inspector-cli/package.json", "node")
	dir := t.TempDir()
	cli := filepath.Dir(description)
	require.NoError(t, os.Symlink(filepath.Dir(filepath.Dir(cli)), filepath.Join(dir, "node_modules")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "inspector", "cli"), os.DirFS(cli)))
	text, err := os.ReadFile(description)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "inspector", "package.json"), text, 0o600))
	return filepath.Join(dir, "inspector", "cli", "build", "index.js")
}

func TestInspector(t *testing.T) {
	t.Parallel()
	inspector := inspectorCLI(t)
	s := start(t)
	inspect := func(args ...string) map[string]any {
		t.Helper()
		command := append([]string{"node", inspector, s.server + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + annsKey}, args...)
		said, err := s.run("", command...)
		require.NoError(t, err, said)
		var out map[string]any
		require.NoError(t, json.Unmarshal([]byte(said), &out), said)
		return out
	}
	tools, _ := inspect("--method", "tools/list")["tools"].([]any)
	require.Len(t, tools, 2)
	result := inspect("--method", "tools/call", "--tool-name", "clerk", "--tool-arg", "prompt=hello", "--tool-arg", "thread=inspected")
	require.Equal(t, []any{map[string]any{"type": "text", "text": "You said: hello"}}, result["content"])
	resources, _ := inspect("--method", "resources/list")["resources"].([]any)
	require.Len(t, resources, 1)
	require.Len(t, inspect("--method", "resources/templates/list")["resourceTemplates"], 1)
}

// The tools of an agent are the agents of another agenthost, whose questions go to the person who uses the first.
func TestAgentsOfAnotherAgenthost(t *testing.T) {
	t.Parallel()
	s := start(t)
	bin, err := programs.Build("cmd/agenthost")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "boss"))))
	said, err := s.run(dir, filepath.Join(bin, "agenthost"), "run", "hello")
	require.NoError(t, err, said)
	require.Contains(t, said, "The clerk says: You said: hello")

	said, err = s.run(dir, filepath.Join(bin, "agenthost"), "run", "--thread", "ada", "write it")
	require.Error(t, err, "it waits for an answer")
	_, ask, found := strings.Cut(said, "--respond ask-")
	require.True(t, found, said)
	id, _, _ := strings.Cut(ask, " ")
	said, err = s.run(dir, filepath.Join(bin, "agenthost"), "resume", "ada", "--respond", "ask-"+id, "--message", `{"decision": "approve"}`)
	require.NoError(t, err, said)
	require.Contains(t, said, "The clerk says: The tool said: wrote it")
}
