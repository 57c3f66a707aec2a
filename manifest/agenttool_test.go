package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/manifest"
)

// folder writes manifests, without their first lines, into a folder, and returns the path of the first.
func folder(t *testing.T, files ...[2]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file[0]), []byte("apiVersion: agenthost/v1\n"+file[1]), 0o600))
	}
	return filepath.Join(dir, files[0][0])
}

const askResearcher = `model: {provider: scripted, turns: [{tool_calls: [{id: "1", name: research, args: {prompt: the sea}}]}, {content: done}]}
tools:
  - agent: {file: ./researcher.yaml, name: research, description: Finds things out.}
`

func built(t *testing.T, path string) (*manifest.Agent, error) {
	t.Helper()
	m, err := manifest.Load(path, manifest.Options{})
	if err != nil {
		return nil, err
	}
	agent, err := m.Build(t.Context(), nil, nil)
	if err == nil {
		t.Cleanup(func() { require.NoError(t, agent.Close()) })
	}
	return agent, err
}

func TestAnAgentOfAnotherManifestIsATool(t *testing.T) {
	t.Parallel()
	path := folder(t, [2]string{"agenthost.yaml", askResearcher},
		[2]string{"researcher.yaml", "model: {provider: scripted, turns: [{content: It is salty.}]}\n"})
	agent, err := built(t, path)
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("Go.")}})
	require.NoError(t, err)
	answer := result.Messages.At(2)
	require.Equal(t, "It is salty.", answer.Content.Text())
	require.Equal(t, "done", result.Text())
}

// What the inner agent asks is asked in the thread of the outer one; its own thread is in the same database.
func TestAnAgentOfAnotherManifestAsks(t *testing.T) {
	t.Parallel()
	path := folder(t,
		[2]string{"agenthost.yaml", strings.Replace(askResearcher, "turns: [", "rules: outer.yaml} #", 1) + "checkpoint: sqlite:threads.db\n"},
		[2]string{"researcher.yaml", `model: {provider: scripted, rules: inner.yaml}
tools: [{files: {root: .}}]
middleware:
  - human_in_the_loop: {interrupt_on: {list_files: true}}
`})
	for name, rules := range map[string]string{
		"outer.yaml": "rules: [{from: human, when: '', call: [{name: research, args: {prompt: the sea}}]}, {when: '', say: done}]",
		"inner.yaml": "rules: [{from: human, when: '', call: [{name: list_files, args: {}}]}, {when: '', say: There is nothing.}]",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(rules), 0o600))
	}
	agent, err := built(t, path)
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Go.")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Contains(t, result.Interrupts[0].Value.JSON(), "list_files")
	threads, err := agent.Threads.Find(t.Context(), checkpoint.Query{})
	require.NoError(t, err)
	require.Len(t, threads, 2)

	again, err := built(t, path) // another process
	require.NoError(t, err)
	result, err = again.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: map[string]any{"decisions": []any{map[string]any{"type": "approve"}}}}}})
	require.NoError(t, err)
	answer := result.Messages.At(2)
	require.Equal(t, "There is nothing.", answer.Content.Text())
}

func TestAgentsThatCannotBeTools(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files [][2]string
		says  []string
	}{
		"missing file": {[][2]string{{"agenthost.yaml", askResearcher}}, []string{"agenthost.yaml:4:19", "researcher.yaml: there is no such file", "a manifest"}},
		"itself":       {[][2]string{{"researcher.yaml", askResearcher}}, []string{"researcher.yaml:4:19", "use each other as tools in a circle", " → "}},
		"each other": {[][2]string{{"agenthost.yaml", askResearcher}, {"researcher.yaml", "model: {provider: scripted, echo: true}\n" +
			"tools: [{agent: {file: ./agenthost.yaml, name: a, description: b}}]\n"}}, []string{"researcher.yaml:3:24", "in a circle"}},
		"mistake in it": {
			[][2]string{{"agenthost.yaml", askResearcher}, {"researcher.yaml", "model: {provider: scripted, echo: true}\nmidleware: []\n"}},
			[]string{"researcher.yaml:3:1", `did you mean "middleware"?`},
		},
		"no name": {
			[][2]string{{"agenthost.yaml", "model: {provider: scripted, echo: true}\ntools: [{agent: {file: x.yaml, description: b}}]\n"}},
			[]string{"agenthost.yaml:3:17", `"name"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := built(t, folder(t, test.files...))
			for _, text := range test.says {
				require.ErrorContains(t, err, text)
			}
		})
	}
}
