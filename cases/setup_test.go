package cases_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host"
)

// load reads a case from a text.
func load(t *testing.T, text string) (*cases.Case, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "some.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return cases.Load(path)
}

// must reads a case that is valid.
func must(t *testing.T, text string) *cases.Case {
	t.Helper()
	c, err := load(t, text)
	require.NoError(t, err)
	return c
}

// expecting returns a turn with this expectation.
func expecting(t *testing.T, expect string) *cases.Turn {
	t.Helper()
	return &must(t, "turns: [{input: hi, expect: "+expect+"}]").Turns[0]
}

// call is a call of a tool.
func call(id, name string, args map[string]any) abi.ToolCall { return abi.Call(id, name, args) }

// outcome is what came of a turn with two calls, of which the second failed.
func outcome(t *testing.T) *cases.Outcome {
	t.Helper()
	search, remove := call("1", "search", map[string]any{"q": "go", "limit": 5}), call("2", "remove", map[string]any{"path": "a"})
	found, failed := abi.ToolResult(search, "3 pages"), abi.ToolResult(remove, "denied")
	failed.Status = abi.StatusError
	state, err := wire.MapOf(map[string]any{"mood": "calm", "count": 3})
	require.NoError(t, err)
	return &cases.Outcome{
		Status: host.Completed, Answer: `{"city": "Rome", "degrees": 20}`, State: state,
		Messages: []abi.Message{abi.AI("I look.", search, remove), found, failed, abi.AI(`{"city": "Rome", "degrees": 20}`)},
		Used:     cases.Used{ModelCalls: 2, ToolCalls: 2, Steps: 3, Usage: abi.Usage{TotalTokens: 120}},
		Files:    map[string]string{"a.txt": "hello\n"}, Store: map[string]wire.Raw{"facts/sky": wire.String("blue")},
	}
}
