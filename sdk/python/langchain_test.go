package python_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/sdk/python"
)

// talker is a model that says what it was asked, after failing a number of times.
type talker struct {
	name     string
	failures *int
}

func (m talker) Info() model.Info { return model.Info{Name: m.name} }

func (m talker) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if m.failures != nil && *m.failures > 0 {
		*m.failures--
		return nil, errors.New("overloaded")
	}
	last, _ := req.Messages.Last()
	if last.Content.Text() == "search" {
		return model.Reply(abi.AI("", abi.Call("call-1", "search", map[string]any{"q": "x"}))), nil
	}
	tools := make([]string, len(req.Tools))
	for i, t := range req.Tools {
		tools[i] = t.Name
	}
	return model.Reply(abi.AI(strings.Join([]string{m.name, last.Content.Text(), req.System.Text(), strings.Join(tools, "+")}, "|"))), nil
}

// Ports of ten examples after LangChain's documentation for custom middleware. The first line of each says how many lines the move
// changed, as counted by its author: the originals are not here to compare with.
func TestMiddlewareOfLangChain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		messages []string
		failures int
		want     string
		logged   []string
	}{
		"01_message_limit":       {[]string{"a", "b", "c"}, 0, "Conversation limit reached.", nil},
		"02_message_limit_class": {[]string{"a", "b"}, 0, "main|b|Be brief.|search+delete", []string{`msg="Model returned: main|b|Be brief.|search+delete"`}},
		"03_retry":               {[]string{"a"}, 2, "main|a|Be brief.|search+delete", []string{`msg="Retry 1/3 after error: `, `msg="Retry 2/3 after error: `}},
		"04_retry_class":         {[]string{"a"}, 2, "main|a|Be brief.|search+delete", []string{`msg="Retry 2/3 after error: `}},
		"05_custom_state":        {[]string{"a"}, 0, "main|a|Be brief.|search+delete", nil},
		"06_dynamic_model":       {[]string{"a", "b"}, 0, "large|b|Be brief.|search+delete", nil},
		"07_tool_monitoring": {
			[]string{"search"},
			0, "main|a needle|Be brief.|search+delete",
			[]string{`msg="Executing tool: search"`, `msg="Arguments: {'q': 'x'}"`, `msg="Tool completed successfully"`},
		},
		"08_select_tools":   {[]string{"a"}, 0, "main|a|Be brief.|search", nil},
		"09_system_message": {[]string{"a"}, 0, "main|a|Be brief.Additional context.|search+delete", nil},
		"10_blocked":        {[]string{"BLOCKED"}, 0, "I cannot respond to that request.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(filepath.Join("testdata", "langchain", name+".py"))
			require.NoError(t, err)
			require.Regexp(t, `^# changed: [1-3]\n`, string(source))
			module, err := python.Plugin(python.Script{File: "x.py", Files: map[string]string{"x.py": string(source)}})
			require.NoError(t, err)
			var logged strings.Builder
			answer := func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				return host.TextOutput("a needle"), nil
			}
			agent, err := host.New(host.Config{
				Model: talker{"main", &test.failures}, Models: map[string]model.Model{"large": talker{name: "large"}, "small": talker{name: "small"}},
				SystemPrompt: abi.Text("Be brief."), Logger: slog.New(slog.NewTextHandler(&logged, nil)),
				Tools:      []host.Tool{tool.Raw(abi.ToolSpec{Name: "search"}, answer), tool.Raw(abi.ToolSpec{Name: "delete"}, answer)},
				Middleware: []host.Middleware{plugin.Wasm{ID: "x", Bytes: module, Engine: compiled, Limits: plugin.Limits{Deadline: time.Minute}}},
			})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, agent.Close()) })
			messages := make([]abi.Message, len(test.messages))
			for i, text := range test.messages {
				messages[i] = abi.Human(text)
			}
			result, err := agent.Run(t.Context(), host.Input{Messages: messages})
			require.NoError(t, err)
			require.Equal(t, test.want, text(t, result))
			for _, line := range test.logged {
				require.Contains(t, logged.String(), line)
			}
		})
	}
}
