package mcp_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/mcp"
)

// methods are the methods of the protocol with the parameters by which a stranger would reach somebody else's thread.
func methods(thread string) map[string]any {
	uri := map[string]any{"uri": "agenthost://threads/" + thread}
	return map[string]any{
		"tools/list": nil, "resources/list": nil, "resources/templates/list": nil, "prompts/list": nil, "ping": nil,
		"resources/read": uri, "resources/subscribe": uri, "resources/unsubscribe": uri,
		"subscriptions/listen": map[string]any{"notifications": map[string]any{"resourceSubscriptions": []string{"agenthost://threads/" + thread}}},
		"tools/call": map[string]any{"name": "answer_questions", "arguments": map[string]any{
			"thread": thread, "answers": []any{map[string]any{"id": "x", "decision": "approve"}},
		}},
		"logging/setLevel": map[string]any{"level": "debug"},
		"completion/complete": map[string]any{
			"ref":      map[string]any{"type": "ref/resource", "uri": "agenthost://threads/{thread}"},
			"argument": map[string]any{"name": "thread", "value": thread[:4]},
		},
	}
}

func request(t *testing.T, method string, params any) string {
	t.Helper()
	body := map[string]any{"jsonrpc": "2.0", "id": 7, "method": method}
	if params != nil {
		body["params"] = params
	}
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return string(text)
}

// A stranger walks every route and every method with the session and the thread of somebody else: they are not found, and nothing changes.
func TestAStrangerFindsNothing(t *testing.T) {
	t.Parallel()
	s := serveAll(t, keys())
	ann := s.client(annsKey, "2025-11-25", nil)
	result := call(t, ann, "clerk", map[string]any{"prompt": "write anns-secret"})
	thread, _ := result.Meta["agenthost/thread"].(string)
	require.NotEmpty(t, thread)
	open := func(key string) string {
		status, _, header := s.post(key, initialize)
		require.Equal(t, http.StatusOK, status)
		return header.Get("Mcp-Session-Id")
	}
	anns, bobs := open(annsKey), open(bobsKey)
	read := func() string {
		status, text, _ := s.post(annsKey, request(t, "resources/read", methods(thread)["resources/read"]), "Mcp-Session-Id", anns)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, text, "anns-secret")
		_, data, _ := strings.Cut(text, "data: ") // before it is the id of the event
		return data
	}
	before := read()

	for _, pattern := range mcp.Patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		bodies := map[string]any{"": nil}
		if method == http.MethodPost {
			bodies = methods(thread)
		}
		for name, params := range bodies {
			body := ""
			if name != "" {
				body = request(t, name, params)
			}
			status, text, _ := s.sendTo(path, method, bobsKey, body, "Mcp-Session-Id", anns)
			require.NotContains(t, text, "anns-secret", "%s %s", pattern, name)
			require.NotContains(t, text, thread, "%s %s", pattern, name)
			if strings.Contains(path, "/.well-known/") {
				require.Equal(t, http.StatusNotFound, status, "%s: this server takes no tokens", pattern)
				continue
			}
			require.Equal(t, http.StatusNotFound, status, "%s %s: %s", pattern, name, text)
		}
	}

	for name, params := range methods(thread) { // in a session of the stranger's own
		if name == "subscriptions/listen" {
			continue // sessions do not have it
		}
		status, text, _ := s.post(bobsKey, request(t, name, params), "Mcp-Session-Id", bobs)
		require.Less(t, status, 500, "%s: %s", name, text)
		require.NotContains(t, text, "anns-secret", name)
		switch name {
		case "resources/read", "resources/subscribe":
			require.Contains(t, text, "not found", name)
		case "resources/list":
			require.Contains(t, text, `"resources":[]`)
		case "tools/call":
			require.Contains(t, text, "nothing in the thread waits")
		}
	}
	require.Equal(t, before, read(), "the thread and its session are as they were")
}
