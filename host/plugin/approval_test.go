package plugin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/host/tool"
)

// A plugin's approval is a question that people can decide, with the decisions that the plugin allows.
func TestAPluginAsksAboutAToolCall(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		decision question.Decision
		answer   string
		paid     []string
	}{
		"approve": {question.Decision{Type: question.Approve}, "paid", []string{`{"sum":250}`}},
		"edit": {
			question.Decision{Type: question.Edit, Args: wire.Map{{Key: "sum", Value: wire.Int(1)}}.Raw()}, "paid", []string{`{"sum":1}`},
		},
		"reject": {
			question.Decision{Type: question.Reject, Message: new("no")}, "User rejected the tool call for `pay` with reason: no", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var paid []string
			agent, err := host.New(host.Config{
				Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "pay", map[string]any{"sum": 250})), scripted.Say("done")),
				State: []host.Field{{Name: "todos"}},
				Tools: []host.Tool{tool.Raw(abi.ToolSpec{Name: "pay"}, func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
					paid = append(paid, call.Args.JSON())
					return host.TextOutput("paid"), nil
				})},
				Middleware: []host.Middleware{plugin.Wasm{
					ID: "lab", Bytes: tinyGuest(t, "lab"), Engine: compiled, Grant: plugin.Grant{Reads: []string{"todos"}, Writes: []string{"todos"}},
				}},
				Checkpointer: memory.New(),
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, agent.Close()) }()
			result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
			require.NoError(t, err)
			require.Equal(t, host.Interrupted, result.Status)

			questions := question.OfResult(result)
			require.Equal(t, question.Approval, questions[0].Kind)
			asked := questions[0].Calls[0]
			require.Equal(t, "pay 1 Pays.", asked.Name+" "+asked.ID+" "+asked.Description)
			require.Equal(t, []question.Type{question.Approve, question.Edit, question.Reject}, asked.Allowed)
			sheet := question.NewSheet(questions)
			require.NoError(t, sheet.Decide("1", test.decision))
			answers, err := sheet.Answers("ada")
			require.NoError(t, err)

			result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: answers})

			require.NoError(t, err)
			require.Equal(t, test.answer, result.Messages.At(2).Content.Text())
			require.Equal(t, test.paid, paid)
		})
	}
}
