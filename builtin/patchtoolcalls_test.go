package builtin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
)

// transcript makes messages of what [lines] shows of them.
func transcript(rows ...string) []abi.Message {
	out := make([]abi.Message, len(rows))
	for i, row := range rows {
		role, rest, _ := strings.Cut(row, " ")
		out[i].Role = abi.Role(role)
		switch out[i].Role {
		case abi.RoleTool:
			id, text, _ := strings.Cut(rest, " ")
			out[i].ToolCallID, out[i].Content = id, abi.Text(text)
		case abi.RoleAI:
			for field := range strings.FieldsSeq(rest) {
				if name, id, malformed := strings.Cut(field, "?"); malformed {
					out[i].InvalidToolCalls = append(out[i].InvalidToolCalls, abi.InvalidToolCall{ID: id, Name: name, Error: "no JSON"})
				} else {
					out[i].ToolCalls = append(out[i].ToolCalls, calls(field)...)
				}
			}
		case abi.RoleHuman, abi.RoleSystem:
			out[i].Content = abi.Text(rest)
		}
	}
	return out
}

// patch starts a run with a history. It returns the history as the hook left it, whether it wrote, and the warnings.
func patch(t testingT, p builtin.PatchToolCalls, messages []abi.Message) (patched []abi.Message, wrote bool, warnings []string) {
	c := newChat(t, nil, p)
	result, err := c.agent.RunEvents(t.Context(), host.Input{Messages: messages}, func(e host.Event) error {
		switch {
		case e.Type == host.EventHook && e.Step == "patch_tool_calls.before_agent":
			wrote = e.Update != nil
		case e.Type == host.EventWarn:
			warnings = append(warnings, e.Text)
		}
		return nil
	})
	require.NoError(t, err)
	patched = result.Messages.Messages()
	return patched[:len(patched)-1], wrote, warnings // without the model's answer
}

func open(name, id string) string {
	return "tool " + id + "! Tool call " + name + " with id " + id +
		" did not complete - no result was recorded. It may have been cancelled or interrupted."
}

func malformed(name, id string) string {
	return "tool " + id + "! Tool call " + name + " with id " + id + " could not be executed - arguments were malformed or truncated."
}

func TestPatchToolCalls(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		history []string
		want    []string
	}{
		{
			"answers an open call directly behind its message",
			[]string{"system be kind", "human a", "ai search:1", "human b"},
			[]string{"system be kind", "human a", "ai search:1", open("search", "1"), "human b"},
		},
		{
			"answers the last message's open calls",
			[]string{"human a", "ai search:1 calc:2"},
			[]string{"human a", "ai search:1 calc:2", open("search", "1"), open("calc", "2")},
		},
		{
			"answers what is missing before the answers that are there",
			[]string{"ai search:1 calc:2 search:3", "tool 2 found", "human b"},
			[]string{"ai search:1 calc:2 search:3", open("search", "1"), open("search", "3"), "tool 2 found", "human b"},
		},
		{
			"answers open calls of several turns",
			[]string{"ai search:1", "human b", "ai", "ai calc:2", "human c"},
			[]string{"ai search:1", open("search", "1"), "human b", "ai", "ai calc:2", open("calc", "2"), "human c"},
		},
		{
			"answers malformed calls behind the others",
			[]string{"ai search?1 calc:2", "human b"},
			[]string{"ai calc:2 search?1", open("calc", "2"), malformed("search", "1"), "human b"},
		},
		{
			"answers a call without a name",
			[]string{"ai ?1 :2"},
			[]string{"ai :2 ?1", open("unknown", "2"), malformed("unknown", "1")},
		},
		{
			"does not take the answer of an earlier turn for that of a repeated id",
			[]string{"ai search:1", "tool 1 found", "human b", "ai search:1", "human c"},
			[]string{"ai search:1", "tool 1 found", "human b", "ai search:1", open("search", "1"), "human c"},
		},
		{
			"does not take the answer of a later turn for that of a repeated id",
			[]string{"ai search:1", "human b", "ai search:1", "tool 1 found", "human c"},
			[]string{"ai search:1", open("search", "1"), "human b", "ai search:1", "tool 1 found", "human c"},
		},
		{
			"moves an answer behind its call",
			[]string{"ai search:1 calc:2", "tool 2 x", "human b", "tool 1 y", "human c"},
			[]string{"ai search:1 calc:2", "tool 2 x", "tool 1 y", "human b", "human c"},
		},
		{
			"moves an answer behind its call and answers the other",
			[]string{"ai search:1 calc:2", "human b", "ai", "tool 2 late"},
			[]string{"ai search:1 calc:2", open("search", "1"), "tool 2 late", "human b", "ai"},
		},
		{
			"leaves a call without an id",
			[]string{"ai search: calc:1", "human b"},
			[]string{"ai search: calc:1", open("calc", "1"), "human b"},
		},
		{
			"answers an id that two calls share once",
			[]string{"ai search:1 search:1"},
			[]string{"ai search:1 search:1", open("search", "1")},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			messages := transcript(test.history...)

			patched, wrote, warnings := patch(t, builtin.PatchToolCalls{}, messages)

			require.Equal(t, test.want, lines(history.Of(patched...)))
			require.True(t, wrote)
			require.Empty(t, warnings)
			for _, m := range patched {
				require.NotEmpty(t, m.ID)
				if m.Failed() {
					require.NotEmpty(t, m.Name)
				}
			}
			again, wrote, _ := patch(t, builtin.PatchToolCalls{}, patched)
			require.False(t, wrote, "the second time there is nothing to do")
			require.Equal(t, patched, again)
		})
	}
}

func TestPatchToolCallsWritesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		history []string
	}{
		{"into an empty history", nil},
		{"where nothing was called", []string{"system x", "human a", "ai", "human b"}},
		{"where all is answered", []string{"ai search:1 calc:2", "tool 2 x", "tool 1 y", "human b", "ai search:1", "tool 1 z"}},
		{"where malformed calls are answered", []string{"ai search?1", "tool 1 x", "ai search?2 calc:3", "tool 2 x", "tool 3 y"}},
		{"for calls without an id", []string{"ai search: calc?", "human b"}},
		{"for an id that two calls share", []string{"ai search:1 search:1", "tool 1 x", "ai search:1 search:1", "tool 1 x", "tool 1 y"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			patched, wrote, warnings := patch(t, builtin.PatchToolCalls{}, transcript(test.history...))
			require.Equal(t, lines(history.Of(transcript(test.history...)...)), lines(history.Of(patched...)))
			require.False(t, wrote)
			require.Empty(t, warnings)
		})
	}
}

func TestPatchToolCallsRemovesAnswersToNoOpenCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		history []string
		want    []string
		warning string
	}{
		{
			"without a call",
			[]string{"human a", "tool 9 x", "ai search:1", "tool 1 y", "tool 8 z"},
			[]string{"human a", "ai search:1", "tool 1 y"},
			"patch_tool_calls: removed tool messages that answer no open call from the history; their tool_call_ids: 9, 8",
		},
		{
			"of a call that is answered",
			[]string{"ai search:1", "tool 1 x", "human b", "tool 1 y"},
			[]string{"ai search:1", "tool 1 x", "human b"},
			"patch_tool_calls: removed tool messages that answer no open call from the history; their tool_call_ids: 1",
		},
		{
			"of a call that is answered, directly behind the answer",
			[]string{"ai search:1", "tool 1 x", "tool 1 y"},
			[]string{"ai search:1", "tool 1 x"},
			"patch_tool_calls: removed tool messages that answer no open call from the history; their tool_call_ids: 1",
		},
		{
			"before their call",
			[]string{"tool 1 x", "ai search:1", "human b"},
			[]string{"ai search:1", open("search", "1"), "human b"},
			"patch_tool_calls: removed tool messages that answer no open call from the history; their tool_call_ids: 1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			patched, wrote, warnings := patch(t, builtin.PatchToolCalls{}, transcript(test.history...))
			require.Equal(t, test.want, lines(history.Of(patched...)))
			require.True(t, wrote)
			require.Equal(t, []string{test.warning}, warnings)
		})
	}
}

func TestPatchToolCallsKeepsMessagesAsTheyAre(t *testing.T) {
	t.Parallel()
	messages := transcript("human a", "ai search:1 calc:2", "tool 2 x", "human b")
	for i := range messages {
		messages[i].ID = string(rune('a' + i))
		messages[i].Name = "name"
	}
	messages[1].Usage = &abi.Usage{InputTokens: 1}

	patched, _, _ := patch(t, builtin.PatchToolCalls{}, messages)

	require.Len(t, patched, 5)
	require.Equal(t, messages[:2], patched[:2])
	require.Equal(t, messages[2:], patched[3:])
}

func TestPatchToolCallsTemplates(t *testing.T) {
	t.Parallel()
	patched, _, _ := patch(t, builtin.PatchToolCalls{
		Content:        `{"cancelled": "{tool}", "id": "{id}"}`,
		InvalidContent: "{tool}/{id}: {error}",
	}, transcript("ai {id}:1 calc?2"))
	require.Equal(t, []string{`tool 1! {"cancelled": "{id}", "id": "1"}`, "tool 2! calc/2: no JSON"}, lines(history.Of(patched[1:]...)))
}

func TestPatchToolCallsConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config builtin.PatchToolCalls
		want   string
	}{
		{"refuses an unknown placeholder", builtin.PatchToolCalls{Content: "{name}"}, "content has no placeholder {name}; use {tool}, {id}"},
		{
			"refuses an unknown placeholder of malformed calls",
			builtin.PatchToolCalls{InvalidContent: "{message}"},
			"invalid_content has no placeholder {message}; use {tool}, {id}, {error}",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := test.config.Hooks(t.Context(), host.Env{})
			require.EqualError(t, err, test.want)
		})
	}
}
