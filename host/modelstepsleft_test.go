package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// A hook can see how many model steps are left, also after the last that was allowed.
func TestModelStepsLeft(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		maximum int
		want    []int // after each model step; -1: not limited
	}{
		{0, []int{-1, -1, -1}},
		{3, []int{2, 1, 0}},
		{2, []int{1, 0, 0}}, // the last step has no tools
	} {
		var seen []int
		agent, err := host.New(host.Config{
			Model: scripted.NewTurns(
				scripted.CallTools(abi.Call("1", "search", nil)), scripted.CallTools(abi.Call("2", "search", nil)), scripted.Say("done"),
			),
			Middleware: []host.Middleware{host.AfterModel("look", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
				left, limited := rt.ModelStepsLeft()
				if !limited {
					left = -1
				}
				seen = append(seen, left)
				return nil, nil
			})},
			Tools:     []host.Tool{tool.Func("search", "", func(context.Context, struct{}) (string, error) { return "found", nil })},
			ToolCalls: host.ToolCallConfig{MaxLoops: test.maximum, ErrorOnExceedLimit: new(false)},
		})
		require.NoError(t, err)
		_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.NoError(t, agent.Close())
		require.Equal(t, test.want, seen)
	}
}
