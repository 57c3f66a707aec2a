package manifest

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func decodeGrant(text string) (plugin.Grant, error) {
	var entry grantEntry
	err := strictyaml.Decode("agenthost.yaml", []byte(text), &entry, strictyaml.WithEnv(func(name string) (string, bool) {
		return "hunter2hunter2", name == "SECRET"
	}))
	return entry.build(), err
}

func TestGrants(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]plugin.Grant{
		"{}":                        {},
		"{reads: [a], writes: [b]}": {Reads: []string{"a"}, Writes: []string{"b"}},
		"kv: true":                  {KV: &plugin.KVGrant{}},
		"kv: false":                 {},
		"kv: {}":                    {KV: &plugin.KVGrant{}},
		"kv: {quota: 2MiB, entries: 1k, scopes: [run, plugin]}": {KV: &plugin.KVGrant{
			Quota: store.Quota{Bytes: 2 << 20, Entries: 1000}, Scopes: []abi.Scope{abi.ScopeRun, abi.ScopePlugin},
		}},
		"http.fetch: [api.example.com]": {HTTPFetch: &fetch.Policy{Hosts: []string{"api.example.com"}}},
		`http.fetch:
  hosts: [api.example.com, "http://localhost:8080"]
  methods: [GET]
  private: [127.0.0.0/8]
  secrets: {KEY: {value: "${SECRET}", hosts: [api.example.com]}}
  timeout: 5s
  max_request: 1kB
  max_response: 2kB
  max_headers: 4kB
  max_redirects: 0`: {HTTPFetch: &fetch.Policy{
			Hosts: []string{"api.example.com", "http://localhost:8080"}, Methods: []string{"GET"},
			Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			Secrets: map[string]fetch.Secret{"KEY": {Value: "hunter2hunter2", Hosts: []string{"api.example.com"}}},
			Timeout: 5 * time.Second, MaxRequest: 1000, MaxResponse: 2000, MaxHeaders: 4000, MaxRedirects: -1,
		}},
		"model.generate: {model: small}":           {ModelGenerate: &plugin.ModelGrant{Model: "small"}},
		"model.generate: {model: small, calls: 3}": {ModelGenerate: &plugin.ModelGrant{Model: "small", Calls: 3}},
		"tool.call: [search, fetch]":               {ToolCall: []string{"search", "fetch"}},
		"{clock.now: true, random.bytes: true}":    {ClockNow: true, RandomBytes: true},
	} {
		grant, err := decodeGrant(text)
		require.NoError(t, err, text)
		require.Equal(t, want, grant, text)
	}
}

func TestGrantsThatAreWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"kv: {scopes: [all]}": "scopes[0]",
		"kv: {scopes: []}":    "a store needs at least one scope",
		"kv:":                 "a value is missing",
		"kv: yes":             "true or false",
		"kv: {quota: 1}":      "1KiB",
		"http.fetch: true":    "list",
		"http.fetch: []":      "grants no hosts",
		"http.fetch: [\"https://api.example.com/path\"]":                                             "api.example.com",
		"http.fetch: {methods: [GET]}":                                                               "hosts",
		"http.fetch: {hosts: [a.example], methods: [CONNECT]}":                                       "CONNECT",
		"http.fetch: {hosts: [a.example], private: [10.0.0.1]}":                                      "must be a network such as 10.0.0.0/8",
		"http.fetch: {hosts: [a.example], redirects: 3}":                                             `"redirects"`,
		"http.fetch: {hosts: [10.0.0.1]}":                                                            "not a public address",
		"http.fetch: {hosts: [a.example], secrets: {K: {value: \"${SECRET}\", hosts: [b.example]}}}": "b.example",
		"http.fetch: {hosts: [a.example], secrets: {K: {value: short, hosts: [a.example]}}}":         "8 to 4096",
		"model.generate: small":                                                                      "mapping",
		"model.generate: {calls: 3}":                                                                 "model",
		"model.generate: {model: a, calls: 0}":                                                       "calls",
		"tool.call: search":                                                                          "list",
		"clock.now: 1":                                                                               "true or false",
		"random.byte: true":                                                                          `did you mean "random.bytes"`,
	} {
		_, err := decodeGrant(text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "hunter2", text)
	}
}

// What a plugin writes in place of a secret survives the expansion of variables.
func TestAPlaceholderOfASecretInAConfig(t *testing.T) {
	t.Parallel()
	var config map[string]any
	err := strictyaml.Decode("agenthost.yaml", []byte(`authorization: "Bearer $${secret:KEY}"`), &config,
		strictyaml.WithEnv(func(string) (string, bool) { return "", false }))
	require.NoError(t, err)
	require.Equal(t, "Bearer ${secret:KEY}", config["authorization"])
}
