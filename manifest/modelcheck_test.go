package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

// What every request would fail with is an error of the manifest, at its place, also without a key.
func TestSettingsThatARunRefusesAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model string
		says  []string
	}{
		"what the agent sets": {
			"{provider: openai, name: m, settings: {messages: []}}", []string{"2:47: model.settings: the setting \"messages\" is not allowed, because the agent sets it"},
		},
		"of the other api": {
			"{provider: openai, name: m, api: responses, settings: {instructions: x}}", []string{`the setting "instructions" is not allowed`},
		},
		"of anthropic": {"{provider: anthropic, name: m, settings: {system: x}}", []string{`the setting "system" is not allowed`}},
		"of gemini":    {"{provider: gemini, name: m, settings: {contents: x}}", []string{`the setting "contents" is not allowed`}},
		"tools that are not a list": {
			"{provider: gemini, name: m, settings: {tools: x}}", []string{`the setting "tools" must be a list, such as`},
		},
		"tools that are not mappings": {"{provider: anthropic, name: m, tools: [a]}", []string{"2:39: model: the setting \"tools\" must be a list of mappings"}},
		"tools of openai":             {"{provider: openai, name: m, settings: {tools: [a]}}", []string{`the setting "tools" must be a list of mappings`}},
		"a name of a model":           {"gemini:a?b", []string{"2:8: model: ", `"a?b" is not a valid name of a model`}},
		"the name of a header": {
			`{provider: openai, name: m, headers: {"a b": hunter2hunter2}}`, []string{`model.headers: the header "a b" is not a valid name`},
		},
		"the value of a header": {
			`{provider: anthropic, name: m, headers: {x-key: "hunter2\nhunter2"}}`, []string{`the header "x-key" has a value with a line break`},
		},
		"no tokens":      {"{provider: anthropic, name: m, max_tokens: 0}", []string{"model.max_tokens: must be at least 1"}},
		"another type":   {"{provider: gemini, name: m, max_tokens: many}", []string{"expected a count"}},
		"a foreign name": {"{provider: anthropic, name: m, effort: high}", []string{"2:39: model: unknown key \"effort\"; for anthropic, write output_config: {effort: high}"}},
		"the budget of thinking": {
			"{provider: gemini, name: m, thinking_budget: 1}", []string{"for gemini, write generationConfig: {thinkingConfig: {thinkingBudget: 2000}}"},
		},
		"a foreign name at a service": {"{provider: vllm, name: m, effort: high}", []string{"for vllm, write reasoning_effort: high"}},
		"a foreign name at a service without the setting": {
			"{provider: deepseek, name: m, effort: high}", []string{"unknown key \"effort\"\n"},
		},
		"the context of Ollama": {
			"{provider: ollama, name: m, num_ctx: 16000}", []string{"for ollama, set OLLAMA_CONTEXT_LENGTH where ollama serve runs"},
		},
		"the options of Ollama":  {"{provider: ollama, name: m, keep_alive: 5m}", []string{"set OLLAMA_KEEP_ALIVE where ollama serve runs"}},
		"tokens by another name": {"{provider: anthropic, name: m, max_completion_tokens: 1}", []string{"write max_tokens: 8000"}},
		"a header of a model that goes on": {
			`{provider: openai, name: m, on_cut_off: continue, headers: {"a b": x}}`, []string{`model.headers: the header "a b" is not a valid name`},
		},
		"a typo": {"{provider: anthropic, name: m, temprature: 1}", []string{`did you mean "temperature"?`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, key := range []string{"model: ", "model: {provider: scripted, echo: true}\nmodels: {small: "} {
				text := key + test.model
				if strings.HasSuffix(key, "small: ") {
					text += "}"
				}
				m, err := manifest.Load(folder(t, [2]string{"agenthost.yaml", text}), manifest.Options{InMemory: true, LookupEnv: noVariables})
				if err == nil {
					_, err = m.Build(t.Context(), nil, nil)
				}
				require.Error(t, err)
				require.NotContains(t, err.Error(), "hunter2")
				for _, says := range test.says {
					if key != "model: " { // the place is another
						says = says[strings.LastIndex(says, "model")+len("model"):]
					}
					require.ErrorContains(t, err, says)
				}
			}
		})
	}
}

// A model whose settings are right needs no key to be checked.
func TestModelsAreCheckedWithoutAKey(t *testing.T) {
	t.Parallel()
	for _, model := range []string{
		"openai:m", "{provider: openai, name: m, api: responses, reasoning_effort: low, settings: {tools: [{type: web_search}], tool_choice: auto}}",
		"{provider: anthropic, name: m, tools: [{type: web_search_20250305, name: web_search}], thinking: {type: enabled, budget_tokens: 1024}}",
		"{provider: gemini, name: m, tools: [{googleSearch: {}}], max_tokens: 3, headers: {x-goog-user-project: a}}",
	} {
		m, err := manifest.Load(folder(t, [2]string{"agenthost.yaml", "model: " + model}), manifest.Options{InMemory: true, LookupEnv: noVariables})
		require.NoError(t, err)
		agent, err := m.Build(t.Context(), nil, nil)
		require.NoError(t, err)
		require.NoError(t, agent.Close())
	}
}

func noVariables(string) (string, bool) { return "", false }
