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

	for i, want := range []struct {
		id    string
		calls []abi.ToolCall
	}{{"0", first}, {"1", nil}, {"2", first}} {
		req := request(abi.Human("x"), abi.AI("y"))
		if i > 0 {
			req = req.WithSystem(abi.Text("system"))
		}
		resp, err := m.Generate(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, want.id, resp.AI().ID)
		require.Equal(t, want.calls, resp.AI().ToolCalls)
		require.Equal(t, []string{"x-y", "system-x-y", "system-x-y"}[i], resp.AI().Content.Text())
	}
}

func TestEchoOfNothing(t *testing.T) {
	t.Parallel()
	answer := ask(t, &scripted.Echo{})
	require.Empty(t, answer.Content.Text())
	require.Empty(t, answer.ToolCalls)
}
