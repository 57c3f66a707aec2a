package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/test/testservers"
)

// sseServer serves the older transport, and counts its streams.
type sseServer struct {
	*httptest.Server

	server *sdk.Server
	mu     sync.Mutex
	opened int
	seen   http.Header // of the last message
}

func overSSE(t *testing.T, server *sdk.Server) *sseServer {
	t.Helper()
	s := &sseServer{server: server}
	handle := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if r.Method == http.MethodGet {
			s.opened++
		} else {
			s.seen = r.Header.Clone()
		}
		s.mu.Unlock()
		handle.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sseServer) streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

func TestTheOlderTransport(t *testing.T) {
	t.Parallel()
	web := overSSE(t, serving(map[string]handler{"a": say("x"), "b": say("y")}))
	s := connect(t, mcp.Config{URL: web.URL, TransportName: mcp.TransportSSE, Headers: map[string]string{"X-Team": "a"}})
	require.Equal(t, []string{"a", "b"}, names(s))
	require.Equal(t, "x", answered(t, s, "a", nil))
	require.Equal(t, "a", web.seen.Get("X-Team"))
	require.Equal(t, 1, web.streams())
}

// The transport cannot resume a stream, so the next call begins another session.
func TestABrokenStreamOfTheOlderTransport(t *testing.T) {
	t.Parallel()
	web := overSSE(t, serving(map[string]handler{"a": say("x")}))
	s := connect(t, mcp.Config{URL: web.URL, TransportName: mcp.TransportSSE, Idempotent: []string{"a"}})
	require.Equal(t, "x", answered(t, s, "a", nil))
	web.CloseClientConnections()
	require.Equal(t, "x", answered(t, s, "a", nil))
	require.Equal(t, 2, web.streams())
}

func TestHostileStreamsOfTheOlderTransport(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another server was asked") }))
	t.Cleanup(other.Close)
	for _, test := range []struct{ name, stream, want string }{
		{"another server", "event: endpoint\ndata: " + other.URL + "/x\n\n", "names an address of another server"},
		{"another scheme", "event: endpoint\ndata: file:///etc/passwd\n\n", "names an address of another server"},
		{"a user", "event: endpoint\ndata: //a:b@HOST/x\n\n", "names an address of another server"},
		{"no address", "event: message\ndata: {}\n\n", "does not begin with the address"},
		{"nothing", "", "ended before it named the address"},
		{"comments only", ": ping\n\n: ping\n\n", "ended before it named the address"},
		{"half an event", "event: endpoint\ndata: /x", "ended before it named the address"},
		{"an endless line", "event: endpoint\ndata: " + strings.Repeat("x", 9<<20), "message of more than"},
		{"an endless event", "event: endpoint\n" + strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 9), "message of more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprint(w, strings.ReplaceAll(test.stream, "HOST", r.Host))
			}))
			t.Cleanup(web.Close)
			_, err := mcp.Connect(t.Context(), mcp.Config{URL: web.URL, TransportName: mcp.TransportSSE})
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestTheOlderTransportSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		401: "it wants credentials", 404: "or remove transport: sse", 405: "or remove transport: sse",
	} {
		_, err := mcp.Connect(t.Context(), mcp.Config{URL: refusing(t, status, ""), TransportName: mcp.TransportSSE})
		require.ErrorContains(t, err, want)
	}
}

func TestTransportNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		config mcp.Config
		want   string
	}{
		{mcp.Config{Command: []string{"x"}, TransportName: "stdio"}, ""},
		{mcp.Config{URL: "https://x", TransportName: "streamable_http"}, ""},
		{mcp.Config{URL: "https://x", TransportName: "websocket"}, `transport: "websocket" is unknown`},
		{mcp.Config{Command: []string{"x"}, TransportName: "sse"}, "transport: sse needs a url"},
		{mcp.Config{URL: "https://x", TransportName: "stdio"}, "transport: stdio needs a command"},
	} {
		if err := test.config.Check(); test.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, test.want)
		}
	}
}

func TestTheServerOfEverythingOverTheOlderTransport(t *testing.T) {
	t.Parallel()
	t.Run("with the key", func(t *testing.T) {
		t.Parallel()
		s := connect(t, mcp.Config{URL: testservers.EverythingSSE(t), TransportName: mcp.TransportSSE})
		require.Equal(t, "Echo: hello", answered(t, s, "echo", map[string]any{"message": "hello"}))
	})
	t.Run("streamable HTTP with the key", func(t *testing.T) {
		t.Parallel()
		_, err := mcp.Connect(t.Context(), mcp.Config{URL: testservers.EverythingHTTP(t), TransportName: mcp.TransportSSE})
		require.ErrorContains(t, err, "MCP server")
	})
}
