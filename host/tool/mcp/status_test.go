package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/test/testservers"
)

// refusing answers every request with this status and challenge.
func refusing(t *testing.T, status int, challenge string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if challenge != "" {
			w.Header().Set("WWW-Authenticate", challenge)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"detail":"no"}`))
	}))
	t.Cleanup(web.Close)
	return web.URL
}

func TestHTTPStatusesSayWhatToDo(t *testing.T) {
	t.Parallel()
	const oauth = `Bearer error="invalid_token", resource_metadata="https://example.com/.well-known/oauth-protected-resource"`
	const send = `headers: {Authorization: "Bearer ${NAME}"} with the name of an environment variable`
	token := map[string]string{"Authorization": "Bearer secret-token", "X-Team": "a"}
	for _, test := range []struct {
		name      string
		status    int
		challenge string
		headers   map[string]string
		want      []string
		not       string
	}{
		{"401", 401, "", nil, []string{"answers 401 Unauthorized: it wants credentials; send them by " + send}, "OAuth"},
		{"403", 403, "Bearer", nil, []string{"answers 403 Forbidden: it wants credentials; send them by " + send}, "OAuth"},
		{"401 with OAuth", 401, oauth, nil, []string{"it wants a login by OAuth; run 'agenthost login s', or send", send}, "example.com"},
		{"401 with headers", 401, "", token, []string{"it does not accept the credentials in headers (Authorization, X-Team)"}, "OAuth"},
		{"401 with headers and OAuth", 401, oauth, token, []string{"does not accept the credentials", "also offers a login by OAuth: remove Authorization from headers, and run 'agenthost login s'"}, send},
		{"404", 404, "", nil, []string{"answers 404 Not Found: the path of the url may be wrong", "older HTTP+SSE transport"}, "OAuth"},
		{"405", 405, "", token, []string{"answers 405 Method Not Allowed: the path of the url may be wrong", "older HTTP+SSE transport"}, "credentials"},
		{"500", 500, "", nil, []string{"Internal Server Error"}, "the path"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := mcp.Connect(t.Context(), mcp.Config{Name: "s", URL: refusing(t, test.status, test.challenge), Headers: test.headers})
			for _, want := range test.want {
				require.ErrorContains(t, err, want)
			}
			require.NotContains(t, err.Error(), test.not)
			require.NotContains(t, err.Error(), "secret-token")
		})
	}
}

func TestAServerThatCannotBeReachedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, transport := range []string{"", mcp.TransportSSE} {
		_, err := mcp.Connect(t.Context(), mcp.Config{Name: "s", URL: closed.URL + "/mcp", TransportName: transport})
		require.EqualError(t, err, `MCP server "s": no server listens at `+strings.TrimPrefix(closed.URL, "http://")+
			" (connection refused); start the server, or correct the url if it runs elsewhere")
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		_, err = mcp.Connect(t.Context(), mcp.Config{Name: "s", URL: "http://nowhere.invalid/mcp", TransportName: transport})
		require.EqualError(t, err, `MCP server "s": cannot find nowhere.invalid: no such host; correct the url, or check the network connection`)
	}
}

func TestExpiredCredentialsAreToldToTheModel(t *testing.T) {
	t.Parallel()
	var expired atomic.Bool
	server := serving(map[string]handler{"a": say("x")})
	handle := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if expired.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handle.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	s := connect(t, mcp.Config{Name: "s", URL: web.URL, Headers: map[string]string{"Authorization": "Bearer secret-token"}})
	require.Equal(t, "x", answered(t, s, "a", nil))
	expired.Store(true)
	got := refused(t, s, "a")
	require.Contains(t, got, "does not accept the credentials in headers (Authorization)")
	require.NotContains(t, got, "secret-token")
	for session := range server.Sessions() { // its end was refused, too
		_ = session.Close()
	}
}

func TestTheServerOfEverythingAtAnotherAddress(t *testing.T) {
	t.Parallel()
	t.Run("a wrong path", func(t *testing.T) {
		t.Parallel()
		_, err := mcp.Connect(t.Context(), mcp.Config{URL: strings.TrimSuffix(testservers.EverythingHTTP(t), "/mcp") + "/wrong"})
		require.ErrorContains(t, err, "the server answers 404 Not Found: the path of the url may be wrong")
	})
	t.Run("the older transport", func(t *testing.T) {
		t.Parallel()
		_, err := mcp.Connect(t.Context(), mcp.Config{URL: testservers.EverythingSSE(t)})
		require.ErrorContains(t, err, "the server speaks the older HTTP+SSE transport (often at /sse); correct the url, or write transport: sse")
	})
}
