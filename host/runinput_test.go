package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestTheModelOfOneRun(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("usual")).keeps()
	b.Models = map[string]model.Model{"small": scripted.NewTurns(calls("search"), scripted.Say("small")), "big": scripted.NewTurns()}
	b.answering("search", "found")
	agent := b.build()
	in := say("hi")
	in.Model = "small"
	require.Equal(t, "small", completed(t, agent, in).Text(), "in each of its model steps")
	require.Equal(t, "usual", completed(t, agent, say("again")).Text())

	in.Model = "large"
	_, err := agent.Run(t.Context(), in)
	require.EqualError(t, err, `agent: the input names the model "large", which the agent does not have; its named models are ["big" "small"]`)
}

func TestTheRecursionLimitOfOneRun(t *testing.T) {
	t.Parallel()
	endless := func() *host.Agent {
		b := setup(t).answering("search", "found")
		b.Model, b.RecursionLimit = newRounds(100), 20
		return b.build()
	}
	for limit, steps := range map[int]int{0: 20, 7: 7, 1000: 20} {
		in := hi()
		in.RecursionLimit = limit
		result, err := endless().Run(t.Context(), in)
		var exceeded *host.LimitError
		require.ErrorAs(t, err, &exceeded)
		require.Equal(t, []int{steps, steps}, []int{exceeded.Maximum, result.Steps}, "limit %d", limit)
	}
	in := hi()
	in.RecursionLimit = -1
	_, err := endless().Run(t.Context(), in)
	require.EqualError(t, err, `agent: the input's RecursionLimit is -1; it must be positive, or 0 for the agent's`)
}

func TestTheMetadataOfARun(t *testing.T) {
	t.Parallel()
	var seen []string
	b := setup(t, scripted.Say("done")).use(host.BeforeAgent("looks", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		seen = append(seen, rt.Metadata().Raw().JSON())
		return nil, nil
	}))
	in := hi()
	in.Metadata = wire.Map{{Key: "ticket", Value: wire.String("T-1")}}
	_, err := b.build().RunEvents(t.Context(), in, func(e host.Event) error {
		if len(e.Metadata) > 0 {
			seen = append(seen, string(e.Type)+" "+e.Metadata.Raw().JSON())
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{`run {"ticket":"T-1"}`, `{"ticket":"T-1"}`}, seen)
}

func TestABranchFromTheRoot(t *testing.T) {
	t.Parallel()
	_, agent := travelling(t)
	root, err := agent.State(t.Context(), "t", checkpoint.Root)
	require.NoError(t, err)
	require.Zero(t, root.Messages.Len())
	require.EqualValues(t, 4, root.Newest)

	in := host.Input{Thread: "t", Checkpoint: checkpoint.Root, Messages: []abi.Message{abi.Human("anew")}}
	result := completed(t, agent, in)
	require.Equal(t, []string{"human: anew", "ai: ", "tool 1: found", "ai: done"}, lines(result.Messages))
	first, err := agent.State(t.Context(), "t", 5)
	require.NoError(t, err)
	require.Zero(t, first.Parent)
	require.Equal(t, []string{"human: anew"}, lines(first.Messages))
	require.Empty(t, first.State, "fields of the other branch are not there")
	newest, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, lines(result.Messages), lines(newest.Messages))
	other, err := agent.State(t.Context(), "t", 4)
	require.NoError(t, err)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "ai: done"}, lines(other.Messages), "the other branch stays")

	in.Thread = "new"
	require.Equal(t, host.Completed, outcome(t, agent, in).Status, "a thread that is not there is as empty")
	_, err = agent.Run(t.Context(), host.Input{Thread: "t", Checkpoint: checkpoint.Root, Continue: true})
	require.EqualError(t, err, `thread "t": the input goes on before the thread's first checkpoint, where no run has stopped; start one by messages`)
}

func TestARollbackOfAWholeThread(t *testing.T) {
	t.Parallel()
	b, agent := travelling(t)
	require.NoError(t, b.Checkpointer.Rollback(t.Context(), "t", checkpoint.Root))
	_, err := agent.Run(t.Context(), goOn())
	require.ErrorIs(t, err, host.ErrUnknownThread)
	result := completed(t, agent, say("anew"))
	require.Equal(t, []string{"human: anew", "ai: ", "tool 1: found", "ai: done"}, lines(result.Messages))
	require.EqualValues(t, 8, result.Checkpoint, "ids are not used again")
}
