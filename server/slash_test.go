package server_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/doortest"
)

// plain sends a request without following redirects.
func plain(t *testing.T, method, address, body string, header ...string) (status int, text string, got http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	all, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(all), response.Header
}

// A slash at the end of an address makes no difference at any door, and needs no redirect.
func TestASlashAtTheEnd(t *testing.T) {
	t.Parallel()
	url := echoing(t)
	message := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`
	input := `{"threadId":"` + uuid.NewString() + `","runId":"1","messages":[{"id":"1","role":"user","content":"hi"}],"state":{},"tools":[],"context":[]}`
	for _, test := range []struct{ method, path, body, says string }{
		{http.MethodPost, "/threads/", `{}`, "thread_id"},
		{http.MethodGet, "/v1/models/", "", "echo"},
		{http.MethodGet, "/v1/models/echo/", "", "echo"},
		{http.MethodPost, "/v1/chat/completions/", `{"model":"echo","messages":[{"role":"user","content":"hi"}]}`, "You said: hi"},
		{http.MethodPost, "/agui/echo/", input, "RUN_FINISHED"},
		{http.MethodPost, "/a2a/echo/", message, "You said: hi"},
		{http.MethodGet, "/a2a/echo/.well-known/agent-card.json/", "", "echo"},
		{http.MethodGet, "/v1/models/?x=/", "", "echo"},
	} {
		status, text, _ := plain(t, test.method, url+test.path, test.body)
		require.Equal(t, http.StatusOK, status, "%s: %s", test.path, text)
		require.Contains(t, text, test.says, test.path)
	}
	for _, path := range []string{"/mcp", "/mcp/"} {
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: url + path}, nil)
		require.NoError(t, err)
		tools, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.NotEmpty(t, tools.Tools)
		require.NoError(t, session.Close())
	}
}

// A slash neither opens a door, nor shortens a name, nor leads in a circle.
func TestASlashThatIsNotIgnored(t *testing.T) {
	t.Parallel()
	s := doortest.Serve(t, doortest.Keys(doortest.Key{Key: "ann-0123456789abcdef", Owner: "ann", Scopes: "threads"}), serverWithEcho(t))
	for path, want := range map[string]int{
		"/v1/models": 401, "/v1/models/": 401, "/mcp/": 401, "/agui/echo/": 401, "/a2a/echo/": 401, "/threads/": 401,
	} {
		status, text, _ := plain(t, http.MethodPost, s.URL+path, "{}")
		require.Equal(t, want, status, "%s: %s", path, text)
	}
	for path, want := range map[string]int{"/agui/echo/": 403, "/a2a/echo/": 403, "/v1/responses/": 403, "/threads/": 200} {
		status, text, _ := plain(t, http.MethodPost, s.URL+path, "{}", "X-Api-Key", "ann-0123456789abcdef")
		require.Equal(t, want, status, "%s: %s", path, text)
	}
	for _, path := range []string{"/v1/", "/agui/", "/a2a/", "/nothing/", "/v1/models/echo%2F", "/v1/models/echo/%2F", "/v1/models/echo%2F/"} {
		status, text, _ := plain(t, http.MethodGet, s.URL+path, "", "X-Api-Key", "ann-0123456789abcdef")
		require.Equal(t, http.StatusNotFound, status, "%s: %s", path, text)
	}
	status, _, header := plain(t, http.MethodGet, s.URL+"/v1/models//", "", "X-Api-Key", "ann-0123456789abcdef")
	require.NotEqual(t, http.StatusOK, status, header.Get("Location"))
}
