package builtin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestSubagentsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	ready := member(t, "r", host.Config{Model: alwaysSay("")}).Agent
	for name, test := range map[string]struct {
		config builtin.Subagents
		says   string
	}{
		"none":           {builtin.Subagents{GeneralPurpose: new(false)}, "At least one subagent must be specified"},
		"no name":        {builtin.Subagents{Agents: []builtin.Subagent{{Description: "a"}}}, "agents[0].name: is missing"},
		"no description": {builtin.Subagents{Agents: []builtin.Subagent{{Name: "a", Description: " "}}}, "agents[0].description: is missing"},
		"long name": {
			builtin.Subagents{Agents: []builtin.Subagent{{Name: strings.Repeat("a", 101), Description: "a"}}}, "agents[0].name: must have at most 100 bytes",
		},
		"odd name": {builtin.Subagents{Agents: []builtin.Subagent{{Name: "a\x00", Description: "a"}}}, "without control characters"},
		"two of a name": {
			builtin.Subagents{Agents: []builtin.Subagent{{Name: "a", Description: "a"}, {Name: "a", Description: "b"}}},
			`agents[1].name: there are two subagents "a"`,
		},
		"unknown model": {
			builtin.Subagents{Agents: []builtin.Subagent{{Name: "a", Description: "a", Model: "big"}}}, `agents[0].model: "a": there is no model "big"`,
		},
		"bad review": {
			builtin.Subagents{Agents: []builtin.Subagent{{Name: "a", Description: "a", InterruptOn: map[string]builtin.ReviewPolicy{"x": {}}}}},
			"agents[0]: middleware \"human_in_the_loop\": Invalid `interrupt_on` config for tool 'x'",
		},
		"bad default middleware": {
			builtin.Subagents{DefaultMiddleware: []host.Middleware{builtin.ToolError{}}}, `general-purpose: middleware "tool_error": on_error.format is missing`,
		},
		"an agent and a prompt": {
			builtin.Subagents{Agents: []builtin.Subagent{{Name: "a", Description: "a", Agent: ready, SystemPrompt: "x"}}},
			"agents[0].system_prompt: does not apply to an existing agent",
		},
		"a file": {builtin.Subagents{Agents: []builtin.Subagent{{Name: "a", Description: "a", File: "a.yaml"}}}, "agents[0].file: only a manifest can"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := host.New(host.Config{Model: alwaysSay(""), Middleware: []host.Middleware{test.config}})
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, `middleware "subagents": `)
		})
	}
}

func TestSubagentsAreDecoded(t *testing.T) {
	t.Parallel()
	var config builtin.Subagents
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(`{agents: [{name: a, description: b, system_prompt: c, model: d,
		interrupt_on: {x: true}}, {name: e, description: f, interrupt_on: {}}], general_purpose: false, system_prompt: g, task_description: h}`), &config))
	require.Equal(t, builtin.Subagents{
		Agents: []builtin.Subagent{
			{Name: "a", Description: "b", SystemPrompt: "c", Model: "d", InterruptOn: map[string]builtin.ReviewPolicy{"x": builtin.AnyDecision()}},
			{Name: "e", Description: "f", InterruptOn: map[string]builtin.ReviewPolicy{}},
		},
		GeneralPurpose: new(false), SystemPrompt: "g", TaskDescription: "h",
	}, config)

	for key, says := range map[string]string{
		"default_middleware: []":                                   "default_middleware can be used only in a manifest; in Go, use DefaultMiddleware",
		"agents: [{name: a, description: b, tools: []}]":           "agents[0].tools: tools can be used only",
		"agents: [{name: a, description: b, response_format: {}}]": "agents[0].response_format: response_format can be used only",
		"agents: [{name: a, description: b, middleware: []}]":      "agents[0].middleware: middleware can be used only",
	} {
		var config builtin.Subagents
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(key), &config))
		_, err := host.New(host.Config{Model: boss(), Middleware: []host.Middleware{config}})
		require.ErrorContains(t, err, says)
	}
	list := config.DefaultMiddlewareEntries
	require.False(t, list.Given())
	require.Error(t, list.Decode(new([]string)))
	require.Equal(t, "array", list.JSONSchema()["type"])
	require.Equal(t, "array", builtin.ToolEntries{}.JSONSchema()["type"])
	require.NotEmpty(t, builtin.ResponseFormatEntry{}.JSONSchema())
}
