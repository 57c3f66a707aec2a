package manifest_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/manifest"
)

// files writes files into a directory.
func files(t *testing.T, dir string, content map[string]string) {
	t.Helper()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// TestPathsOutOfACopyLeadToTheOriginal also covers a manifest that the first one uses.
func TestPathsOutOfACopyLeadToTheOriginal(t *testing.T) {
	t.Parallel()
	original, elsewhere := t.TempDir(), t.TempDir()
	files(t, original, map[string]string{"shared/prompt.md": "shared", "agent/own.md": "of the original"})
	files(t, elsewhere, map[string]string{
		"copy/own.md": "of the copy",
		"copy/agenthost.yaml": head + "model: {provider: scripted, echo: true}\nsystem_prompt: {file: own.md}\n" +
			"tools: [{agent: {file: inner/agenthost.yaml, name: ask, description: asks}}]\n",
		"copy/inner/agenthost.yaml": head + "model: {provider: scripted, echo: true}\nsystem_prompt: {file: ../../shared/prompt.md}\n",
	})
	var used []string
	m, err := manifest.Load(filepath.Join(elsewhere, "copy", "agenthost.yaml"), manifest.Options{
		CopyOf: filepath.Join(original, "agent"), Used: func(path string) { used = append(used, path) },
	})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	require.Contains(t, used, filepath.Join(elsewhere, "copy", "own.md"))
	require.Contains(t, used, filepath.Join(original, "shared", "prompt.md"))
}

// TestModelsCanBeReplaced also covers models of agents that are tools, and models that the manifest could not build without a key.
func TestModelsCanBeReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files(t, dir, map[string]string{
		"agenthost.yaml": head + "model: openai:gpt-x\nmodels: {small: {provider: scripted, echo: true}}\n" +
			"tools: [{agent: {file: inner.yaml, name: ask, description: asks}}]\n",
		"inner.yaml": head + "model: anthropic:claude-x\n",
	})
	type entry struct {
		key             string
		scripted, inner bool
	}
	var entries []entry
	replace := func(of *manifest.ModelEntry) (model.Model, error) {
		entries = append(entries, entry{of.Key, of.Scripted, of.Inner})
		if of.Scripted {
			return of.Build()
		}
		return scripted.NewTurns(scripted.Say("in place of " + filepath.Base(of.Manifest))), nil
	}
	m, err := manifest.Load(filepath.Join(dir, "agenthost.yaml"), manifest.Options{Model: replace})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	require.Equal(t, []entry{{"model", false, false}, {"models.small", true, false}, {"model", false, true}}, entries)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, "in place of agenthost.yaml", result.Text())

	m, err = manifest.Load(filepath.Join(dir, "agenthost.yaml"), manifest.Options{
		Model: func(*manifest.ModelEntry) (model.Model, error) { return nil, errors.New("no model") },
	})
	require.NoError(t, err)
	_, err = m.Build(t.Context(), nil, nil)
	require.ErrorContains(t, err, "agenthost.yaml:2:8")
	require.ErrorContains(t, err, "no model")
}
