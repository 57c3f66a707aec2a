//go:build !no_serve

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/testservers"
)

// serving serves the bundle's manifest to a client over pipes.
func (b *bundle) serving(options *sdk.ClientOptions) (session *sdk.ClientSession, end func() int) {
	b.t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	code := make(chan int, 1)
	go func() {
		got := execute(b.t.Context(), []string{"mcp", "-f", b.path("agenthost.yaml")}, streams{in: fromClient, out: toClient, err: &b.err})
		_ = toClient.Close()
		code <- got
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(b.t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(b.t, err, &b.err)
	return session, func() int {
		_ = session.Close()
		return <-code
	}
}

func said(t *testing.T, r *sdk.CallToolResult, err error) string {
	t.Helper()
	require.NoError(t, err)
	require.NotEmpty(t, r.Content)
	text, ok := r.Content[0].(*sdk.TextContent)
	require.True(t, ok)
	return text.Text
}

func TestMCPServesTheAgentAndItsTools(t *testing.T) {
	t.Parallel()
	b := threads(t, "name: note keeper\n"+noting)
	session, end := b.serving(&sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}, nil
	}})
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"list_files", "note_keeper", "read_file", "search_files", "write_file"}, toolNames(tools.Tools))
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_files"})
	require.Contains(t, said(t, result, err), "x.txt")
	result, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "note_keeper", Arguments: map[string]any{"prompt": "note a.md"}})
	require.Equal(t, "written", said(t, result, err))
	require.Equal(t, exitOK, end(), &b.err)
	written, err := os.ReadFile(b.path("data/a.md"))
	require.NoError(t, err)
	require.Equal(t, "one", string(written))
}

func toolNames(tools []*sdk.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

func TestMCPTellsHowToAnswerElsewhere(t *testing.T) {
	t.Parallel()
	b := threads(t, "name: note keeper\n"+noting)
	session, end := b.serving(nil)
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "note_keeper", Arguments: map[string]any{"prompt": "note a.md", "thread": "ada"}})
	text := said(t, result, err)
	require.True(t, result.IsError)
	require.Contains(t, text, "agenthost resume ada -f "+b.path("agenthost.yaml"))
	require.Equal(t, exitOK, end(), &b.err)
	code := b.runWith(t.Context(), "", "resume", "ada", "-f", b.path("agenthost.yaml"), "--approve", "call-1")
	require.Equal(t, exitOK, code, &b.err)
	require.Equal(t, "written\n", b.out.String())
}

func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	ctx, cancel := context.WithCancel(t.Context())
	var log lockedBuffer
	code := make(chan int, 1)
	go func() {
		code <- execute(ctx, []string{"mcp", "-f", b.path("agenthost.yaml"), "--http", "0"}, streams{in: strings.NewReader(""), out: io.Discard, err: &log})
	}()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`)
	require.Eventually(t, func() bool { return address.MatchString(log.String()) }, 10*time.Second, time.Millisecond)
	require.NotContains(t, log.String(), "there is no login")
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: address.FindString(log.String())}, nil)
	require.NoError(t, err)
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "agent", Arguments: map[string]any{"prompt": "x"}})
	require.Equal(t, "hello", said(t, result, err))
	require.NoError(t, session.Close())
	cancel()
	require.Equal(t, exitSignal, <-code)
}

// lockedBuffer may be written and read at the same time.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestMCPAddresses(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "0.0.0.0:80": "0.0.0.0:80", "[::1]:80": "[::1]:80", "localhost": "", "99999": "", "": "",
	} {
		got, err := listenAddress(given)
		require.Equal(t, want, got, given)
		require.Equal(t, want == "", err != nil, given)
	}
	b := setup(t, say)
	require.Equal(t, exitUsage, b.run("mcp", "--http", "x"))
	require.Contains(t, b.err.String(), "--http x: write a port")
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	require.Equal(t, exitFailed, b.run("mcp", "--http", taken.Addr().String()))
	require.Contains(t, b.err.String(), `listen "`+taken.Addr().String()+`": bind: address already in use; end the program that listens there`)
}

func TestMCPEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	ctx, cancel := context.WithCancel(t.Context())
	never, closeNever := io.Pipe()
	defer func() { require.NoError(t, closeNever.Close()) }()
	time.AfterFunc(0, cancel)
	code := execute(ctx, []string{"mcp", "-f", b.path("agenthost.yaml")}, streams{in: never, out: io.Discard, err: &b.err})
	require.Equal(t, exitSignal, code)
}

// TestMCPOfTheCommand talks to the command like a client that started it: its standard output has only the protocol.
func TestMCPOfTheCommand(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), self, "mcp", "-v", "-f", b.path("agenthost.yaml"))
	command.Env = append(os.Environ(), asCommand+"=1")
	var errs lockedBuffer
	command.Stderr = &errs
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: command}, nil)
	require.NoError(t, err, &errs)
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "agent", Arguments: map[string]any{"prompt": "x"}})
	require.Equal(t, "hello", said(t, result, err))
	require.NoError(t, session.Close(), "it ends with the exit code 0 when its input does\n%s", &errs)
}

// The inspector is a client that others wrote.
func TestMCPWithTheInspector(t *testing.T) {
	t.Parallel()
	inspector := testservers.Inspector(t)
	b := setup(t, say)
	self, err := os.Executable()
	require.NoError(t, err)
	inspect := func(question ...string) (answer struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	},
	) {
		command := append(append(slices.Clone(inspector), "-e", asCommand+"=1", self, "mcp", "--manifest", b.path("agenthost.yaml")), question...)
		asked := exec.CommandContext(t.Context(), command[0], command[1:]...)
		asked.Dir = filepath.Dir(inspector[1]) // it looks for its package.json from there
		var errs bytes.Buffer
		asked.Stderr = &errs
		out, err := asked.Output()
		require.NoError(t, err, "%s", &errs)
		require.NoError(t, json.Unmarshal(out, &answer), "%s", out)
		return answer
	}
	tools := inspect("--method", "tools/list").Tools
	require.Len(t, tools, 1)
	require.Equal(t, "agent", tools[0].Name)
	content := inspect("--method", "tools/call", "--tool-name", "agent", "--tool-arg", "prompt=hi").Content
	require.Len(t, content, 1)
	require.Equal(t, "hello", content[0].Text)
}

func TestMCPFollowsTheToolsOfItsServers(t *testing.T) {
	t.Parallel()
	upstream := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	sdk.AddTool(upstream, &sdk.Tool{Name: "hello"}, sdk.ToolHandlerFor[struct{}, any](sayHi))
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return upstream }, nil))
	t.Cleanup(web.Close)
	b := setup(t, say+"tools: [{mcp: {prefix: x_, url: '"+web.URL+"'}}]\n")
	told := make(chan struct{}, 10)
	session, end := b.serving(&sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { told <- struct{}{} }})
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"agent", "x_hello"}, toolNames(tools.Tools))
	sdk.AddTool(upstream, &sdk.Tool{Name: "again"}, sdk.ToolHandlerFor[struct{}, any](sayHi))
	<-told
	tools, err = session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"agent", "x_again", "x_hello"}, toolNames(tools.Tools))
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "x_again"})
	require.Equal(t, "hi Ada", said(t, result, err))
	require.Equal(t, exitOK, end(), &b.err)
}
