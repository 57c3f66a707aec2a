package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// variables returns a function that looks up variables of the form NAME=VALUE.
func variables(set ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, s := range set {
			if value, ok := strings.CutPrefix(s, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// sentTo returns what a preset sends for a request, and where.
func sentTo(t *testing.T, provider string, req *model.Request, settings string, streaming bool, env ...string) recorded {
	t.Helper()
	var got recorded
	m := &openai.Model{
		Name: "m", Provider: provider, Settings: mapOf(t, settings), LookupEnv: variables(env...),
		HTTPClient: client(func(r recorded) string {
			got = r
			if streaming {
				return helloStream[openai.ChatCompletions]
			}
			return hello[openai.ChatCompletions]
		}),
	}
	resp, err := ask(t, m, req, streaming)
	require.NoError(t, err)
	by, _ := resp.AI().Meta.Get("provider").AsString()
	require.Equal(t, m.Info().Provider, by)
	return got
}

const anAddress = "LITELLM_PROXY_API_BASE=http://proxy.example:4000"

// Each preset has an address and a key of its own, and sends the key nowhere else.
func TestPresetsGoToTheirOwnServer(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ address, key string }{
		"deepseek":  {"https://api.deepseek.com", "DEEPSEEK_API_KEY"},
		"fireworks": {"https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"},
		"groq":      {"https://api.groq.com/openai/v1", "GROQ_API_KEY"},
		"mistralai": {"https://api.mistral.ai/v1", "MISTRAL_API_KEY"}, "mistral": {"https://api.mistral.ai/v1", "MISTRAL_API_KEY"},
		"openrouter": {"https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"},
		"together":   {"https://api.together.xyz/v1", "TOGETHER_API_KEY"},
		"xai":        {"https://api.x.ai/v1", "XAI_API_KEY"},
		"litellm":    {"http://proxy.example:4000", "LITELLM_PROXY_API_KEY"},
		"ollama":     {"http://127.0.0.1:11434/v1", ""}, "lmstudio": {"http://127.0.0.1:1234/v1", ""},
	} {
		got := sentTo(t, name, request(hi), "{}", false, "OPENAI_API_KEY=openai", "OPENAI_BASE_URL=http://openai.example", anAddress, want.key+"=own")
		require.Equal(t, want.address+"/chat/completions", got.path)
		if want.key == "" {
			require.NotContains(t, got.header, "Authorization", name)
			continue
		}
		require.Equal(t, "Bearer own", got.header.Get("Authorization"), name)
		for _, attribution := range []string{"Http-Referer", "X-Title", "X-Openrouter-Title"} {
			require.NotContains(t, got.header, attribution)
		}

		m := &openai.Model{Name: "m", Provider: name, BaseURL: "https://other.example/v1", LookupEnv: variables(want.key+"=own", anAddress)}
		account, err := m.Account()
		require.NoError(t, err)
		require.Equal(t, model.CredentialWithheld, account.Key, name)
	}

	// A key for a server of one's own goes where the user says, and not to whatever listens at the usual port.
	got := sentTo(t, "vllm", request(hi), "{}", false, "VLLM_API_KEY=own")
	require.Equal(t, "http://127.0.0.1:8000/v1/chat/completions", got.path)
	require.NotContains(t, got.header, "Authorization")
	got = sentTo(t, "vllm", request(hi), "{}", false, "VLLM_API_KEY=own", "VLLM_BASE_URL=http://gpu:8000/v1")
	require.Equal(t, "http://gpu:8000/v1/chat/completions", got.path)
	require.Equal(t, "Bearer own", got.header.Get("Authorization"))

	_, err := (&openai.Model{Name: "m", Provider: "litellm", LookupEnv: variables()}).Generate(t.Context(), request(hi))
	require.ErrorContains(t, err, "set base_url in the manifest, or LITELLM_PROXY_API_BASE in the environment")
	_, err = (&openai.Model{Name: "m", Provider: "groq", LookupEnv: variables("OPENAI_API_KEY=x")}).Generate(t.Context(), request(hi))
	require.ErrorContains(t, err, "set the environment variable GROQ_API_KEY")
}

// A key in a variable with nearly the right name is not used, but the error and the account name the variable.
func TestAMisspeltVariableIsNamed(t *testing.T) {
	t.Parallel()
	for _, preset := range openai.Presets() {
		if preset.KeyVariable == "" {
			continue
		}
		wrong := strings.Replace(preset.KeyVariable, "_API_KEY", "_KEY", 1)
		m := &openai.Model{Name: "m", Provider: preset.Name, LookupEnv: variables(anAddress, wrong+"=s3cret-key")}
		account, err := m.Account()
		require.NoError(t, err)
		require.Equal(t, wrong, account.Misspelt)
		require.Equal(t, model.CredentialNone, account.Key)
		require.Equal(t, preset.KeyVariable, account.Variable)
		if !account.Own {
			continue
		}
		_, err = m.Generate(t.Context(), request(hi))
		require.ErrorContains(t, err, "there is no API key; "+wrong+" is set, but the name must be "+preset.KeyVariable+": rename it")
		require.NotContains(t, err.Error(), "s3cret")

		m.LookupEnv = variables(preset.KeyVariable+"=right", wrong+"=s3cret-key")
		account, err = m.Account()
		require.NoError(t, err)
		require.Empty(t, account.Misspelt, "the right one is set")
	}
	for _, wrong := range []string{"LITELLM_API_KEY", "LITELLM_PROXY_KEY"} {
		account, err := (&openai.Model{Name: "m", Provider: "litellm", LookupEnv: variables(anAddress, wrong+"=k")}).Account()
		require.NoError(t, err)
		require.Equal(t, wrong, account.Misspelt)
	}
}

// OLLAMA_HOST has the forms that Ollama's own commands read.
func TestOllamaHost(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"":                            "http://127.0.0.1:11434",
		" ":                           "http://127.0.0.1:11434",
		"box":                         "http://box:11434",
		"box:8080":                    "http://box:8080",
		":8080":                       "http://127.0.0.1:8080",
		"box:0":                       "http://box:11434",
		"box:99999":                   "http://box:11434",
		"box:http":                    "http://box:11434",
		"http://box":                  "http://box:80",
		"https://box":                 "https://box:443",
		"https://box:8443/":           "https://box:8443",
		"http://box:8080/ollama/":     "http://box:8080/ollama",
		`"box:8080"`:                  "http://box:8080",
		"0.0.0.0":                     "http://127.0.0.1:11434",
		"0.0.0.0:8080":                "http://127.0.0.1:8080",
		"http://0.0.0.0:8080":         "http://127.0.0.1:8080",
		"[::]:8080":                   "http://[::1]:8080",
		"::1":                         "http://[::1]:11434",
		"[::1]":                       "http://[::1]:11434",
		"[fe80::1]:8080":              "http://[fe80::1]:8080",
		"192.168.1.2":                 "http://192.168.1.2:11434",
		"ollama.com":                  "https://ollama.com:443",
		"http://127.0.0.1:11434":      "http://127.0.0.1:11434",
		"http://user@box:8080/ollama": "",
		"ftp://box":                   "",
		"a b":                         "",
	} {
		account, err := (&openai.Model{Name: "m", Provider: "ollama", LookupEnv: variables("OLLAMA_HOST=" + value)}).Account()
		if want == "" && err != nil {
			require.ErrorContains(t, err, "OLLAMA_HOST", value)
			continue
		}
		require.NoError(t, err, value)
		if want == "" {
			require.NotContains(t, account.BaseURL, "user", value)
			continue
		}
		require.Equal(t, want+"/v1", account.BaseURL, value)
		require.False(t, account.Own)
		require.Empty(t, account.Variable)
	}
}

func TestPresetsRenameTheTokenLimit(t *testing.T) {
	t.Parallel()
	for _, preset := range openai.Presets()[1:] {
		for _, setting := range []string{`{"max_tokens": 7}`, `{"max_completion_tokens": 7}`} {
			got := sentTo(t, preset.Name, request(hi), setting, false, preset.KeyVariable+"=k", anAddress)
			require.Equal(t, json.Number("7"), got.body[preset.MaxTokens], preset.Name)
			require.Len(t, got.body, 3, "messages, model and the limit")
		}
	}
}

func TestPresetsAskForTokenCounts(t *testing.T) {
	t.Parallel()
	for _, preset := range openai.Presets()[1:] {
		got := sentTo(t, preset.Name, request(hi), "{}", true, preset.KeyVariable+"=k", anAddress)
		if preset.StreamUsage {
			require.Equal(t, map[string]any{"include_usage": true}, got.body["stream_options"], preset.Name)
		} else {
			require.NotContains(t, got.body, "stream_options", preset.Name)
		}
	}
}

// Mistral and Groq refuse the names of users, which say who of several wrote a message.
func TestPresetsWithoutNamesOfUsers(t *testing.T) {
	t.Parallel()
	named := abi.Human("hi")
	named.Name = "ann"
	for _, preset := range openai.Presets()[1:] {
		got := sentTo(t, preset.Name, request(named), "{}", false, preset.KeyVariable+"=k", anAddress)
		message, _ := got.body["messages"].([]any)[0].(map[string]any)
		if preset.UserNames {
			require.Equal(t, "ann", message["name"], preset.Name)
		} else {
			require.NotContains(t, message, "name", preset.Name)
		}
	}
}

// Mistral takes ids of nine letters and digits. Other ids are changed, the same way in a call and its answer.
func TestMistralsCallIDs(t *testing.T) {
	t.Parallel()
	calls := abi.AI("")
	calls.ToolCalls = []abi.ToolCall{
		{ID: "toolu_01ABC", Name: "f", Args: wire.Map{}.Raw()}, {ID: "Abc123xyZ", Name: "f", Args: wire.Map{}.Raw()},
	}
	history := []abi.Message{hi, calls, abi.ToolResult(calls.ToolCalls[0], "1"), abi.ToolResult(calls.ToolCalls[1], "2")}
	req := request(history...)
	req.Tools = []abi.ToolSpec{{Name: "f"}}
	req.ToolChoice = "any"
	got := sentTo(t, "mistral", req, `{"random_seed": 1}`, false, "MISTRAL_API_KEY=k")
	messages, _ := got.body["messages"].([]any)
	asked, _ := messages[1].(map[string]any)["tool_calls"].([]any)
	var ids, answered []any
	for _, call := range asked {
		ids = append(ids, call.(map[string]any)["id"]) //nolint:forcetypeassert // a mistake is a failure of the test
	}
	for _, message := range messages[2:] {
		answered = append(answered, message.(map[string]any)["tool_call_id"]) //nolint:forcetypeassert // a mistake is a failure of the test
	}
	require.Equal(t, ids, answered)
	require.Regexp(t, `^[A-Za-z0-9]{9}$`, ids[0])
	require.Equal(t, "Abc123xyZ", ids[1])
	require.Equal(t, "any", got.body["tool_choice"])

	got = sentTo(t, "groq", req, "{}", false, "GROQ_API_KEY=k")
	require.Contains(t, got.text, `"toolu_01ABC"`)
	require.Equal(t, "required", got.body["tool_choice"])
}

// Reasoning arrives in the field of the preset, and is sent back in the same field.
func TestReasoningOfPresets(t *testing.T) {
	t.Parallel()
	fields := map[string]string{
		"reasoning_content": `"content":"hello","reasoning_content":"hmm"`,
		"reasoning":         `"content":"hello","reasoning":"hmm"`,
		"reasoning_details": `"content":"hello","reasoning_details":[{"type":"reasoning.text","text":"hmm","signature":"s"}]`,
		"thinking":          `"content":[{"type":"thinking","thinking":[{"type":"text","text":"hmm"}]},{"type":"text","text":"hello"}]`,
	}
	for _, preset := range openai.Presets()[1:] {
		var last recorded
		m := &openai.Model{
			Name: "m", Provider: preset.Name, LookupEnv: variables(preset.KeyVariable+"=k", anAddress), HTTPClient: client(func(r recorded) string {
				last = r
				return `{"choices":[{"message":{` + fields[preset.Reasoning] + `},"finish_reason":"stop"}]}`
			}),
		}
		resp, err := m.Generate(t.Context(), request(hi))
		require.NoError(t, err)
		require.Equal(t, "hmm", thought(resp.AI()), preset.Name)
		_, err = m.Generate(t.Context(), request(hi, *resp.AI(), hi))
		require.NoError(t, err)
		require.Contains(t, last.text, `"`+preset.Reasoning+`":`, preset.Name)
	}
}

// A service that cannot enforce a schema is not asked to.
func TestPresetsWithoutSchemas(t *testing.T) {
	t.Parallel()
	req := request(hi)
	req.Format = &model.Format{Name: "answer", Schema: rawOf(t, `{"type":"object"}`)}
	for _, preset := range openai.Presets() {
		if preset.JSONSchema {
			continue
		}
		m := &openai.Model{Name: "m", Provider: preset.Name, LookupEnv: variables(preset.KeyVariable + "=k"), HTTPClient: client(func(recorded) string {
			t.Error("a request was sent")
			return ""
		})}
		_, err := m.Generate(t.Context(), req)
		var failed *model.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, model.ErrorInvalidRequest, failed.Kind)
		require.ErrorContains(t, err, "DeepSeek does not enforce a schema; set strategy: tool in response_format")
	}
}

func TestMediaOfPresets(t *testing.T) {
	t.Parallel()
	for _, preset := range openai.Presets()[1:] {
		info := (&openai.Model{Name: "some-model", Provider: preset.Name}).Info()
		require.Equal(t, preset.Info("some-model"), info)
		require.Equal(t, preset.Name, info.Provider)
		require.Equal(t, model.SupportNo, info.Video)
		require.Equal(t, preset.Files, info.Files)
	}
	named, ok := openai.PresetNamed("mistral")
	require.True(t, ok)
	require.Equal(t, "mistralai", named.Name)
	_, ok = openai.PresetNamed("grok")
	require.False(t, ok)
}
