package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// nodeHook puts a node hook in its place.
func nodeHook(kind abi.Hook, hook host.NodeHook) *middleware {
	m := &middleware{name: "jumper"}
	switch kind {
	case abi.BeforeAgent:
		m.hooks.BeforeAgent = hook
	case abi.BeforeModel:
		m.hooks.BeforeModel = hook
	case abi.AfterModel:
		m.hooks.AfterModel = hook
	default:
		m.hooks.AfterAgent = hook
	}
	return m
}

// jumpOnce jumps at its first call.
func jumpOnce(b *bundle, target abi.Target) host.NodeFunc {
	return func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		b.notef("%s", rt.Step())
		if rt.N() > 1 {
			return nil, nil
		}
		return &host.Update{JumpTo: target}, nil
	}
}

func TestJumps(t *testing.T) {
	t.Parallel()
	const (
		before, beforeModel, afterModel, afterAgent = "jumper.before_agent", "jumper.before_model", "jumper.after_model", "jumper.after_agent"
		outerModel, outerAfter, outerEnd            = "outer.before_model", "outer.after_model", "outer.after_agent"
		innerModel, innerAfter, innerEnd            = "inner.before_model", "inner.after_model", "inner.after_agent"
	)
	round := []string{outerModel, innerModel, "model", innerAfter, outerAfter}
	end := []string{innerEnd, outerEnd}
	join := func(parts ...[]string) (out []string) {
		for _, part := range parts {
			out = append(out, part...)
		}
		return out
	}
	loop := join(round, []string{"work"}, round, end) // a whole run from the loop's entry on
	for _, test := range []struct {
		hook   abi.Hook
		target abi.Target
		want   []string
	}{
		{abi.BeforeAgent, abi.JumpModel, join([]string{before}, loop)},
		{abi.BeforeAgent, abi.JumpTools, join([]string{before, "work"}, loop)},
		{abi.BeforeAgent, abi.JumpEnd, join([]string{before}, end)},
		{abi.BeforeModel, abi.JumpModel, join(
			[]string{outerModel, beforeModel}, []string{outerModel, beforeModel, innerModel, "model", innerAfter, outerAfter, "work"},
			[]string{outerModel, beforeModel, innerModel, "model", innerAfter, outerAfter}, end,
		)},
		{abi.BeforeModel, abi.JumpTools, join(
			[]string{outerModel, beforeModel, "work"}, []string{outerModel, beforeModel, innerModel, "model", innerAfter, outerAfter, "work"},
			[]string{outerModel, beforeModel, innerModel, "model", innerAfter, outerAfter}, end,
		)},
		{abi.BeforeModel, abi.JumpEnd, join([]string{outerModel, beforeModel}, end)},
		{abi.AfterModel, abi.JumpModel, join(
			[]string{outerModel, innerModel, "model", innerAfter, afterModel},
			[]string{outerModel, innerModel, "model", innerAfter, afterModel, outerAfter}, end,
		)},
		{abi.AfterModel, abi.JumpTools, join(
			[]string{outerModel, innerModel, "model", innerAfter, afterModel, "work"},
			[]string{outerModel, innerModel, "model", innerAfter, afterModel, outerAfter}, end,
		)},
		{abi.AfterModel, abi.JumpEnd, join([]string{outerModel, innerModel, "model", innerAfter, afterModel}, end)},
		{abi.AfterAgent, abi.JumpModel, join(
			round, []string{"work"}, round, []string{innerEnd, afterAgent}, round, []string{innerEnd, afterAgent, outerEnd},
		)},
		{abi.AfterAgent, abi.JumpTools, join(
			round, []string{"work"}, round, []string{innerEnd, afterAgent}, round, []string{innerEnd, afterAgent, outerEnd},
		)},
		{abi.AfterAgent, abi.JumpEnd, join(round, []string{"work"}, round, []string{innerEnd, afterAgent})},
	} {
		t.Run(string(test.hook)+" to "+string(test.target), func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("work"), scripted.Say("done"), scripted.Say("again"))
			b.answering("work", "worked")
			around := func(name string) *middleware {
				m := b.noting(name)
				m.hooks.BeforeAgent = host.NodeHook{}
				m.hooks.WrapModelCall, m.hooks.WrapToolCall = host.WrapModelHook{}, host.WrapToolHook{}
				return m
			}
			b.use(around("outer"), nodeHook(test.hook, host.NodeHook{
				Func: jumpOnce(b, test.target), CanJumpTo: []abi.Target{test.target},
			}), around("inner"))
			b.use(host.WrapModelCall("model", passing(func(*host.Runtime) *host.Update { b.notef("model"); return nil })))
			in := hi()
			if test.target == abi.JumpTools && (test.hook == abi.BeforeAgent || test.hook == abi.BeforeModel) {
				in.Messages = append(in.Messages, abi.AI("", call("0", "work")))
			}

			result, err := b.build().Run(t.Context(), in)

			require.NoError(t, err)
			require.Equal(t, test.want, b.log)
			require.Equal(t, host.Completed, result.Status)
		})
	}
}

func TestAJumpThatWasNotDeclaredIsAnError(t *testing.T) {
	t.Parallel()
	for _, kind := range []abi.Hook{abi.BeforeAgent, abi.BeforeModel, abi.AfterModel, abi.AfterAgent} {
		for _, target := range []abi.Target{abi.JumpModel, abi.JumpTools, abi.JumpEnd} {
			t.Run(string(kind)+" to "+string(target), func(t *testing.T) {
				t.Parallel()
				b := setup(t, scripted.Say("done")).answering("work", "")
				var declared []abi.Target
				for _, other := range []abi.Target{abi.JumpModel, abi.JumpTools, abi.JumpEnd} {
					if other != target {
						declared = append(declared, other)
					}
				}
				jump := &host.Update{JumpTo: target, Messages: []abi.Message{abi.System("and this")}}
				b.use(nodeHook(kind, host.NodeHook{Func: constant(jump, nil), CanJumpTo: declared}))

				result, err := b.run()

				var undeclared *host.JumpError
				require.ErrorAs(t, err, &undeclared)
				require.Equal(t, "jumper."+string(kind), undeclared.Step)
				require.Equal(t, target, undeclared.Target)
				require.EqualError(t, err,
					`middleware "jumper": `+string(kind)+`: jump to "`+string(target)+`" not declared; add it to CanJumpTo`)
				require.Equal(t, host.Failed, result.Status)
				require.NotContains(t, lines(result.Messages), "system: and this", "nothing of the update was applied")
			})
		}
	}
}

func TestAJumpToAnUnknownTargetIsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).use(host.BeforeAgent("x", constant(&host.Update{JumpTo: "moon"}, nil)))

	_, err := b.run()

	require.EqualError(t, err, `middleware "x": before_agent: jump to "moon" is unknown; use "model", "tools" or "end"`)
	var unknown *host.JumpError
	require.ErrorAs(t, err, &unknown)
}

func TestDeclaredJumpsAreCheckedWhenTheAgentIsBuilt(t *testing.T) {
	t.Parallel()
	for target, want := range map[abi.Target]string{
		abi.JumpTools: `middleware "x": after_model: CanJumpTo has "tools", but the agent has no tools`,
		"moon":        `middleware "x": after_model: CanJumpTo has "moon"; use "model", "tools" or "end"`,
	} {
		b := setup(t).use(host.AfterModel("x", constant(nil, nil), host.CanJumpTo(target)))
		agent, err := host.New(b.Config)
		require.Nil(t, agent)
		var refused *host.ConfigError
		require.ErrorAs(t, err, &refused)
		require.EqualError(t, err, want)
	}
}

func TestOnlyNodeHooksMayJump(t *testing.T) {
	t.Parallel()
	jump := &host.Update{JumpTo: abi.JumpEnd}
	for name, add := range map[string]func(b *bundle){
		"wrap_model_call": func(b *bundle) {
			b.use(host.WrapModelCall("w", passing(func(*host.Runtime) *host.Update { return jump })))
		},
		"wrap_tool_call": func(b *bundle) {
			b.answering("work", "")
			b.use(host.WrapToolCall("w", func(
				ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
			) (*abi.Message, *host.Update, error) {
				m, err := next(ctx, req)
				return m, jump, err
			}))
		},
		"tool": func(b *bundle) {
			b.tool("work", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				return &host.ToolOutput{Update: jump}, nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("work"), scripted.Say("done"))
			add(b)
			_, err := b.run()
			var wrong *host.JumpError
			require.ErrorAs(t, err, &wrong)
			require.ErrorContains(t, err, "only node hooks may jump")
		})
	}
}

// A jump to the tools never executes a call again that is answered.
func TestAJumpToTheToolsRunsOnlyOpenCalls(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("a", "b"), scripted.Say("done")).answering("a", "A").answering("b", "B")
	b.use(host.AfterModel("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.N() > 1 {
			return nil, nil
		}
		return &host.Update{JumpTo: abi.JumpTools, Messages: []abi.Message{abi.ToolResult(call("1", "a"), "mine")}}, nil
	}, host.CanJumpTo(abi.JumpTools)))

	result := b.mustRun()

	require.Equal(t, []string{"b"}, b.log)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: mine", "tool 2: B", "ai: done"}, lines(result.Messages))
}

func TestAJumpToTheToolsWithoutAnAIMessageIsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t).answering("a", "")
	b.use(host.BeforeAgent("x", constant(&host.Update{JumpTo: abi.JumpTools}, nil), host.CanJumpTo(abi.JumpTools)))
	_, err := b.run()
	require.EqualError(t, err, `step "tools": there is no AI message whose tool calls could run`)
}
