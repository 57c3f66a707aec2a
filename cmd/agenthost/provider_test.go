package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A failing provider is one clear error with exit code 6, and the thread continues when the provider works again.
func TestProvidersThatFail(t *testing.T) {
	t.Parallel()
	const begun = `data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"It "}}]}` + "\n\n"
	status := func(code int, body string, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	refusal := func(message, code string) string {
		return fmt.Sprintf(`{"error": {"message": %q, "code": %q}}`, message, code)
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		says   []string
	}{
		"wrong key":                  {status(401, refusal("Incorrect API key provided", "invalid_api_key")), []string{"authentication (HTTP 401)", "Incorrect API key"}},
		"unknown model":              {status(404, refusal("The model does not exist", "model_not_found")), []string{"not found (HTTP 404)", "does not exist"}},
		"rate limit":                 {status(429, refusal("Slow down", "rate_limit_exceeded")), []string{"rate limit (HTTP 429): Slow down\n"}},
		"rate limit and when to ask": {status(429, refusal("Slow down", "rate_limit_exceeded"), "Retry-After", "7"), []string{"rate limit (HTTP 429)", "it asks to wait 7s"}},
		"broken":                     {status(500, "<html>oops</html>"), []string{"server (HTTP 500)", "oops"}},
		"overloaded":                 {status(503, ""), []string{"overloaded (HTTP 503)", "Service Unavailable"}},
		"stream that is cut off":     {status(200, begun), []string{"response: the stream ended before the answer was complete"}},
		"stream that is none":        {status(200, "data: {nonsense\n\n"), []string{"response: an event of the stream cannot be read"}},
		"no choices":                 {status(200, `{"id":"1","choices":[]}`), []string{"response", "has no choices"}},
		"page of a proxy":            {status(200, "<html>log in</html>"), []string{"response", "log in"}},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for piece := strings.Repeat(" ", 1<<20); ; {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
			}
		}, []string{"the response is longer than 64 MiB"}},
		"control characters": {status(400, `{"error": {"message": "bad \u001b[31mred"}}`), []string{"invalid request (HTTP 400): bad  [31mred"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mended atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !mended.Load() {
					test.answer(w, r)
					return
				}
				_, _ = io.WriteString(w, begun+`data: {"choices":[{"index":0,"delta":{"content":"works."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
			}))
			defer server.Close()
			b := setup(t, fmt.Sprintf(
				"apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: \"%s/v1\"}\ncheckpoint: sqlite:agent.db\n", server.URL))
			require.Equal(t, exitProvider, b.run("run", "--thread", "ada", "hi"), &b.err)
			require.Equal(t, 1, strings.Count(b.err.String(), "agenthost: "), &b.err)
			require.Contains(t, b.err.String(), `agenthost: model "m": openai: `)
			for _, text := range test.says {
				require.Contains(t, b.err.String(), text)
			}
			require.NotContains(t, b.err.String(), "\x1b")
			require.Contains(t, b.err.String(), "agenthost resume ada -f ", "how to go on")

			mended.Store(true)
			require.Equal(t, exitOK, b.run("run", "--thread", "ada", "--continue"), &b.err)
			require.Equal(t, "It works.\n", b.out.String())
			require.Equal(t, exitOK, b.run("threads", "show", "ada"), &b.err)
			require.Equal(t, 1, strings.Count(b.out.String(), "It works."), &b.out)
		})
	}
}

// A changed address sends nobody the provider's key, and a server that echoes the key it was given does not get it into a thread.
func TestAKeyIsNotSentToAnotherServer(t *testing.T) {
	const key = "sk-secret-4711"
	t.Setenv("OPENAI_API_KEY", key)
	var sent atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := r.Header.Get("Authorization")
		sent.Store(&got)
		if got == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", "You sent "+got)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m}\ncheckpoint: sqlite:agent.db\n")
	address := "model.base_url=" + server.URL + "/v1"
	require.Equal(t, exitProvider, b.run("run", "--thread", "ada", "--set", address, "hi"))
	require.Empty(t, *sent.Load())
	require.Contains(t, b.err.String(), "OPENAI_API_KEY is only sent to api.openai.com over https; to send it to "+host+", set api_key_env: OPENAI_API_KEY")
	require.Equal(t, exitProvider, b.run("run", "--set", address, "--model", "openai:other", "hi"))
	require.Empty(t, *sent.Load())

	require.Equal(t, exitOK, b.run("run", "-o", "jsonl", "--thread", "ada", "--set", address, "--set", "model.api_key_env=OPENAI_API_KEY", "hi"), &b.err)
	require.Equal(t, "Bearer "+key, *sent.Load())
	require.Contains(t, b.out.String(), "You sent Bearer ***")
	require.NotContains(t, b.out.String()+b.err.String(), key)
	require.Equal(t, exitOK, b.run("threads", "show", "ada"), &b.err)
	require.NotContains(t, b.out.String(), key)
	stored, err := os.ReadFile(b.path("agent.db"))
	require.NoError(t, err)
	require.NotContains(t, string(stored), key)
}

// A call with truncated arguments is answered with an error, so that the model can repeat it.
func TestACallThatIsCutInTheMiddle(t *testing.T) {
	t.Parallel()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said := `{"content":"Done."},"finish_reason":"stop"`
		calls++
		if !strings.Contains(string(body), `"role":"tool"`) {
			said = `{"tool_calls":[{"index":0,"id":"a","function":{"name":"list_files","arguments":"{\"path\": \".\""}}]},"finish_reason":"tool_calls"`
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":`+said+"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	b := setup(t, fmt.Sprintf(
		"apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: \"%s/v1\"}\ntools: [{files: {root: .}}]\n", server.URL))
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Equal(t, "Done.\n", b.out.String())
	require.Equal(t, 2, calls)
}
