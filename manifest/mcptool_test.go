package manifest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// mcpServer serves tools over HTTP that say their names and arguments, and notes the keys that it was sent.
type mcpServer struct {
	*httptest.Server

	mu   sync.Mutex
	keys map[string]bool
}

func serveMCP(t *testing.T, tools ...string) *mcpServer {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	for _, name := range tools {
		server.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
			func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name + " " + string(req.Params.Arguments)}}}, nil
			})
	}
	s := &mcpServer{keys: map[string]bool{}}
	handle := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.keys[r.Header.Get("X-Key")] = true
		return server
	}, nil)
	s.Server = httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s
}

// load loads a manifest of a model that calls fs_read, and these tools.
func loadMCP(t *testing.T, tools string, options manifest.Options) (*manifest.Manifest, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agenthost.yaml")
	text := "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{tool_calls: [{id: '1', name: fs_read, args: {a: 1}}]}, {content: done}]}\n" + tools
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return manifest.Load(path, options)
}

func TestToolsOfAnMCPServer(t *testing.T) {
	t.Parallel()
	server := serveMCP(t, "read", "write")
	m, err := loadMCP(t, fmt.Sprintf("tools:\n  - mcp: {url: '%s', headers: {X-Key: '${KEY}'}, prefix: fs_, include: ['r*'], timeout: 10s, max_result: 1MiB}\n", server.URL),
		manifest.Options{LookupEnv: func(string) (string, bool) { return "key-of-the-server", true }})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	answer := result.Messages.At(2)
	require.Equal(t, `read {"a":1}`, answer.Content.Text())
	server.mu.Lock()
	defer server.mu.Unlock()
	require.Equal(t, map[string]bool{"key-of-the-server": true}, server.keys)
}

func TestMCPToolsOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	server, other := serveMCP(t, "read_file"), serveMCP(t, "read_file")
	for want, tools := range map[string]string{
		`5:10: tools[1].mcp: the tool "read_file" of the MCP server "b" (line 5) has the same name as a tool of the MCP server "a" (line 4); give the server a prefix`: fmt.Sprintf(
			"tools:\n  - mcp: {name: a, url: '%s'}\n  - mcp: {name: b, url: '%s'}\n", server.URL, other.URL),
		`as a tool of files; give the server a prefix`:                                    fmt.Sprintf("tools:\n  - files: {root: .}\n  - mcp: {name: a, url: '%s'}\n", server.URL),
		`the tool "read_file" of files has the same name as a tool of the MCP server "a"`: fmt.Sprintf("tools:\n  - mcp: {name: a, url: '%s'}\n  - files: {root: .}\n", server.URL),
	} {
		m, err := loadMCP(t, tools, manifest.Options{})
		require.NoError(t, err)
		_, err = m.Build(t.Context(), nil, nil)
		require.ErrorContains(t, err, want)
	}
}

func TestMCPEntriesThatCannotBe(t *testing.T) {
	t.Parallel()
	for tools, want := range map[string]string{
		"{}":                                "neither a command nor a url is given; set one of them",
		"{command: npx}":                    "command",
		"{command: [npx], url: 'http://x'}": "both a command and a url are given",
		"{url: 'ftp://x'}":                  "url: the URL must begin with http:// or https://",
		"{command: [x], timeout: 0s}":       "timeout",
		"{command: [x], prefx: a}":          `unknown key "prefx"`,
		"{command: [x], include: ['[']}":    `include: "[" is not a pattern`,
		"{url: 'https://u:${KEY}@x'}":       "url: the URL contains a user",
	} {
		_, err := loadMCP(t, "tools:\n  - mcp: "+tools+"\n", manifest.Options{LookupEnv: func(string) (string, bool) { return "secret-key", true }})
		require.ErrorContains(t, err, want, tools)
		require.ErrorContains(t, err, "agenthost.yaml:4:", tools)
		require.NotContains(t, err.Error(), "secret-key")
	}
}

func TestAnMCPServerThatCannotBeReachedIsAnErrorOfTheManifest(t *testing.T) {
	t.Parallel()
	m, err := loadMCP(t, "tools:\n  - mcp: {command: [no-such-program], env: {KEY: '${KEY}'}}\n",
		manifest.Options{LookupEnv: func(string) (string, bool) { return "secret-key", true }})
	require.NoError(t, err)
	_, err = m.Build(t.Context(), nil, nil)
	require.ErrorContains(t, err, "agenthost.yaml:4:10: tools[0].mcp: MCP server \"no-such-program\": exec: ")
	require.NotContains(t, err.Error(), "secret-key")
}

func TestAnAgentThatIsLookedAtStartsNoServer(t *testing.T) {
	t.Parallel()
	m, err := loadMCP(t, `tools:
  - mcp: {command: [no-such-program], prefix: fs_, include: [read, "list_*"]}
  - mcp: {url: 'http://localhost:1'}
tool_calls: {alert: {fs_list_all: 5, search: 5}}
middleware:
  - tool_call_limit: {tool_name: search, run_limit: 1}
`, manifest.Options{InMemory: true})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.ErrorContains(t, err, `the tool "fs_read" cannot run: its MCP server is not started`)
	require.NoError(t, agent.Close())
}

func TestTheMCPManifestsOfTheDocumentAreRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/tools.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "\n## MCP\n")
	require.True(t, ok)
	section, _, ok = strings.Cut(section, "\n## ")
	require.True(t, ok)
	documents := strings.Split(section, "```yaml\n")[1:]
	require.NotEmpty(t, documents)
	for _, document := range documents {
		document, _, _ = strings.Cut(document, "```")
		path := filepath.Join(t.TempDir(), "agenthost.yaml")
		require.NoError(t, os.WriteFile(path, []byte(document), 0o600))
		m, err := manifest.Load(path, manifest.Options{InMemory: true, LookupEnv: func(string) (string, bool) { return "key", true }})
		require.NoError(t, err)
		agent, err := m.Build(t.Context(), nil, nil)
		require.NoError(t, err)
		require.NoError(t, agent.Close())
	}
}
