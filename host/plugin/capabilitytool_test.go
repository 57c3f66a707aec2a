package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/tool"
)

func toolRequest(name string, args map[string]any) []byte {
	raw, err := wire.MapOf(args)
	if err != nil {
		panic(err)
	}
	return guestkit.Document(&abi.ToolRequest{Name: name, Args: raw.Raw()})
}

// native adds a tool.
func native(name string, fn func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error)) func(*host.Config) {
	return func(c *host.Config) { c.Tools = append(c.Tools, tool.Raw(abi.ToolSpec{Name: name}, fn)) }
}

func mayCall(tools ...string) plugin.Grant { return plugin.Grant{ToolCall: tools} }

func TestToolCapability(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpToolCall)
	g.On("before_agent",
		g.HostCall(abi.OpToolCall, toolRequest("nobody", nil), abi.EDENIED),
		g.HostCall(abi.OpToolCall, toolRequest("secret", nil), abi.EDENIED),
		show(g, abi.OpToolCall, toolRequest("lookup", map[string]any{"q": "x"})))
	var wrapped atomic.Int64
	wrap := host.WrapToolCall("outer", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		wrapped.Add(1)
		m, err := next(ctx, req)
		return m, nil, err
	}, host.OnlyTools("lookup"))
	lookup := native("lookup", func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput(fmt.Sprint(rt.Nested()) + " " + call.Args.JSON()), nil
	})
	b, events := grants(t, g, mayCall("lookup"), lookup, native("secret", nil), func(c *host.Config) {
		c.Middleware = append(c.Middleware, wrap)
	})
	require.Regexp(t, `^\[\{"tool_message":\{"content":"true \{\\"q\\":\\"x\\"\}","name":"lookup","role":"tool","status":"success",`+
		`"tool_call_id":"call-[0-9a-f]{32}-1"\}\}\]$`, shown(t, events))
	require.EqualValues(t, 1, wrapped.Load())
	require.EqualValues(t, 1, b.ran.Load(), "the model's own call")
}

func TestToolCapabilityOfAToolThatFails(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpToolCall)
	g.On("before_agent", show(g, abi.OpToolCall, toolRequest("broken", nil)))
	_, events := grants(t, g, mayCall("broken"), native("broken", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return nil, errors.New("out of order")
	}))
	require.Regexp(t, `^\[\{"message":"tool \\"broken\\": call \\"call-.*\\": out of order","type":"tool_error"\}\]$`, shown(t, events))
}

// updating is a guest with a field g and a tool that writes it.
func updating() *guestkit.Module {
	g := guestkit.New(abi.Description{
		Fields: []abi.FieldSpec{{Name: "g", Lifetime: "run", Reducer: "append"}}, Tools: []abi.ToolSpec{{Name: "note"}},
	})
	return g.On("call_tool", g.Say(guestkit.MapOf(map[string]any{"tool_message": map[string]any{"content": "noted"}, "state": map[string]any{"g": []any{"note"}}})))
}

func TestToolCapabilityAppliesUpdates(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpToolCall)
	g.On("before_agent", guestkit.Repeat(2, g.HostCall(abi.OpToolCall, toolRequest("note", nil), abi.StatusOK)...), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: mayCall("note")}, func(c *host.Config) {
		c.Middleware = append(c.Middleware, plugin.Wasm{ID: "other", Bytes: updating().Bytes(), Engine: compiled})
	})
	result, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, `["note","note"]`, result.State.Get("g").JSON())
}

// A plugin whose tool calls itself stops at the limit; it needs an instance for each call that is inside of another.
func TestToolCapabilityIsLimitedInDepth(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		instances int
		ran       int // of the plugin's own tool
		refusal   abi.Status
	}{
		"depth":     {20, host.MaxCallDepth + 1, abi.ELIMIT},
		"instances": {4, 4, abi.EBUSY},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := guestkit.New(abi.Description{Tools: []abi.ToolSpec{{Name: "own"}}, Capabilities: asking(abi.OpToolCall)})
			// It reports what was refused, as an event; everything else has gone well.
			own := g.Operate(abi.OpToolCall, toolRequest("own", nil))
			isRefused := guestkit.Seq(guestkit.Status(), guestkit.I32(int(test.refusal)), guestkit.Equal)
			event := g.HostCall(abi.OpEventEmit, guestkit.Document(&abi.EventEmit{Name: "refused"}), abi.StatusOK)
			g.On("call_tool", own, isRefused, guestkit.When(event),
				g.Say(guestkit.MapOf(map[string]any{"tool_message": map[string]any{"content": "done"}})))
			b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: mayCall("own"), Limits: plugin.Limits{Instances: test.instances}}, func(c *host.Config) {
				c.Model = &asker{calls: []abi.ToolCall{abi.Call("1", "own", nil)}}
			})
			events, err := b.run(t)
			require.NoError(t, err)
			began, refused := 0, 0
			for _, e := range events {
				switch {
				case e.Type == host.EventTool && len(e.Messages) == 0:
					began++
				case e.Type == host.EventCustom:
					refused++
				}
			}
			require.Equal(t, test.ran, began)
			require.Equal(t, 1, refused)
		})
	}
}

// Calls that run at once, each with a wrap of a plugin that calls a tool which it wraps too, share few instances: some
// are told that nothing is free, and none waits for ever.
func TestToolCapabilityNeverWaits(t *testing.T) {
	t.Parallel()
	for _, instances := range []int{1, 2, 3, 8} {
		t.Run(fmt.Sprint(instances), func(t *testing.T) {
			t.Parallel()
			g := guestkit.New(abi.Description{Capabilities: asking(abi.OpToolCall), Hooks: abi.HookSpecs{WrapToolCall: &abi.HookSpec{}}})
			g.On("wrap_tool_call", g.Operate(abi.OpToolCall, toolRequest("lookup", nil)), guestkit.Drop, guestkit.Nothing)
			var ran atomic.Int64
			lookup := native("lookup", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				ran.Add(1)
				return host.TextOutput("found"), nil
			})
			var batch []abi.ToolCall
			for i := range 16 {
				batch = append(batch, abi.Call(fmt.Sprint(i), "lookup", nil))
			}
			b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: mayCall("lookup"), Limits: plugin.Limits{Instances: instances}}, lookup, func(c *host.Config) {
				c.Model = &asker{calls: batch}
			})
			_, err := b.run(t)
			require.NoError(t, err)
			require.GreaterOrEqual(t, ran.Load(), int64(len(batch)))
		})
	}
}

// A question in the call goes to the human, whatever the guest makes of it; with the answer the guest runs again.
func TestToolCapabilityAsks(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(g *guestkit.Module) guestkit.Code{
		"returns": func(*guestkit.Module) guestkit.Code { return guestkit.Nothing },
		"fails": func(g *guestkit.Module) guestkit.Code {
			return g.Say(guestkit.Document(&abi.Result{Error: &abi.Error{Type: "mine", Message: "no"}}))
		},
		"traps": func(*guestkit.Module) guestkit.Code { return guestkit.Trap },
		"goes on": func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.HostCall(abi.OpToolCall, nil, abi.StatusInterrupted), guestkit.Nothing)
		},
		"nonsense": func(g *guestkit.Module) guestkit.Code { return g.Say([]byte{0xdd, 0xff}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := capable(abi.OpToolCall)
			// The guest traps if the call goes through with another status than one of the two.
			status := guestkit.Seq(g.Operate(abi.OpToolCall, toolRequest("erase", nil)),
				guestkit.Status(), guestkit.I32(int(abi.StatusInterrupted)), guestkit.Equal, guestkit.When(end(g), guestkit.Return), guestkit.Nothing)
			g.On("before_agent", status)
			var erased atomic.Int64
			erase := native("erase", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				erased.Add(1)
				return host.TextOutput("erased"), nil
			})
			review := host.WrapToolCall("review", func(
				ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
			) (*abi.Message, *host.Update, error) {
				answer, err := rt.Interrupt("approve", wire.String(req.Call.Name))
				if err != nil {
					return nil, nil, err
				}
				if ok, _ := answer.AsBool(); !ok {
					m := abi.ToolFailure(req.Call, "refused")
					return &m, nil, nil
				}
				m, err := next(ctx, req)
				return m, nil, err
			}, host.OnlyTools("erase"))
			for _, policy := range []plugin.FailurePolicy{plugin.Closed, plugin.Open} {
				erased.Store(0)
				b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: mayCall("erase"), OnFailure: policy}, erase, func(c *host.Config) {
					c.Checkpointer = memory.New()
					c.Middleware = append(c.Middleware, review)
				})
				result, err := b.agent.Run(t.Context(), host.Input{Thread: "one", Messages: []abi.Message{abi.Human("hi")}})
				require.NoError(t, err)
				require.Equal(t, host.Interrupted, result.Status)
				require.Equal(t, "review.wrap_tool_call", result.Interrupts[0].Step)
				require.Zero(t, erased.Load())
				result, err = b.agent.Run(t.Context(), host.Input{Thread: "one", Resume: []host.Answer{{Value: true}}})
				require.NoError(t, err)
				require.Equal(t, host.Completed, result.Status)
				require.EqualValues(t, 1, erased.Load())
				require.NotContains(t, strings.Join(b.logged.texts(), "\n"), "on_failure is open")
			}
		})
	}
}
