package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

// An error about a line of the manifest never shows a value that stands literally under a key that holds secrets.
func TestErrorsShowNoSecretsOfTheManifest(t *testing.T) {
	t.Parallel()
	const model = "model: {provider: scripted, echo: true}\n"
	for name, test := range map[string]struct{ text, says string }{
		"a key":                     {"model: {provider: openai, name: x, api_key: sk-4711}\n", "name another variable with api_key_env"},
		"a key that is a number":    {"model:\n  provider: anthropic\n  name: x\n  key: 4711471147114711\n", "set ANTHROPIC_API_KEY"},
		"a misspelt key":            {"model: {provider: gemini, name: x, apikey: sk-4711, temperature: hot}\n", `such as "apikey"; set GEMINI_API_KEY`},
		"a key beside a mistake":    {"model: {provider: openai, temperature: hot, secret: sk-4711, name: x}\n", "model.temperature: expected a number"},
		"a header of a model":       {"model: {provider: openai, name: x, headers: {Authorization: [sk-4711]}}\n", "model.headers.Authorization: expected a string"},
		"headers that are a text":   {"model: {provider: openai, name: x, headers: 'Authorization: sk-4711'}\n", "model.headers: expected a mapping"},
		"a number in a header":      {"model: {provider: openai, name: x, headers: {X-Pin: 4711}}\n", "expected a string, found integer ***"},
		"a header of a tool":        {model + "tools:\n  - http: {name: x, url: 'https://h', headers: {X: \"sk-4711\\n\"}}\n", "control characters"},
		"a place in a header":       {model + "tools:\n  - http: {name: x, url: 'https://h', headers: {X: 'sk-4711 {'}}\n", "a brace does not belong"},
		"a variable of a server":    {model + "tools:\n  - mcp: {command: [x], env: {A=B: sk-4711}}\n", "is not a valid name"},
		"a secret of a plugin":      {model + "middleware:\n  - plugin: x\n    grant: {http.fetch: {hosts: [a.example], secrets: {K: {value: x4711, hosts: [a.example]}}}}\n", "its value has 5 bytes"},
		"a secret without hosts":    {model + "middleware:\n  - plugin: x\n    grant:\n      http.fetch:\n        hosts: [a.example]\n        secrets:\n          K: sk-4711\n", "expected a mapping"},
		"the hosts of a secret":     {model + "middleware:\n  - plugin: x\n    grant:\n      http.fetch:\n        hosts: [a.example]\n        secrets:\n          K: {value: sk-4711-long, hosts: b.example}\n", `found string "b.example"`},
		"a password of a database":  {model + "checkpoint: postgress://me:sk-4711@localhost/db\n", "postgress://me:***@localhost/db"},
		"a second colon":            {model + "tools:\n  - http:\n      headers:\n        Authorization: Bearer: sk-4711\n", `this entry has a second ": "`},
		"a quote that is not there": {"model: {provider: openai, name: x, api_key: \"sk-4711}\n", ""},
		"a key of an unknown place": {model + "api_token: sk-4711\n", `unknown key "api_token"`},
		"a password in an address":  {"model: {provider: openai, name: x, base_url: 'http://me:sk-4711@h', temprature: 1}\n", "temperature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "agenthost.yaml")
			require.NoError(t, os.WriteFile(path, []byte("apiVersion: agenthost/v1\n"+test.text), 0o600))
			m, err := manifest.Load(path, manifest.Options{})
			if err == nil {
				agent, building := m.Build(t.Context(), nil, nil)
				if err = building; err == nil {
					require.NoError(t, agent.Close())
				}
			}
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "4711")
		})
	}
	for _, set := range []string{
		"model.api_key=sk-4711", "model={provider: openai, name: x, api_key: sk-4711}", "model.headers={A: [sk-4711]}", "checkpoint=postgress://a:sk-4711@h/x",
	} {
		path := filepath.Join(t.TempDir(), "agenthost.yaml")
		require.NoError(t, os.WriteFile(path, []byte("apiVersion: agenthost/v1\nmodel: {provider: openai, name: x}\n"), 0o600))
		_, err := manifest.Load(path, manifest.Options{Set: []string{set}})
		require.ErrorContains(t, err, "***", set)
		require.NotContains(t, err.Error(), "4711")
	}
}
