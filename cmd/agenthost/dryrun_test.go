package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDryRunPrintsTheRequestAndAsksNoModel(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: openai, name: m, base_url: "http://127.0.0.1:1/v1"}
models: {small: {provider: openai, name: s, base_url: "http://127.0.0.1:1/v1"}}
system_prompt: "You keep notes.\nmodel: forged"
tools: [{files: {root: .}}]
checkpoint: sqlite:agent.db
middleware:
  - model_retry: {max_retries: 3, initial_delay: 60}
  - model_fallback: {models: [small]}
  - pii: {pii_type: email}
`)
	require.Equal(t, exitOK, b.run("run", "--dry-run", "mail ada@example.com"), &b.err)
	require.Contains(t, b.out.String(), "model: openai:m\nsystem prompt:\n  │ You keep notes.\n  │ model: forged\ntools: ")
	require.Contains(t, b.out.String(), "\n  read_file: ")
	require.Contains(t, b.out.String(), "messages:\n  human:\n  │ mail [REDACTED_EMAIL]\n", "the hooks before the model have run")
	require.NoFileExists(t, b.path("agent.db"), "nothing is kept")

	require.Equal(t, exitOK, b.run("run", "--dry-run", "--output", "json", "--model", "anthropic:c", "hi"), &b.err)
	var doc requestDocument
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &doc))
	require.Equal(t, "anthropic:c", doc.Model)
	require.Len(t, doc.Messages, 1)

	require.Equal(t, exitUsage, b.run("run", "--dry-run", "--output", "jsonl", "hi"))
	require.Contains(t, b.err.String(), "--dry-run prints text or json")
}

func TestDryRunOfAThreadLeavesItAsItIs(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"checkpoint: sqlite:agent.db\n")
	require.Equal(t, exitOK, b.run("run", "--thread", "ada", "one"), &b.err)
	before := b.shown("ada")
	require.Equal(t, exitOK, b.run("run", "--dry-run", "--thread", "ada", "two"), &b.err)
	require.Contains(t, b.out.String(), "messages:\n  human:\n  │ one\n  ai:\n  │ hello\n  human:\n  │ two\n")
	require.Equal(t, before, b.shown("ada"))
	require.Equal(t, exitOK, b.run("run", "--dry-run", "--thread", "new", "two"), &b.err)
	require.Contains(t, b.out.String(), "messages:\n  human:\n  │ two\n")
	require.Equal(t, exitUsage, b.run("run", "--dry-run", "--thread", "ada", "--continue"))
}
