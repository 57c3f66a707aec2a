package builtin_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

type contact struct {
	Mail string `json:"mail"`
}

// An answer that is a value is redacted wherever it stands: in the result, in the call that brings it, in the answer to that, and
// in a text of the provider.
func TestPIIInAnswersThatAreValues(t *testing.T) {
	t.Parallel()
	for strategy, answer := range map[model.Strategy]scripted.Turn{
		model.StrategyTool:     scripted.CallTools(abi.Call("1", "contact", map[string]any{"mail": "ann@example.com"})),
		model.StrategyProvider: scripted.Say(`{"mail": "ann@example.com"}`),
	} {
		for _, test := range []struct {
			config   builtin.PII
			redacted bool
		}{
			{builtin.PII{PIIType: "email", ApplyToOutput: true}, true},
			{builtin.PII{PIIType: "email", ApplyToToolCalls: true}, strategy == model.StrategyTool},
			{builtin.PII{PIIType: "email"}, false},
		} {
			t.Run(fmt.Sprintf("%s, %t %t", strategy, test.config.ApplyToOutput, test.config.ApplyToToolCalls), func(t *testing.T) {
				t.Parallel()
				format := host.Respond[contact]()
				format.Strategy = strategy
				agent, err := host.New(host.Config{
					Model: scripted.NewTurns(answer), Middleware: []host.Middleware{test.config}, ResponseFormat: format,
				})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, agent.Close()) })
				result, err := agent.Run(t.Context(), start("who?"))
				require.NoError(t, err)
				said := result.Structured.JSON()
				for _, m := range result.Messages.All() {
					said += m.Content.Text()
					for i := range m.ToolCalls {
						said += m.ToolCalls[i].Args.JSON()
					}
				}
				if !test.redacted {
					require.Contains(t, said, "ann@example.com")
					return
				}
				require.NotContains(t, said, "ann@example.com")
				require.JSONEq(t, `{"mail":"[REDACTED_EMAIL]"}`, result.Structured.JSON())
			})
		}
	}
	blocking := builtin.PII{PIIType: "email", ApplyToOutput: true, Strategy: "block"}
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.CallTools(abi.Call("1", "contact", map[string]any{"mail": "ann@example.com"}))),
		Middleware: []host.Middleware{blocking}, ResponseFormat: host.Respond[contact](),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	_, err = agent.Run(t.Context(), start("who?"))
	require.ErrorAs(t, err, new(*builtin.PIIError))
}
