package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
)

func TestMiddlewareList(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "middleware", "list"))
	require.Contains(t, b.out.String(), "tool_call_limit            limits the tool calls of a run or thread, of all tools or of one\n")

	require.Equal(t, exitOK, b.runWith(t.Context(), "", "middleware", "list", "--json"))
	var all []struct {
		Name    string         `json:"name"`
		Example string         `json:"example"`
		Schema  map[string]any `json:"schema"`
	}
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &all))
	require.GreaterOrEqual(t, len(all), 5)
	for _, m := range all {
		require.NotEmpty(t, m.Example, m.Name)
		require.Equal(t, "object", m.Schema["type"], m.Name)
	}
}

func TestMiddlewareShow(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "middleware", "show", "tool_call_limit"))
	for _, part := range []string{
		"tool_call_limit: limits the tool calls", "tool_call_limit blocks tool calls beyond a limit", "Configuration:",
		"  exit_behavior (continue, end, error; default \"continue\")\n", "\n  middleware:\n    - tool_call_limit:\n",
	} {
		require.Contains(t, b.out.String(), part)
	}
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "middleware", "show", "nobody"))
	require.Contains(t, b.err.String(), `there is no built-in middleware "nobody"; choose one of anthropic_prompt_caching, `)
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "middleware", "show", "TodoList"))
	require.Contains(t, b.err.String(), `there is no built-in middleware "TodoList"; did you mean "todo_list"?`)
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "middleware", "show"))
}

func TestSchema(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "schema"))
	var schema struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &schema))
	require.Equal(t, []string{"apiVersion", "model"}, schema.Required)
	for key, property := range schema.Properties {
		require.NotEmpty(t, property.Description, "%s has no comment in manifest", key)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"middleware:\n- patch_tool_calls\n- model_call_limit: {run_limit: 3}\n- tool_error: {on_error: {format: x}}\n  id: errors\n")
	require.Equal(t, exitOK, b.run("order"), &b.err)
	require.Equal(t, `before_agent     patch_tool_calls
before_model     model_call_limit
wrap_model_call  model
after_model      model_call_limit
wrap_tool_call   errors ( tool )
`, b.out.String())
	require.Equal(t, exitOK, b.run("order", "--json"))
	require.JSONEq(t, `{"before_agent": ["patch_tool_calls"], "before_model": ["model_call_limit"], "wrap_model_call": [],
		"after_model": ["model_call_limit"], "wrap_tool_call": ["errors"], "after_agent": [], "advice": []}`, b.out.String())
}

// An example that middleware show prints is complete: added to a manifest with a model, it builds.
func TestExamplesOfMiddlewareBuild(t *testing.T) {
	t.Parallel()
	for _, entry := range builtin.Registry() {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "")
			require.Equal(t, exitOK, b.runWith(t.Context(), "", "middleware", "show", entry.Name), &b.err)
			_, example, ok := strings.Cut(b.out.String(), "\nExample:\n")
			require.True(t, ok)
			b.write("agenthost.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\n"+strings.ReplaceAll("\n"+example, "\n  ", "\n"))
			require.Equal(t, exitOK, b.run("validate"), "%s\n%s", example, &b.err)
		})
	}
}
