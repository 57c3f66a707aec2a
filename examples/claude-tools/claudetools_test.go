//go:build unix

// Package claudetools_test runs the example, in a copy, with a server in the place of Anthropic's.
package claudetools_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// claude is a server that speaks Anthropic's API and gives these answers, in turn.
type claude struct {
	mu      sync.Mutex
	answers [][]map[string]any
	asked   []request
}

type request struct {
	System json.RawMessage `json:"system"`
	Tools  []struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tools"`
}

func (c *claude) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var asked request
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(c.answers) == 0 {
		http.Error(w, "there is no answer left", http.StatusTeapot)
		return
	}
	c.asked = append(c.asked, asked)
	reason := "end_turn"
	for _, block := range c.answers[0] {
		if block["type"] == "tool_use" {
			reason = "tool_use"
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ //nolint:errchkjson // the client would notice
		"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": c.answers[0], "stop_reason": reason,
		"usage": map[string]any{"input_tokens": 1, "output_tokens": 1},
	})
	c.answers = c.answers[1:]
}

func use(id, tool string, input map[string]any) map[string]any {
	return map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}
}

func TestClaudeUsesItsTools(t *testing.T) {
	t.Parallel()
	server := &claude{answers: [][]map[string]any{
		{
			use("toolu_1", "memory", map[string]any{"command": "create", "path": "/memories/ada.md", "file_text": "likes short answers"}),
			use("toolu_2", "bash", map[string]any{"command": "wc -l < words.txt"}),
		},
		{use("toolu_3", "str_replace_based_edit_tool", map[string]any{"command": "create", "path": "/count.txt", "file_text": "3\n"})},
		{{"type": "text", "text": "3"}},
		{use("toolu_4", "memory", map[string]any{"command": "view", "path": "/memories/ada.md"})},
		{{"type": "text", "text": "short answers"}},
	}}
	api := httptest.NewServer(server)
	defer api.Close()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(".")))
	for _, left := range []string{"agent.db", "agent.db-shm", "agent.db-wal", "workspace/count.txt"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, left)))
	}
	environment := map[string]string{"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": api.URL}
	m, err := manifest.Load(filepath.Join(dir, "agenthost.yaml"), manifest.Options{
		LookupEnv: func(name string) (string, bool) { value, ok := environment[name]; return value, ok },
	})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()

	result, err := agent.Run(t.Context(), host.Input{Thread: "ada", Messages: []abi.Message{abi.Human("Count, and remember that I like short answers.")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status, "a person looks at the command first")
	approved, err := host.Encode(builtin.Decisions{Decisions: []builtin.Decision{{Type: builtin.Approve}}})
	require.NoError(t, err)
	result, err = agent.Run(t.Context(), host.Input{Thread: "ada", Resume: []host.Answer{{Value: approved}}})
	require.NoError(t, err)
	require.Equal(t, "3", result.Text())
	written, err := os.ReadFile(filepath.Join(dir, "workspace", "count.txt"))
	require.NoError(t, err)
	require.Equal(t, "3\n", string(written))

	result, err = agent.Run(t.Context(), host.Input{Thread: "another", Messages: []abi.Message{abi.Human("What do I like?")}})
	require.NoError(t, err)
	require.Contains(t, result.Messages.At(2).Content.Text(), "likes short answers", "memories outlive the thread")

	var types []string
	for _, tool := range server.asked[0].Tools {
		types = append(types, tool.Type)
	}
	require.ElementsMatch(t, []string{"memory_20250818", "text_editor_20250728", "bash_20250124"}, types)
	require.Contains(t, string(server.asked[0].System), "Write files with the editor instead of shell commands.")
}
