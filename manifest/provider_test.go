package manifest_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/manifest"
)

// modelOf is the model of a manifest with these lines behind the first one.
func modelOf(t *testing.T, lines string, env map[string]string) (model.Model, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agenthost.yaml")
	require.NoError(t, os.WriteFile(path, []byte("apiVersion: agenthost/v1\n"+lines), 0o600))
	m, err := manifest.Load(path, manifest.Options{LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok }})
	if err != nil {
		return nil, err
	}
	var built model.Model
	agent, err := m.Build(t.Context(), nil, func(c *host.Config) { built = c.Model })
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	return built, nil
}

func TestModelsOfProviders(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]model.Info{
		"model: openai:gpt-5.2":                  model.Lookup("openai", "gpt-5.2"),
		"model: anthropic:claude-haiku-4-5":      model.Lookup("anthropic", "claude-haiku-4-5"),
		"model: gemini:gemini-2.5-pro":           model.Lookup("gemini", "gemini-2.5-pro"),
		"model: {provider: openai, name: other}": {Name: "other", Provider: "openai"},
		"model: {provider: openai, name: qwen3, base_url: 'http://localhost:1/v1', profile: {max_input_tokens: 32k, images: true, logprobs: true}}": {
			Name: "qwen3", Provider: "openai", MaxInputTokens: 32_000, Images: model.SupportYes, Logprobs: model.SupportYes,
		},
	} {
		built, err := modelOf(t, lines, nil)
		require.NoError(t, err, lines)
		require.Equal(t, want, built.Info(), lines)
	}
	require.Positive(t, model.Lookup("openai", "gpt-5.2").MaxInputTokens)
}

// received is what a server is sent by a model of these lines, in which BASE stands for its address.
func received(t *testing.T, lines string, env map[string]string) (body string, header http.Header) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(all)
		body, header = string(all), r.Header
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	env["BASE"] = server.URL
	built, err := modelOf(t, lines, env)
	require.NoError(t, err)
	req := &model.Request{}
	req = req.WithSystem(abi.Text("be brief"))
	_, err = built.Generate(t.Context(), req)
	require.Error(t, err)
	return body, header
}

func TestSettingsOfProviders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ lines, key, header, says string }{
		{
			"model: {provider: openai, name: gpt-5.2, api_key_env: OPENAI_API_KEY, base_url: \"${BASE}/v1\", temperature: 0, settings: {new_thing: {a: [1]}}, headers: {X-Team: blue}}",
			"OPENAI_API_KEY", "Authorization", `"new_thing":{"a":[1]}`,
		},
		{"model: {provider: openai, name: x, base_url: \"${BASE}/v1\", api_key_env: OTHER}", "OTHER", "Authorization", `"model":"x"`},
		{"model: {provider: anthropic, name: x, api_key_env: ANTHROPIC_API_KEY, base_url: \"${BASE}\", max_tokens: 7, stop: [end]}", "ANTHROPIC_API_KEY", "X-Api-Key", `"stop_sequences":["end"]`},
		{"model: {provider: gemini, name: x, api_key_env: GEMINI_API_KEY, base_url: \"${BASE}\", temperature: 0.5, max_tokens: 9}", "GEMINI_API_KEY", "X-Goog-Api-Key", `"maxOutputTokens":9`},
		{"model: {provider: gemini, name: x, api_key_env: GOOGLE_API_KEY, base_url: \"${BASE}\"}", "GOOGLE_API_KEY", "X-Goog-Api-Key", `be brief`},
	} {
		body, header := received(t, test.lines, map[string]string{test.key: "s3cret"})
		require.Contains(t, body, test.says, test.lines)
		require.Contains(t, header.Get(test.header), "s3cret", test.lines)
	}
}

func TestKeysComeFromAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "keys.env")
	require.NoError(t, os.WriteFile(file, []byte("# keys\nexport OPENAI_API_KEY=\"from file\"\nWORD='of the file'\n"), 0o600))
	lines := "env_file: " + file + "\nmodel: {provider: openai, name: x, base_url: \"${BASE}/v1\", api_key_env: OPENAI_API_KEY}\nsystem_prompt: a word ${WORD}\n"
	_, header := received(t, lines, map[string]string{})
	require.Equal(t, "Bearer from file", header.Get("Authorization"))
	_, header = received(t, lines, map[string]string{"OPENAI_API_KEY": "of the environment"})
	require.Equal(t, "Bearer of the environment", header.Get("Authorization"))
	_, header = received(t, lines, map[string]string{"OPENAI_API_KEY": ""})
	require.Equal(t, "Bearer from file", header.Get("Authorization"), "an empty variable is none")

	for text, says := range map[string]string{
		"env_file: nowhere.env\nmodel: openai:x": "there is no such file (expected a file of lines NAME=VALUE)",
		"env_file: [a]\nmodel: openai:x":         "env_file",
	} {
		_, err := modelOf(t, text, nil)
		require.ErrorContains(t, err, says)
	}
	require.NoError(t, os.WriteFile(file, []byte("KEY=\"s3cret\nno end"), 0o600))
	_, err := modelOf(t, lines, map[string]string{"BASE": "http://x"})
	require.ErrorContains(t, err, "line 1 is not of the form NAME=VALUE, or its quotation mark is not closed; correct the file")
	require.NotContains(t, err.Error(), "s3cret")
	require.NoError(t, os.WriteFile(file, []byte("A=\"two\nlines\"\n\n# of words\nexport B=b\nC+D s3cret\nE=e\n"), 0o600))
	_, err = modelOf(t, lines, map[string]string{"BASE": "http://x"})
	require.ErrorContains(t, err, "line 6 is not of the form NAME=VALUE")
	require.NotContains(t, err.Error(), "s3cret")
}

func TestModelsThatAreRefused(t *testing.T) {
	t.Parallel()
	for lines, says := range map[string]string{
		"model: gpt-5.2":                                             "a model is PROVIDER:NAME, such as openai:gpt-5.2",
		"model: opneai:gpt-5.2":                                      `the provider "opneai" is unknown`,
		"model: 'openai:'":                                           "the name of the model is missing",
		"model: scripted:x":                                          "a scripted model is a mapping, such as {provider: scripted, rules: rules.yaml}",
		"model: {provider: opneai, name: x}":                         "openai",
		"model: {provider: openai}":                                  `the key "name" is missing`,
		"model: {provider: openai, name: x, temprature: 0}":          "temperature",
		"model: {provider: openai, name: x, api: response}":          "responses",
		"model: {provider: anthropic, name: x, api: responses}":      `unknown key "api"`,
		"model: {provider: openai, name: x, base_url: localhost}":    "base_url must be an address",
		"model: {provider: openai, name: x, api_key: s3cret}":        `a manifest cannot contain keys, such as "api_key"; set OPENAI_API_KEY in the environment`,
		"model: {provider: openai, name: x, profile: {image: true}}": "images",
		"model: {provider: openai, name: x, settings: 3}":            "settings",
	} {
		_, err := modelOf(t, lines, nil)
		require.ErrorContains(t, err, says, lines)
		require.ErrorContains(t, err, "agenthost.yaml", lines)
	}
}

// A setting of a known type is checked when the manifest is read.
func TestTypesOfSettings(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HALF": "0.5", "NINE": "9", "WORD": "hot"}
	for _, test := range []struct{ provider, setting, says string }{
		{"openai", "temperature: hot", `model.temperature: expected a number, found string "hot"`},
		{"openai", "temperature: '0.5'", "remove the quotes"},
		{"openai", "temperature: '${WORD}'", "model.temperature: expected a number, found string \"${WORD}\""},
		{"anthropic", "temperature: [1]", "model.temperature: expected a number, found a list"},
		{"gemini", "temperature: true", "model.temperature: expected a number, found boolean true"},
		{"openai", "max_tokens: 1.5", "model.max_tokens: expected a count"},
		{"openai", "stop: {a: b}", "model.stop: expected a string"},
		{"openai", "stop: [1]", "model.stop[0]: expected a string"},
		{"anthropic", "stop: end", "model.stop: expected a list"},
		{"anthropic", "thinking: enabled", "model.thinking: expected a mapping"},
		{"openai", "parallel_tool_calls: no", "model.parallel_tool_calls: expected true or false"},
		{"gemini", "generationConfig: 3", "model.generationConfig: expected a mapping"},
		{"gemini", "generationConfig: {temperature: hot}", `model.generationConfig.temperature: expected a number, found string "hot"`},
		{"gemini", "generationConfig: {temprature: 1}", `model.generationConfig: unknown key "temprature"; did you mean "temperature"?`},
		{"gemini", "generationConfig: {thinkingConfig: {thinking_budget: 1}}", `unknown key "thinking_budget"; did you mean "thinkingBudget"?`},
		{"anthropic", "thinking: {type: enabled, budget: 2000}", `model.thinking: unknown key "budget"; did you mean "budget_tokens"? If the provider has both, write this one under settings`},
		{"google_vertexai", "generationConfig: {thinkingConfig: {thinkingBudget: lots}}", "model.generationConfig.thinkingConfig.thinkingBudget: expected an integer"},
		{"anthropic", "thinking: {type: enabled, budget_tokens: lots}", "model.thinking.budget_tokens: expected a count"},
		{"bedrock", "output_config: {effort: 3}", "model.output_config.effort: expected a string"},
		{"openai", "reasoning: {effort: 3}", "model.reasoning.effort: expected a string"},
		{"openai", "text: {verbosity: 3}", "model.text.verbosity: expected a string"},
		{"openrouter", "reasoning: {max_tokens: lots}", "model.reasoning.max_tokens: expected a count"},
		{"ollama", "stream_options: {include_usage: sure}", "model.stream_options.include_usage: expected true or false"},
	} {
		_, err := modelOf(t, "model: {provider: "+test.provider+", name: x, "+test.setting+"}", env)
		require.ErrorContains(t, err, test.says, test)
	}
	for _, test := range []struct{ provider, setting, sent string }{
		{"openai", "temperature: 1", `"temperature":1}`},
		{"openai", "temperature: ${HALF}", `"temperature":0.5`},
		{"openai", "seed: ${NINE}", `"seed":9`},
		{"openai", "stop: [a, b]", `"stop":["a","b"]`},
		{"openai", "stop: a", `"stop":"a"`},
		{"openai", "temperature: null", `"temperature":null`},
		{"openai", "settings: {temperature: hot}", `"temperature":"hot"`},
		{"anthropic", "container: {id: 3}", `"container":{"id":3}`},
		{"gemini", "top_k: 4", `"topK":4`},
		{"gemini", "generationConfig:\n    temperature: ${HALF}\n    new: hot\n    thinkingConfig: {thinkingBudget: -1}", `{"new":"hot","temperature":0.5,"thinkingConfig":{"thinkingBudget":-1}}`},
		{"anthropic", "thinking: {type: enabled, budget_tokens: 2k}", `"thinking":{"budget_tokens":2000,"type":"enabled"}`},
		{"openai", "reasoning_effort: low", `"reasoning_effort":"low"`},
		{"openai", "reasoning_effort: low\n  reasoning: {summary: auto}\n  api: responses", `"reasoning":{"effort":"low","summary":"auto"}`},
		{"openai", "api: responses\n  settings: {verbosity: low, text: {x: 1}}", `"text":{"verbosity":"low","x":1}`},
	} {
		body, _ := received(t, "model:\n  provider: "+test.provider+"\n  name: x\n  base_url: ${BASE}\n  "+test.setting+"\n", env)
		require.Contains(t, body, test.sent, test)
	}
}

// A field of a request may be set in several places. Neither their order nor their number changes what is sent.
func TestSettingsOfAllPlacesAreMerged(t *testing.T) {
	t.Parallel()
	const temperature, config, further = "  temperature: 0.5\n", "  generationConfig: {topK: 4, thinkingConfig: {thinkingBudget: 0}}\n",
		"  settings: {generationConfig: {candidateCount: 1, thinkingConfig: {includeThoughts: true}}}\n"
	for _, lines := range []string{temperature + config + further, config + temperature + further, further + config + temperature, further + temperature + config} {
		body, _ := received(t, "model:\n  provider: gemini\n  name: x\n  base_url: ${BASE}\n"+lines, map[string]string{})
		require.Contains(t, body, `"generationConfig":{"candidateCount":1,"temperature":0.5,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":0},"topK":4}`,
			lines)
	}
	body, _ := received(t, "model:\n  provider: gemini\n  name: x\n  base_url: ${BASE}\n"+
		"  temperature: 1\n  stop: [a]\n  settings: {generationConfig: {temperature: 1.0, stopSequences: [a]}}\n", map[string]string{})
	require.Contains(t, body, `"generationConfig":{"stopSequences":["a"],"temperature":1}`, "the same value twice is not a conflict")
}

func TestASettingWithTwoValuesIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, first, second, at, says string }{
		{
			"gemini", "temperature: 0.5", "generationConfig: {temperature: 1}", "model.generationConfig.temperature",
			`the setting "generationConfig.temperature" already has another value, from model.temperature in line 5; remove one of the two`,
		},
		{
			"gemini", "generationConfig: {temperature: 1}", "temperature: 0.5", "model.temperature",
			"from model.generationConfig.temperature in line 5",
		},
		{
			"gemini", "settings: {generationConfig: {topK: 1}}", "top_k: 2", "model.top_k",
			"from model.settings.generationConfig.topK in line 5",
		},
		{
			"gemini", "generationConfig: null", "top_k: 2", "model.top_k", "from model.generationConfig in line 5",
		},
		{
			"gemini", "top_k: 2", "settings: {generationConfig: 3}", "model.settings.generationConfig",
			`the setting "generationConfig" already has another value, from model.top_k in line 5`,
		},
		{
			"openai", "temperature: 0", "settings: {temperature: 1}", "model.settings.temperature", "from model.temperature in line 5",
		},
		{
			"openai", "reasoning_effort: low", "reasoning: {effort: high}\n  api: responses", "model.reasoning.effort",
			`the setting "reasoning.effort" already has another value, from model.reasoning_effort in line 5; remove one of the two`,
		},
		{
			"openai", "verbosity: low", "settings: {verbosity: high}\n  api: responses", "model.settings.verbosity",
			`the setting "text.verbosity" already has another value, from model.verbosity in line 5; remove one of the two`,
		},
		{
			"anthropic", "stop: [a]", "stop_sequences: [b]", "model.stop_sequences", "from model.stop in line 5",
		},
	} {
		_, err := modelOf(t, "model:\n  provider: "+test.provider+"\n  name: x\n  "+test.first+"\n  "+test.second+"\n", nil)
		require.ErrorContains(t, err, "agenthost.yaml:6:", test)
		require.ErrorContains(t, err, ": "+test.at+": the setting", test)
		require.ErrorContains(t, err, test.says, test)
	}
}

func TestAMissingKeyIsAnErrorOfTheCall(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	built, err := modelOf(t, "model: anthropic:claude-haiku-4-5", nil)
	require.NoError(t, err)
	_, err = built.Generate(t.Context(), &model.Request{})
	require.ErrorContains(t, err, "there is no API key; set the environment variable ANTHROPIC_API_KEY")
}

// The provider's own key does not go to another server, whether it is in the environment or in the file, unless the manifest says so.
func TestTheProvidersKeyIsNotForAnotherServer(t *testing.T) { //nolint:paralleltest // it changes the environment
	variables := map[string]string{}
	for _, variable := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(variable, "s3cret")
		variables[variable] = "s3cret"
	}
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		for _, from := range []string{"", ", api_key_env: OTHER"} {
			body, header := received(t, "model: {provider: "+provider+", name: x, base_url: \"${BASE}\""+from+"}", maps.Clone(variables))
			require.Contains(t, body, "be brief")
			require.NotContains(t, fmt.Sprint(header), "s3cret")
		}
		built, err := modelOf(t, "model: {provider: "+provider+", name: x, api_key_env: OTHER}", nil)
		require.NoError(t, err)
		_, err = built.Generate(t.Context(), &model.Request{})
		require.ErrorContains(t, err, "there is no API key; set the environment variable OTHER")
	}
}
