package agui_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
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

func TestJavaScriptClient(t *testing.T) {
	t.Parallel()
	testservers.Tool(t, "node_modules/@ag-ui/client/package.json", "node") // an installation may be older
	run(t, testservers.NodeClient(t, filepath.Join("testdata", "client.mjs")))
}

// The client that docs/agui.md shows.
func TestTheDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "agui.md"))
	require.NoError(t, err)
	_, code, found := strings.Cut(string(text), "```js\n")
	require.True(t, found)
	code, _, _ = strings.Cut(code, "```")
	require.Contains(t, code, `"http://127.0.0.1:8123`)
	code = strings.ReplaceAll(code, `"http://127.0.0.1:8123`, "process.argv[2] + \"")
	script := filepath.Join(t.TempDir(), "document.mjs")
	require.NoError(t, os.WriteFile(script, []byte(code+"\nconsole.log(\"all done\")\n"), 0o600))
	said := run(t, testservers.NodeClient(t, script))
	require.Contains(t, said, "You said: What is the weather in Oslo?")
}

func TestPythonTypes(t *testing.T) {
	t.Parallel()
	run(t, testservers.PythonDoorClient(t, filepath.Join("testdata", "events.py")))
}

func TestCopilotKit(t *testing.T) {
	t.Parallel()
	installed := os.Getenv("AGENTHOST_COPILOTKIT")
	if installed == "" {
		t.Skip("CopilotKit is not there; make copilotkit installs it and runs this test")
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "copilotkit"))))
	require.NoError(t, os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")))
	run(t, []string{"node", filepath.Join(dir, "copilotkit.mjs")})
}

// run runs a client against a server of its own. The client's arguments are the address of the server, and that of the tools. It
// returns what the client said.
func run(t *testing.T, command []string) string {
	t.Helper()
	tools := clientscript.Tools(t, func(mux *http.ServeMux) { mux.HandleFunc("POST /v1/chat/completions", think) }) // it is also a model's provider
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "agent"))))
	server := programs.Serve(t, dir, []string{"TOOLS=" + tools}, "-f", "agenthost.yaml", "-f", "thinker.yaml").URL
	return clientscript.Run(t, append(command, server, tools))
}

// think answers as a provider's model that reasons, or refuses a request whose last message is "fail".
func think(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct {
			Content any `json:"content"`
		} `json:"messages"`
	}
	if json.NewDecoder(r.Body).Decode(&request) != nil || request.Messages[len(request.Messages)-1].Content == "fail" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"the provider refuses it"}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, delta := range []string{
		`{"role":"assistant","reasoning_content":"first, "}`, `{"reasoning_content":"then"}`, `{"content":"The answer "}`, `{"content":"is 42"}`,
	} {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"thinker\",\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
	}
	_, _ = io.WriteString(w, `data: {"id":"c","object":"chat.completion.chunk","model":"thinker","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n")
	_, _ = io.WriteString(w, `data: {"id":"c","object":"chat.completion.chunk","model":"thinker","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`+"\n\n")
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
