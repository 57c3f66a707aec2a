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
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// TestIdempotencyKeyOfAPluginsTool performs a tool twice by a retry, and the whole call again after an answer, since nothing
// is journalled: the first and second execution have the same two keys each time.
func TestIdempotencyKeyOfAPluginsTool(t *testing.T) {
	t.Parallel()
	g := guestkit.New(abi.Description{Name: "g", Tools: []abi.ToolSpec{{Name: "send", Description: "Sends."}}})
	g.On("call_tool", g.Say(guestkit.MapOf(map[string]any{"tool_message": map[string]any{"content": "sent"}})))
	twice := func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		require.Empty(t, rt.IdempotencyKey(), "of a hook")
		if _, err := next(ctx, req); err != nil {
			return nil, nil, err
		}
		m, err := next(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		_, err = rt.Interrupt("ok", wire.String("?"))
		return m, nil, err
	}
	var recorded frames
	agent, err := host.New(host.Config{
		Model:        scripted.NewTurns(scripted.CallTools(abi.Call("1", "send", nil)), scripted.Say("done")),
		Checkpointer: memory.New(), Durability: host.DurabilityExit,
		Middleware: []host.Middleware{
			host.WrapToolCall("twice", twice), plugin.Wasm{ID: "sends", Bytes: g.Bytes(), Engine: compiled, Recorder: &recorded},
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: true}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)

	keys := make([]string, 0, len(recorded))
	for _, frame := range recorded {
		var in abi.HookInput
		_, err := in.UnmarshalMsg(frame.Input)
		require.NoError(t, err)
		keys = append(keys, in.IdempotencyKey)
	}
	require.Len(t, keys, 4)
	require.Len(t, keys[0], 32)
	require.NotEqual(t, keys[0], keys[1])
	require.Equal(t, keys[:2], keys[2:])
}
