package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// --set reaches the keys of a model and a middleware that the manifest writes in their short form.
func TestSetChangesKeysOfShortForms(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: openai:gpt-5.2\nmodels: {small: anthropic:c}\nmiddleware: [todo_list]\n")
	require.Equal(t, exitOK, b.run("config", "show", "--set", "model.temperature=0", "--set", "models.small.max_tokens=9",
		"--set", "middleware[0].todo_list.system_prompt=x", "--set", "middleware[0].id=plan"), &b.err)
	require.Equal(t, `apiVersion=agenthost/v1
model.provider=openai
model.name=gpt-5.2
model.temperature=0
models.small.provider=anthropic
models.small.name=c
models.small.max_tokens=9
middleware[0].todo_list.system_prompt=x
middleware[0].id=plan
`, b.out.String())
	b.write("agenthost.yaml", "apiVersion: agenthost/v1\nmodel: ${MODEL:-openai:x}\n")
	require.Equal(t, exitUsage, b.run("config", "show", "--set", "model.temperature=0"))
	require.Contains(t, b.err.String(), `has no key "temperature"`)
}

// A misspelt key beside the right one is where the flag put it, not where the file has the other.
func TestSetOfASecondKindOfTool(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"tools: [{files: {root: .}}]\n")
	require.Equal(t, exitUsage, b.run("validate", "--set", "tools[0].fils.root=x"))
	require.Equal(t, `agenthost: --set tools[0].fils.root=x: tools[0]: a tool is a mapping of one key, and this one has both "files" and "fils"; `+
		"write another entry for the second\n", b.err.String())
}
