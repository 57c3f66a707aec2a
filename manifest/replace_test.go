package manifest_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// The agent of a changed manifest takes the place of the former one, and each file that an agent is made of is told.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const head = "apiVersion: agenthost/v1\nenv_file: .env\nmodel: {provider: scripted, rules: rules.yaml}\nsystem_prompt: {file: prompt.md}\n"
	write("agent.yaml", head+"checkpoint: sqlite:a.db\ntools: [{agent: {file: in/inner.yaml, name: ask, description: asks}}]\n"+
		"response_format: {schema: schema.json}\ncontext_schema: context.json\nmiddleware: [{skills: {sources: [/s], root: skills}}]\n")
	write(".env", "")
	write("prompt.md", "text")
	write("schema.json", `{"type":"object","title":"a"}`)
	write("context.json", `{"type":"object"}`)
	write("rules.yaml", "rules: [{when: '', say: one}]\n")
	write("in/inner.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, rules: rules.yaml}\n")
	write("in/rules.yaml", "rules: [{when: '', say: inner}]\n")
	write("skills/s/one/SKILL.md", "---\nname: one\ndescription: one\n---\n")
	var mu sync.Mutex
	used := map[string]bool{}
	load := func() *manifest.Manifest {
		m, err := manifest.Load(filepath.Join(dir, "agent.yaml"), manifest.Options{Used: func(path string) {
			mu.Lock()
			defer mu.Unlock()
			used[path] = true
		}})
		require.NoError(t, err)
		return m
	}
	discard := slog.New(slog.DiscardHandler)
	agent, err := load().Build(t.Context(), discard, nil)
	require.NoError(t, err)
	for _, name := range []string{
		"agent.yaml", ".env", "prompt.md", "schema.json", "context.json", "rules.yaml", "in/inner.yaml", "in/rules.yaml", "skills/s",
	} {
		require.True(t, used[filepath.Join(dir, name)], name)
	}
	require.Len(t, used, 9)
	says := func(want string) {
		t.Helper()
		result, err := agent.Run(t.Context(), host.Input{Thread: t.Name() + want, Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
		require.Equal(t, want, result.Answer())
	}

	write("agent.yaml", "apiVersion: agenthost/v1\ndescription: new\ncheckpoint: sqlite:b.db\nmodel: {provider: scripted, rules: rules.yaml}\n")
	require.NoError(t, load().Replace(t.Context(), agent, discard, nil))
	require.Equal(t, "new", agent.Description)
	says("one")
	require.FileExists(t, filepath.Join(dir, "b.db"))
	write("rules.yaml", "rules: [{when: '', say: two}]\n")
	says("one")
	require.NoError(t, load().Replace(t.Context(), agent, discard, nil))
	says("two")
	write("agent.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\nmiddleware: [{plugin: none.wasm}]\n")
	err = load().Replace(t.Context(), agent, discard, nil)
	require.ErrorContains(t, err, "agent.yaml:3")
	require.ErrorContains(t, err, "none.wasm")
	require.True(t, used[filepath.Join(dir, "none.wasm")])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, load().Replace(ctx, agent, discard, nil))
	says("two")
	require.NoError(t, agent.Close())
}
