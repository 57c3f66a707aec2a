package scripted_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestEcho(t *testing.T) {
	t.Parallel()
	first := []abi.ToolCall{abi.Call("1", "a", nil)}
	m := &scripted.Echo{Calls: [][]abi.ToolCall{first, nil}}

	for i, calls := range [][]abi.ToolCall{first, nil, first} {
		req := request(abi.Human("x"), abi.AI("y"))
		if i > 0 {
			req = req.WithSystem(abi.Text("system"))
		}
		resp, err := m.Generate(t.Context(), req)
		require.NoError(t, err)
		require.Empty(t, resp.AI().ID, "the agent makes a unique one")
		require.Equal(t, calls, resp.AI().ToolCalls)
		require.Equal(t, []string{"x-y", "system-x-y", "system-x-y"}[i], resp.AI().Content.Text())
	}
}

func TestEchoOfNothing(t *testing.T) {
	t.Parallel()
	answer := ask(t, &scripted.Echo{})
	require.Empty(t, answer.Content.Text())
	require.Empty(t, answer.ToolCalls)
}
