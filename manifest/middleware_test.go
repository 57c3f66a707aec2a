package manifest_test

import (
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

// A tool whose name is misspelt is limited by nothing: the agent says so.
func TestToolsThatMiddlewareNames(t *testing.T) {
	t.Parallel()
	agent := build(t, setup(t, oneTurn+`  - todo_list
  - tool_call_limit: {tool_name: write_todo, run_limit: 1}
  - tool_error: {on_error: {format: no}, tools: [write_todos, serach]}
  - tool_retry: {tools: [write_todos]}
  - loop_control: {max_repeats: 2, repeat_tools: [a]}
  - llm_tool_selector: {always_include: [b]}
  - context_editing: {edits: [{exclude_tools: [c]}, {exclude_tools: [c, write_todos]}]}
  - context_editing: {edits: [{exclude_tools: [c]}], persist: true}
`, nil), manifest.Options{})
	require.Equal(t, []string{
		`middleware "tool_call_limit[write_todo]" names tools that the agent does not have: write_todo; it has [write_todos]`,
		`middleware "tool_error" names tools that the agent does not have: serach; it has [write_todos]`,
		`middleware "loop_control" names tools that the agent does not have: a; it has [write_todos]`,
		`middleware "llm_tool_selector" names tools that the agent does not have: b; it has [write_todos]`,
		`middleware "context_editing" names tools that the agent does not have: c; it has [write_todos]`,
		`middleware "context_editing#2" names tools that the agent does not have: c; it has [write_todos]`,
	}, agent.Layout().Advice)
}
