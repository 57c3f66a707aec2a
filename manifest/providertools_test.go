package manifest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

func TestToolsOfProviders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ model, want, beta string }{
		{
			"provider: openai, api: responses, provider_tools: [web_search, code_execution, {type: file_search, vector_store_ids: [vs_1]}]",
			`[{"type":"web_search"},{"type":"code_interpreter","container":{"type":"auto"}},{"type":"file_search","vector_store_ids":["vs_1"]}]`, "",
		},
		{"provider: openai, provider_tools: [{type: browser_search}]", `[{"type":"browser_search"}]`, ""},
		{
			"provider: anthropic, provider_tools: [web_search, {type: web_search_20250305, name: other, max_uses: 5}]",
			`[{"type":"web_search_20250305","name":"web_search"},{"type":"web_search_20250305","name":"other","max_uses":5}]`, "",
		},
		{
			"provider: anthropic, provider_tools: [code_execution, {type: web_fetch_20250910, name: web_fetch}], headers: {anthropic-beta: mine}",
			`[{"type":"code_execution_20250825","name":"code_execution"},{"type":"web_fetch_20250910","name":"web_fetch"}]`,
			"mine,code-execution-2025-08-25,web-fetch-2025-09-10",
		},
		{
			"provider: anthropic, provider_tools: [code_execution], headers: {Anthropic-Beta: 'code-execution-2025-08-25,b'}",
			`[{"type":"code_execution_20250825","name":"code_execution"}]`, "code-execution-2025-08-25,b",
		},
		{
			"provider: anthropic, tools: [{type: web_fetch_20250910, name: web_fetch}]", `[{"type":"web_fetch_20250910","name":"web_fetch"}]`, "web-fetch-2025-09-10",
		},
		{
			"provider: gemini, provider_tools: [web_search, code_execution, {urlContext: {}}], tools: [{googleMaps: {}}]",
			`[{"googleSearch":{}},{"codeExecution":{}},{"urlContext":{}},{"googleMaps":{}}]`, "",
		},
	} {
		body, header := received(t, "model: {"+test.model+", name: x, base_url: \"${BASE}\"}", map[string]string{})
		var sent struct {
			Tools json.RawMessage `json:"tools"`
		}
		require.NoError(t, json.Unmarshal([]byte(body), &sent), test.model)
		require.JSONEq(t, test.want, string(sent.Tools), test.model)
		require.Equal(t, test.beta, header.Get("Anthropic-Beta"), test.model)
	}
}

// A tool that the provider does not have, and one that a middleware should guard although the provider runs it, are errors without a request.
func TestToolsOfProvidersAreChecked(t *testing.T) {
	t.Parallel()
	const search = "model: {provider: anthropic, name: m, provider_tools: [web_search]}\n"
	const elsewhere = "model: {provider: anthropic, name: m}\nmodels:\n  other: {provider: openai, api: responses, name: o, provider_tools: [code_execution]}\n"
	for lines, says := range map[string]string{
		"model: {provider: openai, name: m, provider_tools: [web_search]}":                                                                         `names "web_search"; openai has no tools with a name in Chat Completions; use api: responses`,
		"model: {provider: gemini, name: m, provider_tools: [web_serch]}":                                                                          `did you mean "web_search"?`,
		"model: {provider: gemini, name: m, provider_tools: [{}]}":                                                                                 "the definition is empty",
		"model: {provider: gemini, name: m, provider_tools: [3]}":                                                                                  "a tool of the provider is a name, such as web_search",
		"model: {provider: gemini, name: m, web_search: true}":                                                                                     "write provider_tools: [web_search, code_execution]",
		search + "middleware: [{human_in_the_loop: {interrupt_on: {web_search: true}}}]":                                                           `it guards the tool "web_search", which the provider of the model m runs itself`,
		search + "middleware: [{human_in_the_loop: {interrupt_on: {web_search: {allowed_decisions: [approve], optional: true}}}}]":                 `guards the tool "web_search"`,
		search + "middleware: [{human_in_the_loop: {interrupt_on: {web_search_20250305: true}}}]":                                                  `guards the tool "web_search_20250305"`,
		search + "middleware: [{tool_call_limit: {tool_name: web_search, run_limit: 3}}]":                                                          `guards the tool "web_search"`,
		search + "middleware: [{tool_call_limit: {tool_name: web_search, run_limit: 3, optional: true}}]":                                          `guards the tool "web_search"`,
		search + "tool_calls: {alert: {web_search: 3}}":                                                                                            `names the tool "web_search", which the provider of the model m runs itself`,
		"model: {provider: gemini, name: m, tools: [{googleSearch: {}}]}\nmiddleware: [{human_in_the_loop: {interrupt_on: {googleSearch: true}}}]": `guards the tool "googleSearch"`,
		elsewhere + "middleware: [{human_in_the_loop: {interrupt_on: {code_interpreter: true}}}]":                                                  `which the provider of the model o runs itself`,
		search + "tools: [{http: {name: web_search, description: d, url: 'https://example.com', method: GET}}]":                                    `the agent has a tool "web_search", and so has the provider`,
	} {
		m, err := manifest.Load(setup(t, "apiVersion: agenthost/v1\n"+lines, nil), manifest.Options{InMemory: true})
		if err == nil {
			var agent *manifest.Agent
			agent, err = m.Build(t.Context(), nil, nil)
			require.NoError(t, agent.Close())
		}
		require.ErrorContains(t, err, says, lines)
	}
}
