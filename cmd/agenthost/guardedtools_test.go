package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A review of a tool whose name is misspelt would let the tool run unasked, so no command accepts it.
func TestAReviewOfAMisspeltToolIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{
		{"validate"}, {"doctor"}, {"run", "hi"}, {"chat"}, {"order"}, {"graph"}, {"mcp"},
	} {
		t.Run(command[0], func(t *testing.T) {
			t.Parallel()
			b := setup(t, say+"middleware:\n  - todo_list\n  - human_in_the_loop: {interrupt_on: {write_todo: true}}\n")

			code := b.run(command...)

			require.NotZero(t, code, "%s%s", b.out, b.err)
			told := b.out.String() + b.err.String()
			require.Contains(t, told, `it guards the tool "write_todo", which the agent does not have; did you mean "write_todos"?`)
			require.Contains(t, told, "set optional: true")
			require.NotContains(t, told, "hello")
		})
	}
}

// A key in place of the name of its variable is refused, and shown nowhere.
func TestAKeyInPlaceOfItsVariable(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, api_key_env: sk-REAL-KEY}\n")
	for _, command := range []string{"validate", "doctor"} {
		require.Equal(t, exitUsage, b.run(command))
		told := b.out.String() + b.err.String()
		require.Contains(t, told, "api_key_env must be the name of an environment variable, such as OPENAI_API_KEY, and not the key itself")
		require.NotContains(t, told, "sk-REAL")
	}
}
