package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// revising is a middleware that revises calls and lets them pass.
func revising(name string, revise host.ReviseFunc) host.Middleware {
	return &middleware{name: name, hooks: host.Hooks{WrapToolCall: host.WrapToolHook{Func: passingCall, Revise: revise}}}
}

// renaming puts calls of one tool in the place of those of another.
func renaming(from, to string) host.ReviseFunc {
	return func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*abi.ToolCall, error) {
		if call.Name != from {
			return nil, nil
		}
		return &abi.ToolCall{ID: "another", Name: to, Args: args}, nil
	}
}

// noting is a wrap that notes what it wraps.
func (b *bundle) watching(name string, hook host.WrapToolHook) host.Middleware {
	hook.Func = func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		b.notef("%s wraps %s %s %s, asked for as %s", name, req.Call.ID, req.Call.Name, req.Call.Args.JSON(), req.Asked.Name)
		require.Equal(b.t, req.Call, *req.Revised)
		return passingCall(ctx, rt, req, next)
	}
	return &middleware{name: name, hooks: host.Hooks{WrapToolCall: hook}}
}

// All hooks see the revised call, those that are for its tool, and those for calls that no after_model hook has seen.
func TestARevisedCallPassesThroughTheHooksOfItsTool(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("first", "other"), scripted.Say("done"))
	for _, name := range []string{"first", "second", "other"} {
		b.answering(name, name+" answers")
	}
	b.use(
		b.watching("outer", host.WrapToolHook{}), b.watching("of first", host.WrapToolHook{Tools: []string{"first"}}),
		b.watching("of second", host.WrapToolHook{Tools: []string{"second"}}), b.watching("unseen", host.WrapToolHook{Nested: true}),
		revising("reviser", renaming("first", "second")), b.watching("inner", host.WrapToolHook{}),
	)
	b.ToolCalls.Parallel = 1

	result := b.mustRun()

	require.Equal(t, []string{
		`outer wraps 1 second {"q":"x"}, asked for as first`, `of second wraps 1 second {"q":"x"}, asked for as first`,
		`unseen wraps 1 second {"q":"x"}, asked for as first`, `inner wraps 1 second {"q":"x"}, asked for as first`, "second",
		"outer wraps 2 other {}, asked for as other", "inner wraps 2 other {}, asked for as other", "other",
	}, b.log)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: second answers", "tool 2: other answers", "ai: done"}, lines(result.Messages))
	require.Equal(t, "second", result.Messages.At(2).Name)
	require.Equal(t, "first", result.Messages.At(1).ToolCalls[0].Name, "the model's message stays")
}

// After each change all are asked anew, the outermost first.
func TestRevisionsOfSeveralHooks(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("a"), scripted.Say("done"))
	b.answering("d", "worked")
	noting := func(name string, revise host.ReviseFunc) host.ReviseFunc {
		return func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*abi.ToolCall, error) {
			require.Equal(t, name+".wrap_tool_call", rt.Step())
			require.Equal(t, "1", call.ID)
			b.notef("%s: %s", name, call.Name)
			return revise(ctx, rt, call)
		}
	}
	b.use(revising("x", noting("x", renaming("b", "c"))), revising("y", noting("y", renaming("a", "b"))), revising("z", noting("z", renaming("c", "d"))))
	b.mustRun()
	require.Equal(t, []string{"x: a", "y: a", "x: b", "x: c", "y: c", "z: c", "x: d", "y: d", "z: d", "d"}, b.log)
}

func TestRevisionsThatFail(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for want, revise := range map[string]host.ReviseFunc{
		`middleware "x": wrap_tool_call: boom`: func(context.Context, *host.Runtime, *abi.ToolCall) (*abi.ToolCall, error) {
			return nil, boom
		},
		`middleware "x": wrap_tool_call: panic: boom`: func(context.Context, *host.Runtime, *abi.ToolCall) (*abi.ToolCall, error) {
			panic("boom")
		},
		`middleware "x": wrap_tool_call: the tool call "1" was changed too often; the hooks that review it do not agree`: func(
			_ context.Context, _ *host.Runtime, call *abi.ToolCall,
		) (*abi.ToolCall, error) {
			return &abi.ToolCall{Name: call.Name + "!", Args: call.Args}, nil
		},
	} {
		b := setup(t, calls("work"), scripted.Say("done"))
		b.answering("work", "worked")
		b.use(b.watching("outer", host.WrapToolHook{}), revising("x", revise))
		_, err := b.run()
		require.EqualError(t, err, want)
		require.Empty(t, b.log, "nothing has begun")
	}
}

// A call that becomes one of a tool that nobody has is answered as if the model had made it.
func TestARevisionToAnUnknownTool(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work"), scripted.Say("done"))
	b.answering("work", "worked")
	b.use(revising("x", renaming("work", "ghost")))
	result := b.mustRun()
	require.Equal(t, "failed 1: Error: ghost is not a valid tool, try one of [work].", lines(result.Messages)[2])
	require.Empty(t, b.log)
}

// A revision may ask. Its Runtime has the answers of its hook, so that either may ask and the other find the answer.
func TestARevisionAsks(t *testing.T) {
	t.Parallel()
	for _, inRevise := range []bool{true, false} {
		b := setup(t, calls("first"), scripted.Say("done"))
		b.answering("first", "first answers").answering("second", "second answers")
		b.Checkpointer = memory.New()
		hook := host.WrapToolHook{
			Revise: func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*abi.ToolCall, error) {
				if !inRevise && len(rt.Answers()) == 0 {
					return nil, nil
				}
				answer, err := rt.Interrupt("which", wire.String(call.Name))
				if err != nil {
					return nil, err
				}
				name, _ := answer.AsString()
				return &abi.ToolCall{Name: name, Args: call.Args}, nil
			},
			Func: func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
				if _, err := rt.Interrupt("which", wire.String(req.Call.Name)); err != nil {
					return nil, nil, err
				}
				return passingCall(ctx, rt, req, next)
			},
		}
		b.use(&middleware{name: "x", hooks: host.Hooks{WrapToolCall: hook}})
		agent := b.build()
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: hi().Messages})
		require.NoError(t, err)
		require.Equal(t, host.Interrupted, result.Status)
		require.Len(t, result.Interrupts, 1)
		require.Equal(t, "x.wrap_tool_call", result.Interrupts[0].Step)
		require.Equal(t, "1", result.Interrupts[0].CallID)

		result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: "second"}}})

		require.NoError(t, err)
		require.Equal(t, "tool 1: second answers", lines(result.Messages)[2])
	}
}

// The events of a call are those of the one that is performed.
func TestEventsOfARevisedCall(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("first"), scripted.Say("done"))
	b.answering("second", "second answers")
	b.use(revising("x", renaming("first", "second")))
	events, err := b.stream()
	require.NoError(t, err)
	n := 0
	for _, e := range events {
		if e.Type == host.EventTool {
			n++
			require.Equal(t, &abi.ToolCall{ID: "1", Name: "second", Args: args}, e.Call)
		}
	}
	require.Equal(t, 2, n)
}

// pooled is a tool that needs something of a pool.
type pooled struct {
	host.Tool

	pool *host.Pool
}

func (p pooled) Pool() *host.Pool { return p.pool }

// What is leased for a call is what its tool needs.
func TestARevisedCallLeasesWhatItsToolNeeds(t *testing.T) {
	t.Parallel()
	pool := host.NewPool(1)
	b := setup(t, calls("free"), scripted.Say("done"))
	b.answering("free", "free answers")
	b.Tools = append(b.Tools, pooled{newTool("pooled", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("pooled answers"), nil
	}), pool})
	hold := host.NodeHook{Pool: pool, Func: func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.CallTool(ctx, "free", nil)
		require.Equal(t, host.ErrBusy, err, "the hook holds what the other tool needs")
		return nil, nil
	}}
	b.use(revising("x", renaming("free", "pooled")), &middleware{name: "m", hooks: host.Hooks{BeforeAgent: hold}})
	result := b.mustRun()
	require.Equal(t, "tool 1: pooled answers", lines(result.Messages)[2])
	require.Empty(t, b.log)
}

// Calls of hooks and tools are revised too. One that did not begin is not one before the next.
func TestNestedCallsAreRevised(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.answering("first", "first answers").answering("second", "second answers")
	var ids []string
	refuse := true
	b.use(revising("x", func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*abi.ToolCall, error) {
		require.True(t, rt.Nested())
		ids = append(ids, call.ID)
		if refuse {
			return nil, errors.New("not now")
		}
		return renaming("first", "second")(ctx, rt, call)
	}), host.BeforeAgent("caller", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.CallTool(ctx, "first", nil)
		require.EqualError(t, err, `middleware "x": wrap_tool_call: not now`)
		refuse = false
		return b.calling("first", nil)(ctx, rt)
	}))
	b.mustRun()
	require.Equal(t, []string{"second", "second: success second answers"}, b.log)
	require.Len(t, ids, 3)
	require.Equal(t, ids[0], ids[1])
}

func TestAHookLooksAtTheTools(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.answering("first", "").answering("second", "")
	b.use(host.BeforeAgent("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		specs := rt.Tools()
		require.Len(t, specs, 2)
		require.Equal(t, "second", specs[1].Name)
		specs[1].Name = "changed"
		require.Equal(t, "second", rt.Tools()[1].Name)
		return nil, nil
	}))
	b.mustRun()
}
