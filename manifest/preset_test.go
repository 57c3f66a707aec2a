package manifest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/manifest"
)

// Every preset has a short form and a long one, and its own account.
func TestPresetsInAManifest(t *testing.T) {
	t.Parallel()
	for _, preset := range openai.Presets() {
		env := map[string]string{preset.KeyVariable: "secret-key", "LITELLM_PROXY_API_BASE": "http://proxy.example"}
		for _, name := range append(preset.Aliases, preset.Name) {
			for _, lines := range []string{"model: " + name + ":some/model:8b", "model: {provider: " + name + ", name: 'some/model:8b', max_tokens: 100, temperature: 0}"} {
				built, err := modelOf(t, lines, env)
				require.NoError(t, err, lines)
				require.Equal(t, preset.Info("some/model:8b"), built.Info(), lines)
				accountant, ok := model.As[model.Accountant](built)
				require.True(t, ok)
				account, err := accountant.Account()
				require.NoError(t, err)
				require.Equal(t, preset.KeyVariable, account.Variable)
			}
		}
	}
}

// The document has a manifest for each preset.
func TestTheDocumentsManifestsOfPresets(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/models.md")
	require.NoError(t, err)
	var documented, want []string
	for _, block := range regexp.MustCompile("(?s)```yaml\\napiVersion: agenthost/v1\\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		built, err := modelOf(t, block[1], nil)
		require.NoError(t, err, block[1])
		checker, ok := model.As[model.Checker](built)
		require.True(t, ok)
		require.NoError(t, checker.Check(), block[1])
		documented = append(documented, built.Info().Provider)
	}
	for _, preset := range openai.Presets()[1:] {
		want = append(want, preset.Name)
	}
	require.Subset(t, documented, want)
}

func TestMistakesInPresets(t *testing.T) {
	t.Parallel()
	for lines, says := range map[string]string{
		"model: grok:x":                                                     `the provider "grok" is unknown; did you mean "groq"?`,
		"model: open-router:x":                                              `the provider "open-router" is unknown; did you mean "openrouter"?`,
		"model: {provider: olama, name: x}":                                 `did you mean "ollama"?`,
		"model: qwen3:8b":                                                   `the provider "qwen3" is unknown; for a model of Ollama, write ollama:qwen3:8b`,
		"model: gemma3n:e4b-it-q8":                                          `the provider "gemma3n" is unknown; for a model of Ollama, write ollama:gemma3n:e4b-it-q8`,
		"model: anthropic/claude-haiku-4.5":                                 "a model is PROVIDER:NAME, such as openrouter:anthropic/claude-haiku-4.5 for a model of OpenRouter",
		"model: nobody:x":                                                   `the provider "nobody" is unknown; use one of `,
		"model: {provider: groq, name: x, logprobs: true}":                  `unknown key "logprobs"`,
		"model: {provider: mistralai, name: x, stream_options: {}}":         `unknown key "stream_options"`,
		"model: {provider: groq, name: x, api: responses}":                  `unknown key "api"`,
		"model: {provider: groq, name: x, api_key: s3cret}":                 "set GROQ_API_KEY in the environment or in env_file",
		"model: {provider: ollama, name: x, api_key: s3cret}":               "name the variable that holds the key with api_key_env",
		"model: {provider: ollama, name: x, api_key_env: sk-1-2}":           "must be the name of an environment variable, such as OPENAI_API_KEY",
		"model: {provider: lmstudio, name: x, use_responses_api: true}":     `unknown key "use_responses_api"`,
		"model: {provider: deepseek, name: x, max_completion_tokens: many}": "max_completion_tokens",
	} {
		_, err := modelOf(t, lines, nil)
		require.ErrorContains(t, err, says, lines)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

// A setting that a service names differently is sent by its name.
func TestSettingsOfPresets(t *testing.T) {
	t.Parallel()
	body, _ := received(t, "model: {provider: mistral, name: m, base_url: \"${BASE}\", seed: 7}", map[string]string{})
	require.Contains(t, body, `"random_seed":7`)
	body, _ = received(t, "model: {provider: openrouter, name: m, base_url: \"${BASE}\", reasoning: {effort: low}}", map[string]string{})
	require.Contains(t, body, `"reasoning":{"effort":"low"}`)
}

// The address of a server may be in env_file, but it does not get the user's key then.
func TestAnAddressInEnvFileGetsNoKey(t *testing.T) {
	t.Parallel()
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "agenthost.yaml")
	file := filepath.Join(filepath.Dir(path), ".env")
	for _, test := range []struct{ model, base, key string }{
		{"openai:m", "OPENAI_BASE_URL", "OPENAI_API_KEY"},
		{"anthropic:claude-haiku-4-5", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"},
		{"vllm:m", "VLLM_BASE_URL", "VLLM_API_KEY"},
		{"litellm:m", "LITELLM_PROXY_API_BASE", "LITELLM_PROXY_API_KEY"},
	} {
		require.NoError(t, os.WriteFile(path, []byte("apiVersion: agenthost/v1\nenv_file: .env\nmodel: "+test.model+"\n"), 0o600))
		for _, inFile := range []bool{true, false} {
			env, text := map[string]string{test.key: "user-key"}, test.key+"=project-key\n"
			if inFile {
				text += test.base + "=" + server.URL + "\n"
			} else {
				env[test.base] = server.URL
			}
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			m, err := manifest.Load(path, manifest.Options{LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok }})
			require.NoError(t, err)
			agent, err := m.Build(t.Context(), nil, func(*host.Config) {})
			require.NoError(t, err)
			_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
			require.NoError(t, agent.Close())
			if inFile {
				require.ErrorContains(t, err, test.base+" is set in env_file, so ")
				require.Empty(t, keys[len(keys)-1])
			} else {
				require.Error(t, err)
				require.Contains(t, keys[len(keys)-1], "user-key")
			}
		}
	}
}
