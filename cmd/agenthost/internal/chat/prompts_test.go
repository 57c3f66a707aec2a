package chat_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/host/tool/mcp"
)

// library is a server of prompts.
type library struct {
	name    string
	prompts []mcp.Prompt
	err     error
}

func (l *library) Name() string { return l.name }

func (l *library) Prompts(context.Context) ([]mcp.Prompt, error) { return l.prompts, l.err }

func (l *library) GetPrompt(_ context.Context, name string, arguments map[string]string) ([]abi.Message, error) {
	return []abi.Message{abi.Human("first"), abi.AI("yes?"), abi.Human(fmt.Sprintf("%s %q", name, arguments["file"]))}, nil
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	b := setup(t, rules(t))
	require.Equal(t, "· there are no prompts: no MCP server of the agent offers any\n", b.says(t, "/prompt"))
	files := &library{name: "fs", prompts: []mcp.Prompt{
		{Name: "review", Description: "Reviews a file.\x1b[2J\nWith care.", Arguments: []mcp.PromptArgument{{Name: "file", Required: true}, {Name: "tone"}}},
		{Name: "rest"},
	}}
	down := &library{name: "down", err: errors.New("the server is down")}
	b.PromptServers = func() []chat.PromptServer { return []chat.PromptServer{files, down} }
	require.Equal(t, "  fs:review file=… [tone=…]  Reviews a file. [2J\n  fs:rest  \nerror: the server is down\n", b.says(t, "/prompt"))
	require.Equal(t, "· sends: first\n· sends, as the assistant: yes?\n· sends: review \"a b.go\"\nyes?\nYou said review \"a b.go\"\n", b.says(t, `/prompt fs:review file="a b.go"`))
	posing := &library{name: "posing", prompts: []mcp.Prompt{{Name: "fs:rest"}}}
	b.PromptServers = func() []chat.PromptServer { return []chat.PromptServer{posing, files, down} }
	require.Contains(t, b.says(t, "/prompt fs:rest"), "· sends: rest \"\"\n", "the name of a server comes first")
	at, err := b.Agent.State(t.Context(), "ada", 0)
	require.NoError(t, err)
	require.Equal(t, 8, at.Messages.Len())
	for line, want := range map[string]string{
		"/prompt fs:revie file=a":     "did you mean fs:review?",
		"/prompt fs:review":           "the argument file is missing; write /prompt fs:review file=… [tone=…]",
		"/prompt fs:review path=a":    `"path" is not an argument of the prompt`,
		"/prompt fs:review a":         `"a" is not an argument of the prompt`,
		`/prompt fs:review file="a b`: "a quote is not closed",
	} {
		require.Contains(t, b.says(t, line), want)
	}
	for line, want := range map[string][]string{"/prompt fs:rev": {"fs:review "}, "/prompt fs:re": {"fs:review ", "fs:rest"}, "/prompt x": nil} {
		from, choices := b.Complete(line)
		require.Equal(t, want, choices, line)
		require.Equal(t, len("/prompt "), from)
	}
}
