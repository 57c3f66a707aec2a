package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// Whatever a client answers, a call under review runs only after a decision that its question allows.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`[{"id":"1","decision":"approve"}]`, `[{"id":"1","decision":"edit","arguments":{"a":1}}]`, `[{"id":"1","decision":"reject","message":"no"}]`,
		`[{"id":"1","value":{"decisions":[{"type":"approve"}]}}]`, `[{"id":"1","decision":null}]`, `[{}]`, `{}`, `[{"id":"ask-1-1","decision":"approve"},{"id":"1"}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var answers []answer
		if jsonbody.Unmarshal([]byte(text), &answers) != nil {
			return
		}
		sheet := question.NewSheet([]*question.Question{{
			ID: "ask-1-1", Kind: question.Approval,
			Calls: []*question.Call{{ID: "1", Ref: "1", Name: "write", Args: wire.Map{}.Raw(), Allowed: []question.Type{question.Reject}}},
		}})
		for i := range answers {
			if answers[i].enter(sheet) != nil {
				return
			}
		}
		given, err := sheet.Answers("x")
		if err != nil {
			return
		}
		for _, a := range given {
			value, err := wire.Of(a.Value)
			require.NoError(t, err)
			require.Contains(t, value.JSON(), `"reject"`)
			require.NotContains(t, value.JSON(), `"approve"`)
		}
	})
}

// A place that comes back from a client names a thread that can exist, or is refused.
func FuzzPlace(f *testing.F) {
	f.Add((&place{Thread: "00000000-0000-4000-8000-000000000001", Questions: []string{"ask-1-1"}}).text())
	f.Add("e30")
	f.Add("\x00")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readPlace(text)
		if err != nil {
			return
		}
		require.Len(t, p.Thread, 36)
		again, err := readPlace(p.text())
		require.NoError(t, err)
		require.Equal(t, p.Thread, again.Thread)
	})
}

// Events of any run lead to lines of plain text.
func FuzzTeller(f *testing.F) {
	for _, e := range []host.Event{
		{Type: host.EventToken, Text: strings.Repeat("a", 100)},
		{Type: host.EventTool, Call: &abi.ToolCall{Name: "x\x1b"}},
		{Type: host.EventTool},
		{Type: host.EventCustom, Name: "n", Data: wire.String("v")},
		{Type: host.EventEnd},
	} {
		text, err := json.Marshal(&e)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var e host.Event
		if json.Unmarshal(text, &e) != nil {
			return
		}
		told := (&teller{}).event(&e)
		if e.Type == host.EventToken {
			return // the model's own text
		}
		for _, message := range told {
			require.NotContains(t, message, "\x1b")
			require.NotContains(t, message, "\n")
		}
	})
}

// Events lead to the messages that people read.
func TestTeller(t *testing.T) {
	t.Parallel()
	var news teller
	var told []string
	call := &abi.ToolCall{ID: "1", Name: "search"}
	for _, e := range []host.Event{
		{Type: host.EventRun},
		{Type: host.EventToken, Text: "I look."},
		{Type: host.EventTool, Call: call},
		{Type: host.EventCustom, Step: "search", Name: "found", Data: wire.String("3")},
		{Type: host.EventTool, Call: call, Messages: []abi.Message{abi.ToolResult(*call, "three")}},
		{Type: host.EventToken, Text: strings.Repeat("x", 79)},
		{Type: host.EventToken, Text: "y"},
		{Type: host.EventToken, Text: "z"},
		{Type: host.EventEnd},
	} {
		told = append(told, news.event(&e)...)
	}
	require.Equal(t, []string{
		"I look.", "calls the tool search", `search: found "3"`, "the tool search has answered", strings.Repeat("x", 79) + "y", "z",
	}, told)
}
