package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// keeps gives the agent a store of threads.
func (b *bundle) keeps() *bundle {
	b.Checkpointer = memory.New()
	return b
}

// say is an input with one human message for the thread t.
func say(text string) host.Input {
	return host.Input{Thread: "t", Messages: []abi.Message{abi.Human(text)}}
}

func goOn() host.Input { return host.Input{Thread: "t", Continue: true} }

func resume(answers ...host.Answer) host.Input { return host.Input{Thread: "t", Resume: answers} }

// flaky adds a tool that fails in its first call.
func (b *bundle) flaky() *bundle {
	failed := false
	return b.tool("flaky", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		b.notef("flaky")
		if !failed {
			failed = true
			return nil, errors.New("unlucky")
		}
		return host.TextOutput("worked"), nil
	})
}

func TestAThreadRemembers(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("one"), scripted.Say("two"), scripted.Say("three")).keeps()
	b.State = []host.Field{
		{Name: "thread", Reducer: host.Add()},
		{Name: "run", Lifetime: host.LifetimeRun, Reducer: host.Add()},
		{Name: "step", Lifetime: host.LifetimeStep},
		{Name: "hidden", HideInput: true, HideOutput: true, Reducer: host.Add()},
	}
	b.use(host.BeforeAgent("counts", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		view := rt.View()
		b.notef("%d new, reset %t, thread %s run %s step %s hidden %s", view.Items.Len(), view.Reset,
			show(rt, "thread"), show(rt, "run"), show(rt, "step"), show(rt, "hidden"))
		return setting("thread", 1, "run", 1, "hidden", 1), nil
	}, host.WithView(abi.ViewNew())), host.AfterAgent("last", constant(setting("step", "left over"), nil)))
	agent := b.build()

	first, err := agent.Run(t.Context(), say("a"))
	require.NoError(t, err)
	second, err := agent.Run(t.Context(), say("b"))
	require.NoError(t, err)
	other, err := agent.Run(t.Context(), host.Input{Thread: "other"})
	require.NoError(t, err)

	require.Equal(t, []string{"human: a", "ai: one"}, lines(first.Messages))
	require.Equal(t, []string{"human: a", "ai: one", "human: b", "ai: two"}, lines(second.Messages))
	require.Equal(t, []string{"ai: three"}, lines(other.Messages))
	require.Equal(t, `{"run":1,"step":"left over","thread":1}`, stateOf(first))
	require.Equal(t, `{"run":1,"step":"left over","thread":2}`, stateOf(second))
	require.Equal(t, []string{
		"1 new, reset true, thread 0 run 0 step - hidden 0",
		"2 new, reset false, thread 1 run 0 step - hidden 1",
		"0 new, reset true, thread 0 run 0 step - hidden 0",
	}, b.log, "what a view of new messages has shown counts on over the runs of a thread")
	require.Empty(t, second.Next)
	distinct(t, second)
}

// distinct checks that all messages have ids of their own, although every run has the same seed.
func distinct(t *testing.T, result *host.Result) {
	t.Helper()
	seen := map[string]bool{}
	for _, m := range result.Messages.All() {
		require.NotEmpty(t, m.ID)
		require.False(t, seen[m.ID], "the id %s twice", m.ID)
		seen[m.ID] = true
	}
}

func TestARunWithoutAThreadRemembersNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("one"), scripted.Say("two")).keeps()
	agent := b.build()
	for _, text := range []string{"one", "two"} {
		result, err := agent.Run(t.Context(), hi())
		require.NoError(t, err)
		require.Equal(t, []string{"human: hi", "ai: " + text}, lines(result.Messages))
	}
}

func TestContinueRunsTheFailedStepAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search", "flaky"), scripted.Fail(errors.New("down")), scripted.Say("done")).keeps()
	b.answering("search", "found").flaky()
	b.State = []host.Field{{Name: "runs", Lifetime: host.LifetimeRun, Reducer: host.Add()}}
	b.use(host.BeforeAgent("once", func(context.Context, *host.Runtime) (*host.Update, error) {
		b.notef("before_agent")
		return setting("runs", 1), nil
	}))
	agent := b.build()

	failed, err := agent.Run(t.Context(), say("hi"))
	require.EqualError(t, err, `tool "flaky": call "2": unlucky`)
	require.Equal(t, host.Failed, failed.Status)
	require.Equal(t, "tools", failed.Next)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found"}, lines(failed.Messages))

	again, err := agent.Run(t.Context(), goOn())
	require.EqualError(t, err, `model "scripted": down`)
	require.Equal(t, "model", again.Next)

	done, err := agent.Run(t.Context(), goOn())
	require.NoError(t, err)
	require.Equal(t, host.Completed, done.Status)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "tool 2: worked", "ai: done"}, lines(done.Messages))
	require.Equal(t, []string{"before_agent", "search", "flaky", "flaky"}, b.log, "what finished does not run again")
	require.Equal(t, `{"runs":1}`, stateOf(done))
	require.Equal(t, failed.RunID, done.RunID)
	require.Equal(t, 4, done.Steps, "before_agent, model, tools, model")
	distinct(t, done)

	over, err := agent.Run(t.Context(), goOn())
	require.NoError(t, err)
	require.Equal(t, done, over, "a run that is over stays as it is")
}

func TestContinueAfterACancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := setup(t, calls("stop"), scripted.Say("done")).keeps()
	b.tool("stop", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		b.notef("stop")
		cancel()
		return host.TextOutput("stopped"), nil
	})
	agent := b.build()

	cancelled, err := agent.Run(ctx, say("hi"))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, host.Cancelled, cancelled.Status)
	require.Equal(t, "model", cancelled.Next)

	done, err := agent.Run(t.Context(), goOn())
	require.NoError(t, err)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: stopped", "ai: done"}, lines(done.Messages))
	require.Equal(t, []string{"stop"}, b.log)
}

func TestANewInputGivesUpARunThatFailed(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("flaky"), scripted.Say("done")).keeps().flaky()
	b.State = []host.Field{{Name: "run", Lifetime: host.LifetimeRun}, {Name: "step", Lifetime: host.LifetimeStep}}
	b.use(host.AfterModel("x", constant(setting("run", 1, "step", 2), nil)), host.BeforeAgent("look",
		func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			b.notef("run %s step %s", show(rt, "run"), show(rt, "step"))
			return nil, nil
		}))
	agent := b.build()
	_, err := agent.Run(t.Context(), say("hi"))
	require.Error(t, err)

	done, err := agent.Run(t.Context(), say("never mind"))

	require.NoError(t, err)
	require.Equal(t, []string{"human: hi", "ai: ", "human: never mind", "ai: done"}, lines(done.Messages))
	require.Equal(t, []string{"run - step -", "flaky", "run - step -"}, b.log)
}

func TestTheRecursionLimitCountsFromTheLastInterrupt(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), calls("search"), scripted.Say("done")).keeps().answering("search", "found")
	b.RecursionLimit = 3
	agent := b.build()

	failed, err := agent.Run(t.Context(), say("hi"))
	limit, ok := errors.AsType[*host.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 3, limit.Received)
	require.Equal(t, "tools", failed.Next, "the third step is done")

	done, err := agent.Run(t.Context(), goOn())
	require.NoError(t, err)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "ai: ", "tool 1: found", "ai: done"}, lines(done.Messages))
}

func TestAThreadHasOneRun(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("again"), scripted.Say("done"), scripted.Say("after")).keeps()
	var agent *host.Agent
	b.tool("again", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		result, err := agent.Run(ctx, say("me too"))
		require.ErrorIs(t, err, checkpoint.ErrBusy)
		require.EqualError(t, err, `thread "t": another run has the thread open; wait until it has ended`)
		require.Equal(t, host.Failed, result.Status)
		return host.TextOutput("no"), nil
	})
	agent = b.build()
	_, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	_, err = agent.Run(t.Context(), say("now"))
	require.NoError(t, err)
}

func TestInputsThatAThreadRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in   host.Input
		want string
	}{
		"continue of nothing":    {goOn(), `thread "t": there is no such thread; start it with messages`},
		"an answer to nothing":   {resume(host.Answer{Value: 1}), `thread "t": there is no such thread; start it with messages`},
		"continue and an answer": {host.Input{Thread: "t", Continue: true, Resume: []host.Answer{{Value: 1}}}, "both Continue and Resume"},
		"continue and messages":  {host.Input{Thread: "t", Continue: true, Messages: hi().Messages}, "messages or state as well as Continue or Resume"},
		"an answer and state":    {host.Input{Thread: "t", Resume: []host.Answer{{}}, State: map[string]any{"f": 1}}, "messages or state as well as Continue or Resume"},
		"continue of no thread":  {host.Input{Continue: true}, "names no thread"},
		"no answers":             {host.Input{Thread: "t", Resume: []host.Answer{}, Continue: true}, "both Continue and Resume"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t).keeps()
			result, err := b.build().Run(t.Context(), test.in)
			require.ErrorContains(t, err, test.want)
			var refused *host.ThreadError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, host.Failed, result.Status)
			require.Equal(t, "thread_error", host.ErrorDocument(err).Type)
		})
	}
	t.Run("a thread that nobody keeps", func(t *testing.T) {
		t.Parallel()
		_, err := setup(t).build().Run(t.Context(), say("hi"))
		require.ErrorIs(t, err, host.ErrNoCheckpointer)
	})
	t.Run("an answer that nobody waits for", func(t *testing.T) {
		t.Parallel()
		agent := setup(t, scripted.Say("done")).keeps().build()
		_, err := agent.Run(t.Context(), say("hi"))
		require.NoError(t, err)
		_, err = agent.Run(t.Context(), resume(host.Answer{Value: 1}))
		require.ErrorIs(t, err, host.ErrNotWaiting)
	})
	t.Run("a step that the agent does not have", func(t *testing.T) {
		t.Parallel()
		b := setup(t, scripted.Say("done")).keeps()
		with := setup(t).use(host.BeforeModel("gone", constant(nil, errors.New("fails"))))
		with.Checkpointer = b.Checkpointer
		_, err := with.build().Run(t.Context(), say("hi"))
		require.Error(t, err)
		_, err = b.build().Run(t.Context(), goOn())
		require.EqualError(t, err, `thread "t": it stopped before the step "gone.before_model", which this agent does not have: `+
			`middleware "gone" was removed; go on with an agent that has it, or start a new run by a message`)
	})
}

func TestAnEmptyInputDoesNotGiveUpARun(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), scripted.Say("done"), scripted.Say("again")).keeps().answering("search", "found")
	b.InterruptBefore = []string{"tools"}
	agent := b.build()
	require.Equal(t, host.Interrupted, outcome(t, agent, say("hi")).Status)
	for want, in := range map[string]host.Input{
		"Resume has no answers; use Continue":                          {Thread: "t", Resume: []host.Answer{}},
		`a run that stopped before "tools"; go on with it by Continue`: {Thread: "t"},
	} {
		result, err := agent.Run(t.Context(), in)
		require.ErrorContains(t, err, want)
		require.Empty(t, result.Next, "there is no new run to go on with")
	}
	require.Equal(t, "done", completed(t, agent, goOn()).Text())
	b.InterruptBefore = nil
	require.Equal(t, "again", completed(t, agent, host.Input{Thread: "t"}).Text(), "a run that is over is not in the way")
}

func TestNextOfAnInputThatIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), scripted.Say("done")).keeps().answering("search", "found")
	b.InterruptBefore = []string{"tools"}
	agent := b.build()
	require.Equal(t, "tools", outcome(t, agent, say("delete everything")).Next)
	in := say("no, stop")
	in.State = map[string]any{"typo": 1}
	var end host.Event
	result, err := agent.RunEvents(t.Context(), in, func(e host.Event) error { end = e; return nil })
	require.Error(t, err)
	require.Empty(t, result.Next)
	require.Equal(t, host.EventEnd, end.Type)
	require.Empty(t, end.Next)
}

// what a run counts goes on when it does.
func TestCountsGoOnOverAFailure(t *testing.T) {
	t.Parallel()
	usage := func(m abi.Message) abi.Message {
		m.Usage = &abi.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3}
		return m
	}
	malformed := usage(abi.AI(""))
	malformed.InvalidToolCalls = []abi.InvalidToolCall{{ID: "m", Name: "search", Args: "{"}}
	b := setup(t).keeps().answering("search", "found").flaky()
	b.Model = &fixedModel{turns: []abi.Message{
		usage(abi.AI("", call("1", "search"), call("2", "flaky"))), malformed, malformed,
	}}
	b.ToolCalls = host.ToolCallConfig{MaxTotalTokens: 3, MaxMalformed: 1}
	b.InterruptAfter = []string{"model"}
	b.use(host.AfterModel("x", constant(nil, nil)))
	agent := b.build()
	require.Equal(t, host.Interrupted, outcome(t, agent, say("hi")).Status)
	_, err := agent.Run(t.Context(), goOn())
	require.ErrorContains(t, err, "unlucky")
	result, err := agent.Run(t.Context(), goOn())
	require.Equal(t, 4, limitError(t, err).Received, "found and worked have two tokens each")
	require.EqualValues(t, 3, result.Usage.TotalTokens)
	require.Equal(t, host.Interrupted, outcome(t, agent, goOn()).Status)
	result, err = agent.Run(t.Context(), goOn())
	var many *host.MalformedError
	require.ErrorAs(t, err, &many)
	require.Equal(t, 2, many.Responses)
	require.EqualValues(t, 9, result.Usage.TotalTokens)
}

func TestAnInputThatIsRefusedLeavesTheThread(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("flaky"), scripted.Say("done")).keeps().flaky()
	agent := b.build()
	_, err := agent.Run(t.Context(), say("hi"))
	require.Error(t, err)

	in := say("more")
	in.State = map[string]any{"unknown": 1}
	_, err = agent.Run(t.Context(), in)
	require.ErrorContains(t, err, `field "unknown": is not declared`)

	done, err := agent.Run(t.Context(), goOn())
	require.NoError(t, err)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: worked", "ai: done"}, lines(done.Messages))
}

func TestFieldsThatAreUnsetStayUnset(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("one"), scripted.Say("two"), scripted.Say("three")).keeps()
	b.State = []host.Field{{Name: "run", Lifetime: host.LifetimeRun}}
	b.use(host.BeforeAgent("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		b.notef("%s", show(rt, "run"))
		if len(b.log) == 1 {
			return setting("run", 1), nil
		}
		_, err := rt.Interrupt("q", nil)
		return nil, err
	}))
	agent := b.build()
	completed(t, agent, say("a"))
	interrupted(t, agent, say("b"))
	completed(t, agent, resume(host.Answer{Value: 1}))
	require.Equal(t, []string{"-", "-", "-"}, b.log)
}
