package host_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store"
)

func TestRunsWithEqualSeedsAreEqual(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) (ids []string, log []string) {
		b := setup(t, calls("work", "work"), scripted.Say("done"))
		b.Seed = func() uint64 { return seed }
		noteSeed := func(rt *host.Runtime) *host.Update {
			b.notef("%s %s %x", rt.RunID(), rt.Step(), rt.Seed())
			return setting("seeds", 1)
		}
		b.State = []host.Field{{Name: "seeds", Reducer: host.Add()}}
		node := func(_ context.Context, rt *host.Runtime) (*host.Update, error) { return noteSeed(rt), nil }
		b.ToolCalls.Parallel = 1
		b.tool("work", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			return &host.ToolOutput{Update: noteSeed(rt)}, nil
		})
		b.use(host.BeforeModel("a", node), host.BeforeModel("b", node))
		b.use(host.WrapModelCall("c", passing(noteSeed)), host.WrapModelCall("d", passing(noteSeed)))
		result := b.mustRun()
		require.Equal(t, fmt.Sprintf("run-%x", seed), result.RunID)
		for _, m := range result.Messages.All() {
			ids = append(ids, m.ID)
		}
		return ids, b.log
	}
	ids, log := run(7)
	require.Equal(t, []string{"msg-7-1", "msg-7-2", "msg-7-3", "msg-7-4", "msg-7-5"}, ids)
	again, againLog := run(7)
	require.Equal(t, ids, again)
	require.Equal(t, log, againLog)
	require.Len(t, log, 2*4+2)
	seen := map[string]bool{}
	for _, line := range log {
		var runID, step, seed string
		_, err := fmt.Sscan(line, &runID, &step, &seed)
		require.NoError(t, err)
		require.False(t, seen[seed], "each call has a seed of its own")
		seen[seed] = true
	}
	other, otherLog := run(8)
	require.NotEqual(t, ids, other)
	require.NotEqual(t, log, otherLog)
}

func TestRunsWithoutASeedDiffer(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"), scripted.Say("done"))
	b.Seed, b.Clock = nil, nil
	agent := b.build()
	first, err := agent.Run(t.Context(), hi())
	require.NoError(t, err)
	second, err := agent.Run(t.Context(), hi())
	require.NoError(t, err)
	require.NotEqual(t, first.RunID, second.RunID)
	one, two := first.Messages.At(0), second.Messages.At(0)
	require.NotEqual(t, one.ID, two.ID)
}

func TestGivenIdsStay(t *testing.T) {
	t.Parallel()
	answer := abi.AI("done")
	answer.ID = "mine"
	question := abi.Human("hi")
	question.ID = "yours"
	b := setup(t, scripted.Turn{Message: answer})
	result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{question}})
	require.NoError(t, err)
	first, last := result.Messages.At(0), result.Messages.At(1)
	require.Equal(t, "yours", first.ID)
	require.Equal(t, "mine", last.ID)
}

func TestRuntime(t *testing.T) {
	t.Parallel()
	kept := emptyStore{}
	b := setup(t, scripted.Say("done"), scripted.Say("done"))
	b.Store, b.Checkpointer = kept, memory.New()
	b.use(host.BeforeAgent("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		require.Equal(t, "t1", rt.ThreadID())
		require.Equal(t, "x.before_agent", rt.Step())
		require.Equal(t, time.Unix(1_700_000_000, 0).UTC(), rt.Now())
		require.Equal(t, kept, rt.Store())
		require.NotNil(t, rt.Logger())
		require.Empty(t, rt.Answers())
		require.Nil(t, rt.State().Get("unknown"))
		b.notef("%d", rt.N())
		return nil, nil
	}))
	agent := b.build()
	for range 2 {
		in := hi()
		in.Thread = "t1"
		result, err := agent.Run(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, "t1", result.Thread)
	}
	require.Equal(t, []string{"1", "2"}, b.log, "N counts over runs")
}

type emptyStore struct{ store.Store }

func TestContextAs(t *testing.T) {
	t.Parallel()
	type user struct{ name string }
	b := setup(t, scripted.Say("done"), scripted.Say("done"))
	b.use(host.BeforeAgent("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		who, err := host.ContextAs[user](rt)
		b.notef("%s %v", who.name, err)
		_, err = host.ContextAs[int](rt)
		b.notef("%v", err)
		return nil, nil
	}))
	agent := b.build()
	for _, value := range []any{user{"ada"}, nil} {
		in := hi()
		in.Context = value
		_, err := agent.Run(t.Context(), in)
		require.NoError(t, err)
	}
	require.Equal(t, []string{
		"ada <nil>", "the run's context value is a host_test.user, not a int",
		" the run's context value is a <nil>, not a host_test.user", "the run's context value is a <nil>, not a int",
	}, b.log)
}

func TestViewsOfHooks(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work"), scripted.Say("done")).answering("work", "W")
	shows := func(name string, view abi.ViewSpec) host.Middleware {
		return host.BeforeModel(name, func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			v := rt.View()
			b.notef("%s from %d of %d, reset %v: %q", name, v.From, v.Total, v.Reset, lines(v.Items))
			return &host.Update{Messages: []abi.Message{abi.System(name)}}, nil
		}, host.WithView(view))
	}
	b.use(shows("none", abi.ViewNone()), shows("last", abi.ViewLast(1)), shows("all", abi.ViewAll()), shows("new", abi.ViewNew()))
	b.mustRun()
	require.Equal(t, []string{
		`none from 1 of 1, reset false: []`,
		`last from 1 of 2, reset false: ["system: none"]`,
		`all from 0 of 3, reset false: ["human: hi" "system: none" "system: last"]`,
		`new from 0 of 4, reset true: ["human: hi" "system: none" "system: last" "system: all"]`,
		`work`,
		`none from 7 of 7, reset false: []`,
		`last from 7 of 8, reset false: ["system: none"]`,
		`all from 0 of 9, reset false: ["human: hi" "system: none" "system: last" "system: all" "system: new" "ai: " "tool 1: W" "system: none" "system: last"]`,
		`new from 4 of 10, reset false: ["system: new" "ai: " "tool 1: W" "system: none" "system: last" "system: all"]`,
	}, b.log)
}

func TestDynamicPrompt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Model, b.SystemPrompt = &scripted.Echo{}, abi.Text("static")
	b.use(host.DynamicPrompt(func(_ context.Context, rt *host.Runtime, req *model.Request) (string, error) {
		return fmt.Sprintf("%s, now dynamic, %d message", req.System.Text(), rt.State().Messages().Len()), nil
	}))
	require.Equal(t, []string{"human: hi", "ai: static, now dynamic, 1 message-hi"}, lines(b.mustRun().Messages))

	b.use(host.DynamicPrompt(func(context.Context, *host.Runtime, *model.Request) (string, error) {
		return "", &abi.Error{Type: "mine", Message: "no prompt"}
	}))
	_, err := b.run()
	require.EqualError(t, err, `middleware "dynamic_prompt#2": wrap_model_call: mine: no prompt`)
	require.Equal(t, "mine", host.ErrorDocument(err).Type)
}

func TestResultText(t *testing.T) {
	t.Parallel()
	require.Equal(t, "done", setup(t, scripted.Say("done")).mustRun().Text())
	require.Empty(t, (&host.Result{}).Text())
	require.Equal(t, wire.Map(nil), (&host.Result{}).State)
}
