package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// hinting is an agent with a field that lives for a step, and a before_model hook that notes it.
func hinting(t *testing.T, reducer host.Reducer, tools ...string) *bundle {
	t.Helper()
	b := setup(t, calls(tools...), scripted.Say("done")).keeps().askingTool()
	b.ToolCalls.Parallel = 1
	b.State = []host.Field{{Name: "hint", Lifetime: host.LifetimeStep, Reducer: reducer}}
	b.tool("set", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return &host.ToolOutput{Update: setting("hint", 1)}, nil
	})
	return b.use(host.BeforeModel("look", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		b.notef("next %s", show(rt, "hint"))
		return nil, nil
	}))
}

func TestAToolThatRunsAgainSeesWhatTheStepBeforeWrote(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]host.Input{"after an interrupt": resume(host.Answer{Value: 1}), "after a failure": goOn()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := hinting(t, host.Last(), "search", "twice")
			b.answering("search", "found")
			tries := 0
			b.tool("twice", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				b.notef("tool %s", show(rt, "hint"))
				tries++
				switch {
				case in.Continue && tries == 1:
					return nil, errors.New("unlucky")
				case !in.Continue:
					_, err := rt.Interrupt("q", nil)
					return host.TextOutput("ok"), err
				default:
					return host.TextOutput("ok"), nil
				}
			})
			b.use(host.AfterModel("hint", constant(setting("hint", 7), nil)))
			agent := b.build()
			_, _ = agent.Run(t.Context(), say("hi"))
			completed(t, agent, in)
			require.Equal(t, []string{"next -", "search", "tool 7", "tool 7", "next -"}, b.log)
		})
	}
}

func TestTheNextStepSeesWhatAFinishedSiblingWrote(t *testing.T) {
	t.Parallel()
	for _, reducer := range []host.Reducer{host.Last(), host.Add()} {
		b := hinting(t, reducer, "set", "ask")
		b.use(host.AfterModel("hint", constant(setting("hint", 7), nil)))
		agent := b.build()
		first := outcome(t, agent, say("hi"))
		require.Equal(t, host.Interrupted, first.Status)
		require.Equal(t, `{"hint":1}`, stateOf(first), "what the step before wrote is no part of it")
		nothingHappened(t, first, outcome(t, agent, goOn()))
		completed(t, agent, resume(host.Answer{Value: 1}))
		require.Equal(t, "next 1", b.log[len(b.log)-1])
	}
}

func TestTwoUpdatesInTheTwoHalvesOfAStep(t *testing.T) {
	t.Parallel()
	b := hinting(t, host.Last(), "set", "ask")
	b.Tools[0] = newTool("ask", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		_, err := rt.Interrupt("q", nil)
		return &host.ToolOutput{Update: setting("hint", 2)}, err
	})
	agent := b.build()
	interrupted(t, agent, say("hi"))
	failed, err := agent.Run(t.Context(), resume(host.Answer{Value: 1}))
	require.ErrorIs(t, err, host.ErrTwoUpdates, "as if nothing had stopped the step")
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: ", "tool 2: "}, lines(failed.Messages), "the answer is kept")
}
