package plugin_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/tool"
)

// TestClosedFrames has a tool that interrupts inside of guests that do what they like after it. The interrupt goes outward
// each time, and the tool runs once.
func TestClosedFrames(t *testing.T) {
	t.Parallel()
	answer := guestkit.Document(&abi.Result{ToolMessage: new(abi.Patch{}.SetContent(abi.Text("swallowed")))})
	field := abi.FieldSpec{Name: "f", Lifetime: "run"}
	for name, body := range map[string]func(g *guestkit.Module) guestkit.Code{
		"returns": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), guestkit.Nothing)
		},
		"answers": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), g.Say(answer))
		},
		"calls again": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(guestkit.Repeat(3, g.Forward(nil, abi.StatusInterrupted)...), guestkit.Nothing)
		},
		"traps": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), guestkit.Trap)
		},
		"returns 2": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), guestkit.I32(2))
		},
		"writes a bomb": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), g.Say([]byte{0xdd}))
		},
		"errors": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), g.Say(guestkit.Document(&abi.Result{Error: &abi.Error{Type: "x"}})))
		},
		"interrupts": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), g.Say(guestkit.Document(&abi.Result{Interrupts: []abi.Interrupt{{Key: "mine"}}})))
		},
		"updates": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), g.Say(guestkit.MapOf(map[string]any{"state": map[string]any{"f": 1}})))
		},
		"calls operations": func(g *guestkit.Module) guestkit.Code {
			emit := guestkit.Document(&abi.EventEmit{Name: "late"})
			return guestkit.Seq(g.Forward(nil, abi.StatusInterrupted), g.HostCall(abi.OpEventEmit, emit, abi.StatusInterrupted), guestkit.Nothing)
		},
	} {
		for _, policy := range []plugin.FailurePolicy{plugin.Closed, plugin.Open} {
			t.Run(name+", "+string(policy), func(t *testing.T) {
				t.Parallel()
				g := guestkit.Hooked(abi.WrapToolCall, abi.HookSpec{}, field)
				g.On("wrap_tool_call", body(g))
				var ran atomic.Int64
				b := setup(t, plugin.Wasm{Bytes: g.Bytes(), OnFailure: policy}, func(c *host.Config) {
					c.Tools = []host.Tool{askingTool(&ran)}
				})
				events, err := b.run(t)
				require.NoError(t, err)
				end := last(events)
				require.Equal(t, host.Interrupted, end.Status)
				require.Equal(t, []host.Interrupt{{ID: "ask-7-2", Step: "tools", CallID: "call-1", Key: "ok?", Value: wire.Int(1)}}, end.Interrupts)
				require.EqualValues(t, 1, ran.Load())
				for i := range events {
					require.NotEqual(t, "late", events[i].Name)
					require.Empty(t, events[i].State.Get("f"))
				}
			})
		}
	}
}

// TestCancelledFrames is the same with a run that is cancelled while the tool runs.
func TestCancelledFrames(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.WrapToolCall, abi.HookSpec{})
	answer := guestkit.Document(&abi.Result{ToolMessage: new(abi.Patch{}.SetContent(abi.Text("swallowed")))})
	g.On("wrap_tool_call", guestkit.Repeat(2, g.Forward(nil, abi.StatusCancelled)...), g.Say(answer))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ran := 0
	b := setup(t, plugin.Wasm{Bytes: g.Bytes()}, func(c *host.Config) {
		c.Tools = []host.Tool{tool.Raw(abi.ToolSpec{Name: "search"}, func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			ran++
			cancel()
			return nil, ctx.Err()
		})}
	})
	result, err := b.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, host.Cancelled, result.Status)
	require.Equal(t, 1, ran)
	require.Equal(t, 1, b.model.Calls())
}

// askingTool is the tool search, which interrupts.
func askingTool(ran *atomic.Int64) host.Tool {
	return tool.Raw(abi.ToolSpec{Name: "search"}, func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		ran.Add(1)
		if _, err := rt.Interrupt("ok?", wire.Int(1)); err != nil {
			return nil, err
		}
		return host.TextOutput("answered"), nil
	})
}
