package manifest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

// serveA2A serves the card of an agent with a name.
func serveA2A(t *testing.T, name string) string {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "se{cr}et" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"name": name, "description": "It paints.", "version": "1", "capabilities": map[string]any{}, "skills": []any{},
			"supportedInterfaces": []any{map[string]any{"url": s.URL, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
		})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnAgentElsewhere(t *testing.T) {
	t.Parallel()
	url := serveA2A(t, "fs_read")
	env := func(name string) (string, bool) { return map[string]string{"KEY": "se{cr}et"}[name], name == "KEY" }
	load := func(tools string, inspect bool) error {
		m, err := loadMCP(t, tools, manifest.Options{LookupEnv: env, InMemory: inspect})
		if err != nil {
			return err
		}
		agent, err := m.Build(t.Context(), nil, nil)
		if err != nil {
			return err
		}
		return agent.Close()
	}
	entry := "tools:\n  - a2a: {url: " + url + ", headers: {X-Key: \"${KEY}\"}"
	require.NoError(t, load(entry+"}\n", false))
	require.NoError(t, load(entry+", name: painter, description: Paints., timeout: 5m, connect_timeout: 2s, max_result: 4KiB, return_direct: true, "+
		"extras: {defer_loading: true}, private: [10.0.0.0/8]}\n", false))
	require.NoError(t, load("tools:\n  - a2a: {url: https://example.com/painter}\n", true), "nobody is asked when an agent is only inspected")
	require.NoError(t, load("tools:\n  - a2a: {url: https://example.com}\nmiddleware:\n  - human_in_the_loop: {interrupt_on: {paint: true}}\n", true))

	err := load("tools:\n  - a2a: {url: "+url+", headers: {X-Key: wrong-key-1}}\n", false)
	require.ErrorContains(t, err, "401")
	require.ErrorContains(t, err, ":4:")
	require.NotContains(t, err.Error(), "wrong-key-1")
	twice := entry + "}\n" + "  - http: {name: fs_read, url: https://example.com/}\n"
	require.ErrorContains(t, load(twice, false), "has the same name as a tool of")
	require.ErrorContains(t, load("tools:\n  - http: {name: fs_read, url: https://example.com/}\n"+entry[len("tools:\n"):]+"}\n", false), "give the agent a name")

	for bad, says := range map[string]string{
		"{}": "url", "{url: ftp://example.com}": "it must be an address", "{url: https://example.com, name: a b}": "letters, digits",
		"{url: https://example.com, headers: {Host: x}}": "cannot be sent", "{url: https://example.com, time: 1s}": "unknown key",
		"{url: https://example.com, max_result: 1GiB}": "16",
	} {
		require.ErrorContains(t, load("tools:\n  - a2a: "+bad+"\n", false), says, bad)
	}
}
