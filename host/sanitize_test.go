package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// What comes from the world is not always text.
func TestWhatIsNoTextIsMendedOrRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(abi.Call("\xff", "read", nil)), scripted.Say("d\xfcne")).keeps().answering("read", "gr\xfc\xdfe")
	agent := b.build()
	result := completed(t, agent, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("h\xfc")}})
	require.Equal(t, []string{"human: h\uFFFD", "ai: ", "tool \uFFFD: gr\uFFFDe", "ai: d\uFFFDne"}, lines(result.Messages))
	_, err := agent.State(t.Context(), "t", 2)
	require.NoError(t, err)

	for name, fails := range map[string]func(b *bundle){
		"artifact": func(b *bundle) {
			b.tool("read", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				return &host.ToolOutput{Artifact: wire.Raw(`{"json": 1}`)}, nil
			})
		},
		"key": func(b *bundle) {
			b.tool("read", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				_, err := rt.Interrupt("\xff", nil)
				return nil, err
			})
		},
		"the value cannot be kept": func(b *bundle) {
			b.State = []host.Field{{Name: "f"}}
			b.tool("read", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				return &host.ToolOutput{Update: &host.Update{State: wire.Map{{Key: "f", Value: wire.String("\xff")}}}}, nil
			})
		},
		"broken \uFFFD": func(b *bundle) {
			b.tool("read", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				return nil, errors.New("broken \xff")
			})
		},
	} {
		b := setup(t, calls("read"), scripted.Say("done")).keeps()
		fails(b)
		agent := b.build()
		_, err := agent.Run(t.Context(), say("hi"))
		require.Error(t, err, name)
		held, err := agent.State(t.Context(), "t", 0)
		require.NoError(t, err, name)
		require.Contains(t, held.Failure, name)
	}
}
