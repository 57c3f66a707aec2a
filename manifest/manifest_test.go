package manifest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

const head = "apiVersion: agenthost/v1\n"

// setup writes files into a directory of the test; the first is the manifest, whose path it returns.
func setup(t *testing.T, text string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "agenthost.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	for name, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return path
}

// build loads and builds a manifest that is right.
func build(t *testing.T, path string, options manifest.Options) *manifest.Agent {
	t.Helper()
	m, err := manifest.Load(path, options)
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

func ask(t *testing.T, agent *manifest.Agent) *host.Result {
	t.Helper()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	return result
}

func TestNameAndPromptReachTheModel(t *testing.T) {
	t.Parallel()
	for name, prompt := range map[string]string{
		"text": "system_prompt: Be brief.\n", "file": "system_prompt: {file: prompts/p.md}\n",
		"blocks": "system_prompt: [{type: text, text: 'Be '}, {type: text, text: brief., cache_control: {type: ephemeral}}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := setup(t, head+"name: bot\nmodel: {provider: scripted, echo: true}\n"+prompt, map[string]string{"prompts/p.md": "Be brief."})
			result := ask(t, build(t, path, manifest.Options{}))
			require.Equal(t, "Be brief.-hi", result.Text())
			require.Equal(t, "bot", result.Messages.At(1).Name)
		})
	}
}

func TestBlocksOfASystemPromptKeepTheirKeys(t *testing.T) {
	t.Parallel()
	var sent map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&sent)
		_, _ = io.WriteString(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn"}`)
	}))
	defer server.Close()
	path := setup(t, head+"model: {provider: anthropic, name: m, stream: false, base_url: '"+server.URL+"'}\n"+
		"system_prompt: [{type: text, text: Be brief., cache_control: {type: ephemeral}}, {type: text, text: Be kind.}]\n", nil)
	ask(t, build(t, path, manifest.Options{LookupEnv: func(string) (string, bool) { return "", false }}))
	require.Equal(t, []any{
		map[string]any{"type": "text", "text": "Be brief.", "cache_control": map[string]any{"type": "ephemeral"}},
		map[string]any{"type": "text", "text": "Be kind."},
	}, sent["system"])

	for _, prompt := range []string{"[Be brief.]", "[{type: text}]", "[{type: image, text: x}]", "[{text: x}]"} {
		path := setup(t, head+"model: {provider: scripted, echo: true}\nsystem_prompt: "+prompt+"\n", nil)
		_, err := manifest.Load(path, manifest.Options{})
		require.ErrorContains(t, err, "system_prompt[0]: a block of the system prompt is a mapping such as {type: text, text: Be brief.", prompt)
	}
}

func TestTurnsOfAScriptedModel(t *testing.T) {
	t.Parallel()
	path := setup(t, head+`model:
  provider: scripted
  turns:
    - {content: looking, tool_calls: [{name: read_file, args: {path: a.txt, offset: 2}}]}
    - {content: done}
tools:
  - files: {root: data}
`, map[string]string{"data/a.txt": "one\ntwo\n"})
	result := ask(t, build(t, path, manifest.Options{}))
	require.Equal(t, "done", result.Text())
	call := result.Messages.At(1).ToolCalls[0]
	require.Equal(t, "call-1-1", call.ID)
	require.Equal(t, `{"offset":2,"path":"a.txt"}`, call.Args.JSON())
	answer := result.Messages.At(2)
	require.Contains(t, answer.Content.Text(), "two")
	require.NotContains(t, answer.Content.Text(), "one")
}

func TestWriteFileIsThereOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	for _, write := range []bool{false, true} {
		t.Run(fmt.Sprint(write), func(t *testing.T) {
			t.Parallel()
			path := setup(t, head+fmt.Sprintf(`model:
  provider: scripted
  turns: [{tool_calls: [{name: write_file, args: {path: b.txt, content: new}}]}, {content: done}]
tools: [{files: {root: data, write: %t}}]
`, write), map[string]string{"data/a.txt": "one"})
			result := ask(t, build(t, path, manifest.Options{}))
			answer := result.Messages.At(2)
			require.Equal(t, !write, answer.Failed(), answer.Content.Text())
			_, err := os.Stat(filepath.Join(filepath.Dir(path), "data", "b.txt"))
			require.Equal(t, write, err == nil)
		})
	}
}

func TestMiddlewareForms(t *testing.T) {
	t.Parallel()
	path := setup(t, head+`model: {provider: scripted, echo: true}
middleware:
  - model_call_limit: {run_limit: 1}
  - model_call_limit: {run_limit: 2}
    id: second
  - model_call_limit: {run_limit: 3}
`, nil)
	graph := build(t, path, manifest.Options{}).Program().Mermaid()
	for _, step := range []string{`"model_call_limit.before_model"`, `"second.before_model"`, `"model_call_limit#2.before_model"`} {
		require.Contains(t, graph, step)
	}
}

func TestEnvironmentAndSet(t *testing.T) {
	t.Parallel()
	path := setup(t, head+"model: {provider: scripted, turns: [{content: '${GREETING:-hello} ${WHO}'}]}\n", nil)
	lookup := func(name string) (string, bool) { return map[string]string{"WHO": "you"}[name], name == "WHO" }
	require.Equal(t, "hello you", ask(t, build(t, path, manifest.Options{LookupEnv: lookup})).Text())
	options := manifest.Options{LookupEnv: lookup, Set: []string{"model.turns[0].content=set"}}
	require.Equal(t, "set", ask(t, build(t, path, options)).Text())

	none := func(string) (string, bool) { return "", false }
	_, err := manifest.Load(path, manifest.Options{LookupEnv: none})
	require.ErrorContains(t, err, "WHO")
}

func TestModelsWithMoreOrLessThanOneScript(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", ", echo: true, rules: r.yaml", ", turns: []"} {
		_, err := manifest.Load(setup(t, head+"model: {provider: scripted"+keys+"}\n", nil), manifest.Options{})
		require.ErrorContains(t, err, "one of the keys turns, rules and echo")
	}
}

func Example() {
	if err := example(); err != nil {
		log.Fatal(err)
	}
	// Output: hello
}

func example() error {
	dir, err := os.MkdirTemp("", "manifest")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "agenthost.yaml")
	text := head + "model: {provider: scripted, turns: [{content: hello}]}\nmiddleware: [{model_call_limit: {run_limit: 5}}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	m, err := manifest.Load(path, manifest.Options{})
	if err != nil {
		return err
	}
	agent, err := m.Build(context.Background(), slog.Default(), nil)
	if err != nil {
		return err
	}
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	fmt.Println(result.Text())
	return errors.Join(err, agent.Close())
}
