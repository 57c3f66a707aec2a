package manifest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
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

// announcements is a log that tells when a server has announced that its tools have changed.
type announcements struct {
	slog.Handler

	heard chan struct{}
}

func (*announcements) Enabled(context.Context, slog.Level) bool { return true }

func (a *announcements) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "tools have changed") {
		a.heard <- struct{}{}
	}
	return nil
}

func (a *announcements) WithAttrs([]slog.Attr) slog.Handler { return a }

func TestTheNextRunHasTheToolsThatAServerAnnounces(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(names ...string) {
		for _, name := range names {
			server.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
				func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name + " ran"}}}, nil
				})
		}
	}
	add("write")
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(web.Close)
	m, err := loadMCP(t, fmt.Sprintf("tools:\n  - mcp: {name: s, url: '%s', prefix: fs_}\n  - files: {root: .}\n", web.URL)+
		"middleware:\n  - human_in_the_loop: {interrupt_on: {fs_write: true}}\n"+
		"  - subagents: {agents: [{name: one, description: d, system_prompt: p}]}\n",
		manifest.Options{Set: []string{"model.turns=[" + strings.Repeat("{tool_calls: [{id: '1', name: fs_read, args: {a: 1}}]}, {content: done}, ", 5) + "]"}})
	require.NoError(t, err)
	said := &announcements{slog.DiscardHandler, make(chan struct{}, 100)}
	agent, err := m.Build(t.Context(), slog.New(said), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	run := func() (answer string, warned []string) {
		result, err := agent.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}}, func(e host.Event) error {
			if e.Type == host.EventWarn {
				warned = append(warned, e.Text)
			}
			return nil
		})
		require.NoError(t, err)
		return result.Messages.At(2).Content.Text(), warned
	}
	answer, warned := run()
	require.Contains(t, answer, "fs_read is not a valid tool")
	require.Empty(t, warned)

	add("read")
	<-said.heard
	answer, warned = run()
	require.Equal(t, "read ran", answer)
	require.Empty(t, warned)

	server.RemoveTools("write")
	<-said.heard
	for range 2 {
		answer, warned = run()
		require.Equal(t, "read ran", answer, "the agent has the last good list")
		require.Len(t, warned, 1)
		require.Contains(t, warned[0], `it guards the tool "fs_write", which the agent does not have`)
	}

	add("write")
	<-said.heard
	_, warned = run()
	require.Empty(t, warned)
}

func TestAnAnnouncedToolTakesNoOtherName(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string) {
		server.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{}, nil
			})
	}
	add("fs_read")
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(web.Close)
	m, err := loadMCP(t, fmt.Sprintf("tools:\n  - files: {root: .}\n  - mcp: {name: s, url: '%s'}\n", web.URL), manifest.Options{})
	require.NoError(t, err)
	said := &announcements{slog.DiscardHandler, make(chan struct{}, 100)}
	agent, err := m.Build(t.Context(), slog.New(said), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	add("read_file")
	<-said.heard
	var warned []string
	_, err = agent.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}}, func(e host.Event) error {
		if e.Type == host.EventWarn {
			warned = append(warned, e.Text)
		}
		return nil
	})
	require.NoError(t, err)
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], `the tool "read_file" of the MCP server "s" (line 5) has the same name as a tool of files`)
}
