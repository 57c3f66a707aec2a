package manifest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/test/testservers"
)

// delayed serves a tool over HTTP, after before has returned for each request.
func delayed(t *testing.T, tool string, before func(*http.Request)) *httptest.Server {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: tool, InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	handle := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // only then does the server notice that a client is gone
		r.Body = io.NopCloser(bytes.NewReader(body))
		before(r)
		handle.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// together returns functions that a server each calls for a request. They return when all of them were called.
func together(n int) []func(*http.Request) {
	var all sync.WaitGroup
	all.Add(n)
	met := make([]func(*http.Request), n)
	for i := range met {
		var once sync.Once
		met[i] = func(r *http.Request) {
			once.Do(all.Done)
			ready := make(chan struct{})
			go func() { all.Wait(); close(ready) }()
			select {
			case <-ready:
			case <-r.Context().Done():
			}
		}
	}
	return met
}

func toolsOf(config *host.Config) (names []string) {
	for _, tool := range config.Tools {
		names = append(names, tool.Spec().Name)
	}
	return names
}

func TestMCPServersStartAtTheSameTime(t *testing.T) {
	t.Parallel()
	met := together(3)
	a, b, c := delayed(t, "a", met[0]), delayed(t, "b", met[1]), delayed(t, "c", met[2])
	m, err := loadMCP(t, fmt.Sprintf(
		"tools:\n  - mcp: {url: '%s'}\n  - files: {root: .}\n  - mcp: {url: '%s'}\n  - mcp: {url: '%s'}\n", c.URL, a.URL, b.URL), manifest.Options{})
	require.NoError(t, err)
	var names []string
	agent, err := m.Build(t.Context(), nil, func(config *host.Config) { names = toolsOf(config) })
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	require.Equal(t, []string{"c", "list_files", "read_file", "search_files", "a", "b"}, names, "the order is the manifest's")
}

func TestMCPServersOfSubagentsStartAtTheSameTime(t *testing.T) {
	t.Parallel()
	met := together(2)
	a, b := delayed(t, "a", met[0]), delayed(t, "b", met[1])
	m, err := loadMCP(t, fmt.Sprintf("middleware: [{subagents: {agents: [{name: one, description: d, system_prompt: p, tools: [{mcp: {url: '%s'}}]}, "+
		"{name: two, description: d, system_prompt: p, tools: [{mcp: {url: '%s'}}]}]}}]\n", a.URL, b.URL), manifest.Options{})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	require.NoError(t, agent.Close())
}

func TestEveryMCPServerThatFailsIsNamed(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	good := delayed(t, "a", func(r *http.Request) {
		if r.Method == http.MethodDelete { // the client ends its session
			close(left)
		}
	})
	m, err := loadMCP(t, fmt.Sprintf("tools:\n  - mcp: {command: [no-such-program]}\n  - mcp: {url: '%s'}\n  - mcp: {name: other, command: [no-such-other]}\n", good.URL),
		manifest.Options{})
	require.NoError(t, err)
	_, err = m.Build(t.Context(), nil, nil)
	require.ErrorContains(t, err, `agenthost.yaml:4:10: tools[0].mcp: MCP server "no-such-program": exec: `)
	require.ErrorContains(t, err, `agenthost.yaml:6:10: tools[2].mcp: MCP server "other": exec: `)
	require.Less(t, strings.Index(err.Error(), "no-such-program"), strings.Index(err.Error(), "no-such-other"))
	<-left
}

func TestCancellationEndsTheStartOfAllMCPServers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var asked sync.WaitGroup
	asked.Add(2)
	hang := func() func(*http.Request) {
		var once sync.Once
		return func(r *http.Request) {
			once.Do(asked.Done)
			<-r.Context().Done()
		}
	}
	a, b := delayed(t, "a", hang()), delayed(t, "b", hang())
	go func() {
		asked.Wait()
		cancel()
	}()
	m, err := loadMCP(t, fmt.Sprintf("tools:\n  - mcp: {url: '%s'}\n  - mcp: {url: '%s'}\n", a.URL, b.URL), manifest.Options{})
	require.NoError(t, err)
	_, err = m.Build(ctx, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, strings.Count(err.Error(), context.Canceled.Error()))
}

func TestSlowMCPServersAreNamedWhileTheAgentWaits(t *testing.T) {
	t.Parallel()
	told := make(chan []string, 1)
	heard := make(chan struct{})
	fast := delayed(t, "a", func(*http.Request) {})
	slow := delayed(t, "b", func(r *http.Request) {
		select {
		case <-heard:
		case <-r.Context().Done():
		}
	})
	m, err := loadMCP(t, fmt.Sprintf("tools:\n  - mcp: {name: fast, url: '%s'}\n  - mcp: {name: slow, url: '%s'}\n", fast.URL, slow.URL),
		manifest.Options{Waiting: func(servers []string) { told <- servers; close(heard) }})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	require.Contains(t, <-told, "slow")
}

// The servers are processes of the SDK in TypeScript. One of them exits at once.
func TestServersOfEverythingStartAtTheSameTime(t *testing.T) {
	t.Parallel()
	quoted := make([]string, 0, 3)
	for _, part := range testservers.Everything(t) {
		quoted = append(quoted, fmt.Sprintf("%q", part))
	}
	entry := func(prefix string) string {
		return fmt.Sprintf("  - mcp: {command: [%s], prefix: %s_, include: [echo]}\n", strings.Join(quoted, ", "), prefix)
	}
	m, err := loadMCP(t, "tools:\n"+entry("b")+entry("a")+entry("c"), manifest.Options{})
	require.NoError(t, err)
	var names []string
	agent, err := m.Build(t.Context(), nil, func(config *host.Config) { names = toolsOf(config) })
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	require.Equal(t, []string{"b_echo", "a_echo", "c_echo"}, names)

	m, err = loadMCP(t, "tools:\n"+entry("a")+"  - mcp: {command: [node, -e, 'process.exit(3)']}\n", manifest.Options{})
	require.NoError(t, err)
	_, err = m.Build(t.Context(), nil, nil)
	require.ErrorContains(t, err, "tools[1].mcp: MCP server \"node\"")
}
