package mcp_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// tokens is a serve.yaml with an issuer of tokens, which is not asked before a token comes.
const tokens = "  jwt: {issuer: \"https://login.example\", keys_url: \"https://login.example/keys\", audience: agents, scope_prefix: \"agents:\"}\n"

// A client finds out by itself who issues tokens: from the challenge, or from the paths that RFC 9728 names.
func TestTheLoginIsDescribed(t *testing.T) {
	t.Parallel()
	s := serveAll(t, keys()+tokens)
	status, _, header := s.post("", initialize)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, `Bearer resource_metadata="`+s.url+`/.well-known/oauth-protected-resource/mcp", scope="agents:runs agents:threads"`,
		header.Get("WWW-Authenticate"))
	status, _, header = s.post(runsOnly, `{"jsonrpc":"2.0","id":2,"method":"resources/list"}`)
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, `Bearer error="insufficient_scope", scope="agents:threads", resource_metadata="`+s.url+`/.well-known/oauth-protected-resource/mcp"`,
		header.Get("WWW-Authenticate"))

	for path, resource := range map[string]string{"": s.url, "/mcp": s.url + "/mcp"} {
		status, text, header := s.sendTo("/.well-known/oauth-protected-resource"+path, http.MethodGet, "", "")
		require.Equal(t, http.StatusOK, status, "it needs no key")
		require.Equal(t, "no-store", header.Get("Cache-Control"))
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, map[string]any{
			"resource": resource, "authorization_servers": []any{"https://login.example"}, "bearer_methods_supported": []any{"header"},
			"scopes_supported": []any{"agents:runs", "agents:threads"}, "resource_name": "agenthost",
		}, got)
	}
	_, text, _ := s.sendTo("/.well-known/oauth-protected-resource/mcp", http.MethodGet, "", "", "X-Forwarded-Proto", "https")
	require.Contains(t, text, `"resource":"https://127.0.0.1`)

	status, _, header = s.sendTo("/threads/search", http.MethodPost, "", "{}")
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, "Bearer", header.Get("WWW-Authenticate"), "the document is about MCP")
}

// Without an issuer there is nothing to tell.
func TestKeysAreNoLogin(t *testing.T) {
	t.Parallel()
	s := serveAll(t, keys())
	status, _, header := s.post("", initialize)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, "Bearer", header.Get("WWW-Authenticate"))
	for _, path := range []string{"", "/mcp"} {
		status, _, _ := s.sendTo("/.well-known/oauth-protected-resource"+path, http.MethodGet, annsKey, "")
		require.Equal(t, http.StatusNotFound, status)
	}
}
