package langgraph_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/langgraph"
)

// FuzzBodies holds for every body and query of every endpoint: the answer is not a failure of the server, and no panic.
func FuzzBodies(f *testing.F) {
	var patterns []string
	for _, pattern := range langgraph.Patterns() {
		if !strings.HasSuffix(pattern, "/stream") && !strings.HasSuffix(pattern, "/stream/events") && !strings.HasSuffix(pattern, "/wait") && !strings.HasSuffix(pattern, "/join") && !strings.HasSuffix(pattern, "{what}") {
			patterns = append(patterns, pattern)
		}
	}
	for i, text := range []string{
		`{}`, `{"assistant_id":"agent","input":{"messages":["a",["ai",[{"type":"text"}]]]},"command":{"resume":{"ask-1-1":1},"goto":["model"],"update":[["messages",[]]]}}`,
		`{"metadata":{"a":[1,{"b":null}]},"ttl":5,"supersteps":[{"updates":[{"values":{"messages":"x"},"as_node":"model"}]}]}`,
		`{"before":{"configurable":{"checkpoint_id":"0"}},"checkpoint":{"checkpoint_id":"1"},"values":null,"as_node":"__end__","limit":3}`,
		`{"schedule":"* * * * *","timezone":"UTC","end_time":"2030-01-01T00:00:00Z","namespace":["a"],"key":"k","value":{"n":1e999},"filter":{"n":{"$gt":1}}}`,
		`[{"assistant_id":"agent","config":{"configurable":{"model":1},"recursion_limit":1e9},"stream_mode":"values","interrupt_before":"*"}]`,
	} {
		f.Add(uint8(i), "limit=1&select=run_id", text)
	}
	handler := setup(f, "limits: {requests_per_second: 1000000, burst: 1000000, runs_per_owner: 1000000}").handler
	f.Fuzz(func(t *testing.T, which uint8, query, body string) {
		ids := map[string]string{
			"thread": "6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4", "run": "6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a5", "assistant": "fe096781-5601-53d2-b2f6-0d3403f7e9ca",
			"cron": "6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a6", "checkpoint": "1", "namespace": "x",
		}
		method, path := fill(patterns[int(which)%len(patterns)], ids)
		request := httptest.NewRequestWithContext(t.Context(), method, "http://localhost/", strings.NewReader(body))
		request.URL.Path, request.URL.RawQuery = strings.SplitN(path, "?", 2)[0], query
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request)
		require.Less(t, w.Code, http.StatusInternalServerError, "%s %s?%s %s: %s", method, path, query, body, w.Body)
	})
}
