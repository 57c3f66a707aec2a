package cases_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/host/tool"
)

// recorded performs two runs of an agent that writes with permission, and returns their events as a file has them.
func recorded(t *testing.T, decision question.Decision) (events []host.Event) {
	t.Helper()
	writes := func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("written"), nil
	}
	agent, err := host.New(host.Config{
		Name: "writer", Checkpointer: memory.New(), Tools: []host.Tool{tool.Raw(abi.ToolSpec{Name: "write_file"}, writes)},
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("call-1", "write_file", map[string]any{"path": "a"})), scripted.Say("Done:\n- a"), scripted.Say("Bye"),
		),
		Middleware: []host.Middleware{&builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
			"write_file": {AllowedDecisions: []builtin.DecisionType{"approve", "edit", "reject"}},
		}}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	perform := func(in host.Input) *host.Result {
		in.Thread = "t"
		result, err := agent.RunEvents(t.Context(), in, func(e host.Event) error {
			text, err := json.Marshal(e)
			require.NoError(t, err)
			var read host.Event
			require.NoError(t, json.Unmarshal(text, &read))
			events = append(events, read)
			return nil
		})
		require.NoError(t, err)
		return result
	}
	questions := question.OfResult(perform(host.Input{Messages: []abi.Message{abi.Human("write a")}}))
	sheet := question.NewSheet(questions)
	require.NoError(t, sheet.Decide("call-1", decision))
	answers, err := sheet.Answers("")
	require.NoError(t, err)
	perform(host.Input{Resume: answers})
	perform(host.Input{Messages: []abi.Message{abi.Human("thanks")}})
	return events
}

const approved = `description: "It asks."
model:
  turns:
    - tool_calls:
        - name: "write_file"
          id: "call-1"
          args:
            path: "a"
    - content: |-
        Done:
        - a
    - content: "Bye"
tools:
  write_file:
    - args:
        path: "a"
      content: "written"
turns:
  - input: "write a"
    answers:
      - approve: "write_file"
    expect:
      tool_calls:
        - name: "write_file"
          args:
            path: "a"
      message: |-
        Done:
        - a
  - input: "thanks"
    expect:
      tool_calls: []
      message: "Bye"
`

func TestARecordedConversationBecomesACase(t *testing.T) {
	t.Parallel()
	events := recorded(t, question.Decision{Type: question.Approve})
	text, err := cases.FromEvents(events, cases.Options{Description: "It asks.", Stub: func(name string) bool { return name == "write_file" }})
	require.NoError(t, err)
	require.Equal(t, approved, string(text))
	path := filepath.Join(t.TempDir(), "a.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	c, err := cases.Load(path)
	require.NoError(t, err)
	require.Len(t, c.Turns, 2)
}

func TestDecisionsOfARecordedConversation(t *testing.T) {
	t.Parallel()
	args, err := wire.MapOf(map[string]any{"path": "b"})
	require.NoError(t, err)
	no := "not now"
	for name, test := range map[string]struct {
		decision question.Decision
		answer   cases.Answer
	}{
		"edit":   {question.Decision{Type: question.Edit, Args: args.Raw()}, cases.Answer{Edit: "write_file", Args: map[string]any{"path": "b"}}},
		"reject": {question.Decision{Type: question.Reject, Message: &no}, cases.Answer{Reject: "write_file", Message: &no}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := cases.FromEvents(recorded(t, test.decision), cases.Options{Manifest: "../a.yaml"})
			require.NoError(t, err)
			c := must(t, string(text))
			require.Equal(t, "../a.yaml", c.Manifest)
			require.Equal(t, []cases.Answer{test.answer}, c.Turns[0].Answers)
			require.Empty(t, c.Tools)
		})
	}
}

func TestARecordingThatStopsAtAQuestionExpectsIt(t *testing.T) {
	t.Parallel()
	events := recorded(t, question.Decision{Type: question.Approve})
	for i := range events {
		if events[i].Type != host.EventEnd {
			continue
		}
		text, err := cases.FromEvents(events[:i+1], cases.Options{})
		require.NoError(t, err)
		c := must(t, string(text))
		require.Equal(t, "interrupted", c.Turns[0].Expect.Status)
		require.Nil(t, c.Turns[0].Expect.Message)
		return
	}
	t.Fatal("there is no end")
}

func TestARecordingWithoutAnInputIsRefused(t *testing.T) {
	t.Parallel()
	_, err := cases.FromEvents(nil, cases.Options{})
	require.ErrorIs(t, err, cases.ErrNoTurn)
	_, err = cases.FromEvents([]host.Event{{Type: host.EventState}, {Type: host.EventEnd}}, cases.Options{})
	require.ErrorIs(t, err, cases.ErrNoTurn)
}
