package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// The API refuses a turn with calls that begins without a thought while thinking is on.
func TestThinkingIsOffInATurnThatBeganWithout(t *testing.T) {
	t.Parallel()
	call := abi.Call("A", "time", nil)
	thought := abi.Message{
		Role: abi.RoleAI, Content: abi.Blocks(abi.ReasoningBlock("hm", "c2ln")), ToolCalls: []abi.ToolCall{call},
		Meta: wire.Map{{Key: "provider", Value: wire.String("anthropic")}},
	}
	other := thought
	other.Meta = wire.Map{{Key: "provider", Value: wire.String("openai")}}
	result := abi.ToolResult(call, "noon")
	const on, adaptive, off = `{"type":"enabled","budget_tokens":1024}`, `{"type":"adaptive"}`, `{"type":"disabled"}`
	for name, test := range map[string]struct {
		setting  string
		messages []abi.Message
		want     string
	}{
		"its own turn":                     {on, []abi.Message{thought, result}, on},
		"another provider's":               {on, []abi.Message{other, result}, off},
		"a turn that thought later":        {on, []abi.Message{other, result, thought, result}, on},
		"a turn that no longer thinks":     {on, []abi.Message{thought, result, other, result}, off},
		"the turn after":                   {on, []abi.Message{other, result, abi.AI("noon"), abi.Human("thanks")}, on},
		"a turn without calls":             {on, []abi.Message{abi.AI("noon"), abi.Human("thanks")}, on},
		"the beginning":                    {on, nil, on},
		"a model that decides":             {adaptive, []abi.Message{other, result}, adaptive},
		"thinking is off":                  {off, []abi.Message{thought, result}, off},
		"an answer to a call that is gone": {on, []abi.Message{result}, on},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answers(plain))
			m := s.model(t)
			m.Settings = settings(t, `{"thinking":`+test.setting+`}`)
			req := request(append([]abi.Message{abi.Human("hi")}, test.messages...)...)
			req.Tools, req.ToolChoice = []abi.ToolSpec{{Name: "time"}}, "any"
			_, err := m.Generate(t.Context(), req)
			require.NoError(t, err)
			body := s.last(t)
			require.Equal(t, value(t, test.want), body["thinking"])
			if test.want != off {
				require.Equal(t, value(t, `{"type":"auto"}`), body["tool_choice"], "a model that thinks cannot be forced")
				return
			}
			require.Equal(t, value(t, `{"type":"any"}`), body["tool_choice"])
			require.NotContains(t, string(s.requests[0].body), "c2ln", "the API refuses thoughts while thinking is off")
		})
	}
}
