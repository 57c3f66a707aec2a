package manifest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

const oneTurn = `apiVersion: agenthost/v1
model: {provider: scripted, turns: [{content: Done.}]}
middleware:
`

// What is wrong with a middleware among others shows at its line, also where only the whole list can tell.
func TestAFieldThatNobodyDeclaresShowsAtItsMiddleware(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, list, want string }{
		{"alone", "  - loop_control\n", `:4:5: middleware[0]: it uses the field "todos", which nobody declares; `},
		{"the second of a name", `  - todo_list
  - dynamic_prompt: {template: "{{.state.todos}}"}
  - dynamic_prompt: {template: "{{.state.nope}}"}
`, `:6:5: middleware[2]: it uses the field "nope", which nobody declares; `},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, err := manifest.Load(setup(t, oneTurn+test.list, nil), manifest.Options{})
			require.NoError(t, err)
			_, err = m.Build(t.Context(), nil, nil)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// A misspelt name protects nothing and limits nothing.
func TestToolsThatMiddlewareGuards(t *testing.T) {
	t.Parallel()
	for entry, name := range map[string]string{
		"tool_call_limit: {tool_name: write_todo, run_limit: 1}":                                          "write_todo",
		"loop_control: {max_repeats: 2, repeat_tools: [write_todos, wrote]}":                              "wrote",
		"human_in_the_loop: {interrupt_on: {writeTodos: true}}":                                           "writeTodos",
		"human_in_the_loop: {interrupt_on: {nobody: {allowed_decisions: [approve]}, write_todos: false}}": "nobody",
	} {
		m, err := manifest.Load(setup(t, oneTurn+"  - todo_list\n  - "+entry+"\n", nil), manifest.Options{})
		require.NoError(t, err)
		_, err = m.Build(t.Context(), nil, nil)
		require.ErrorContains(t, err, fmt.Sprintf("agenthost.yaml:5:5: middleware[1]: it guards the tool %q, which the agent does not have; ", name))
	}
	for _, entry := range []string{
		"tool_call_limit: {tool_name: write_todo, run_limit: 1, optional: true}",
		"loop_control: {max_repeats: 2, repeat_tools: [write_todos, wrote], optional: true}",
		"human_in_the_loop: {interrupt_on: {nobody: {allowed_decisions: [approve], optional: true}, nothing: false}}",
	} {
		build(t, setup(t, oneTurn+"  - todo_list\n  - "+entry+"\n", nil), manifest.Options{})
	}
}

// A server that is not connected may have any tool with its prefix that it includes.
func TestToolsOfServersThatAreNotConnected(t *testing.T) {
	t.Parallel()
	server := "tools:\n  - mcp: {command: [no-such-server], prefix: fs_, exclude: [drop]}\n"
	guarding := func(tool string) error {
		path := setup(t, oneTurn+"  - human_in_the_loop: {interrupt_on: {"+tool+": true}}\n"+server, nil)
		m, err := manifest.Load(path, manifest.Options{InMemory: true})
		require.NoError(t, err)
		agent, err := m.Build(t.Context(), nil, nil)
		if err == nil {
			require.NoError(t, agent.Close())
		}
		return err
	}
	require.NoError(t, guarding("fs_write"))
	require.ErrorContains(t, guarding("sf_write"), "which the agent does not have")
	require.ErrorContains(t, guarding("fs_drop"), "which the agent does not have")
}

// Other names that the agent does not know are only advice.
func TestToolsThatMiddlewareNames(t *testing.T) {
	t.Parallel()
	agent := build(t, setup(t, oneTurn+`  - todo_list
  - tool_error: {on_error: {format: no}, tools: [write_todos, serach]}
  - tool_retry: {tools: [write_todos]}
  - llm_tool_selector: {always_include: [b]}
  - context_editing: {edits: [{exclude_tools: [c]}, {exclude_tools: [c, write_todos]}]}
  - context_editing: {edits: [{exclude_tools: [c]}], persist: true}
`, nil), manifest.Options{})
	require.Equal(t, []string{
		`middleware "tool_error" names tools that the agent does not have: serach; it has [write_todos]`,
		`middleware "llm_tool_selector" names tools that the agent does not have: b; it has [write_todos]`,
		`middleware "context_editing" names tools that the agent does not have: c; it has [write_todos]`,
		`middleware "context_editing#2" names tools that the agent does not have: c; it has [write_todos]`,
	}, agent.Layout().Advice)
}
