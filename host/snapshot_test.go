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

// travelling is an agent with a thread of one run of two rounds.
func travelling(t *testing.T) (*bundle, *host.Agent) {
	t.Helper()
	b := setup(t).keeps().answering("search", "found")
	seed := uint64(0)
	b.Seed = func() uint64 { seed++; return seed }
	b.Model = &turnModel{script: []scripted.Turn{calls("search"), scripted.Say("done"), scripted.Say("again")}}
	b.use(host.BeforeModel("counts", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		return setting("seen", rt.State().Messages().Len()), nil
	}, host.WithFields(host.Field{Name: "seen", HideOutput: true})))
	agent := b.build()
	completed(t, agent, say("hi"))
	return b, agent
}

// records are the checkpoints of the thread, the oldest first, as "source step > next".
func records(t *testing.T, agent *host.Agent) (out []string) {
	t.Helper()
	for r, err := range agent.History(t.Context(), "t") {
		require.NoError(t, err)
		next := r.Checkpoint.Next
		if next == "" {
			next = "end"
		}
		out = append([]string{string(r.Source) + " " + r.Step + " > " + next}, out...)
	}
	return out
}

func TestHistoryOfAThread(t *testing.T) {
	t.Parallel()
	_, agent := travelling(t)
	require.Equal(t, []string{"input  > counts.before_model", "loop model > tools", "loop tools > counts.before_model", "loop model > end"},
		records(t, agent))

	newest, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "ai: done"}, lines(newest.Messages))
	require.Equal(t, `{"seen":3}`, newest.State.Raw().JSON(), "hidden fields too")
	require.Equal(t, []checkpoint.ID{4, 3, 4}, []checkpoint.ID{newest.Checkpoint, newest.Parent, newest.Newest})
	require.Equal(t, 5, newest.Steps)
	require.Equal(t, "done", newest.Answer())
	older, err := agent.State(t.Context(), "t", 2)
	require.NoError(t, err)
	require.Empty(t, older.Answer())
	require.Equal(t, []string{"human: hi", "ai: "}, lines(older.Messages))
	require.Equal(t, []string{"model", "tools"}, []string{older.Step, older.Next})

	_, err = agent.State(t.Context(), "t", 9)
	require.ErrorIs(t, err, checkpoint.ErrNoCheckpoint)
	require.EqualError(t, err, `thread "t": the thread has no such checkpoint`)
	_, err = agent.State(t.Context(), "other", 0)
	require.ErrorIs(t, err, checkpoint.ErrNoThread)
	for _, err := range agent.History(t.Context(), "other") {
		require.ErrorIs(t, err, checkpoint.ErrNoThread)
	}
	_, err = setup(t, scripted.Say("x")).build().State(t.Context(), "t", 0)
	require.ErrorIs(t, err, host.ErrNoCheckpointer)
}

func TestDurability(t *testing.T) {
	t.Parallel()
	for durability, want := range map[host.Durability][]string{
		host.DurabilityExit: {"loop model > end"},
		host.DurabilityStep: {
			"input  > counts.before_model", "loop counts.before_model > model", "loop model > tools", "loop tools > counts.before_model",
			"loop counts.before_model > model", "loop model > end",
		},
	} {
		b := setup(t, calls("search"), scripted.Say("done")).keeps().answering("search", "found")
		b.Durability = durability
		b.use(host.BeforeModel("counts", constant(nil, nil)))
		agent := b.build()
		completed(t, agent, say("hi"))
		require.Equal(t, want, records(t, agent), durability)
	}
	b := setup(t, scripted.Say("x")).keeps()
	b.Durability = "often"
	_, err := host.New(b.Config)
	require.EqualError(t, err, `agent: Durability is "often"; use "round", "step" or "exit"`)
}

func TestAnInterruptIsSavedWithDurabilityExit(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), scripted.Say("done")).keeps().answering("search", "found")
	b.Durability, b.InterruptBefore = host.DurabilityExit, []string{"tools"}
	agent := b.build()
	result, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	completed(t, b.build(), goOn())
	require.Equal(t, []string{"loop model > tools", "loop model > end"}, records(t, agent))
}

func TestTimeTravel(t *testing.T) {
	t.Parallel()
	b, agent := travelling(t)
	b.log = nil
	result := completed(t, agent, host.Input{Thread: "t", Checkpoint: 2, Continue: true})
	require.Equal(t, []string{"search"}, b.log, "the tools run again")
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "ai: done"}, lines(result.Messages))
	branch, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.EqualValues(t, 7, branch.Newest)
	first, err := agent.State(t.Context(), "t", 5)
	require.NoError(t, err)
	require.EqualValues(t, 2, first.Parent)
	require.Equal(t, checkpoint.SourceFork, first.Source)
	before, err := agent.State(t.Context(), "t", 4)
	require.NoError(t, err)
	require.NotEqual(t, before.RunID, branch.RunID, "it is another run")

	result = completed(t, agent, host.Input{Thread: "t", Checkpoint: 3, Messages: []abi.Message{abi.Human("and?")}})
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "human: and?", "ai: done"}, lines(result.Messages))

	_, err = agent.Run(t.Context(), host.Input{Thread: "t", Checkpoint: 99, Continue: true})
	require.ErrorIs(t, err, checkpoint.ErrNoCheckpoint)
	_, err = agent.Run(t.Context(), host.Input{Thread: "new", Checkpoint: 1, Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, host.ErrUnknownThread)
	_, err = agent.Run(t.Context(), host.Input{Checkpoint: 1, Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, host.ErrNoThread)
}

func TestUpdateState(t *testing.T) {
	t.Parallel()
	update := func(messages ...abi.Message) host.Update { return host.Update{Messages: messages} }
	t.Run("behind a step", func(t *testing.T) {
		t.Parallel()
		b, agent := travelling(t)
		b.log = nil
		answer := abi.ToolResult(call("1", "search"), "from outside")
		got, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Checkpoint: 2, Update: update(answer), As: "tools"})
		require.NoError(t, err)
		require.Equal(t, "counts.before_model", got.Next)
		require.Equal(t, checkpoint.SourceUpdate, got.Source)
		require.Equal(t, []checkpoint.ID{5, 2}, []checkpoint.ID{got.Checkpoint, got.Parent})
		result := completed(t, agent, goOn())
		require.Equal(t, []string{"human: hi", "ai: ", "tool 1: from outside", "ai: done"}, lines(result.Messages))
		require.Empty(t, b.log)
	})
	t.Run("as an input", func(t *testing.T) {
		t.Parallel()
		_, agent := travelling(t)
		got, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Update: update(abi.Human("more")), As: "input"})
		require.NoError(t, err)
		require.Equal(t, "counts.before_model", got.Next)
		result := completed(t, agent, goOn())
		require.Equal(t, "again", result.Text())
	})
	t.Run("where it is", func(t *testing.T) {
		t.Parallel()
		b := setup(t, calls("ask"), scripted.Say("done")).keeps()
		b.tool("ask", asking)
		b.State = []host.Field{{Name: "note"}}
		agent := b.build()
		_, err := agent.Run(t.Context(), say("hi"))
		require.NoError(t, err)
		got, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Update: *setting("note", "n")})
		require.NoError(t, err)
		require.Len(t, got.Interrupts, 1, "what was asked stays asked")
		require.Equal(t, `{"note":"n"}`, got.State.Raw().JSON())
		completed(t, agent, host.Input{Thread: "t", Resume: []host.Answer{{Value: "yes", By: "ann"}}})
		for r, err := range agent.History(t.Context(), "t") {
			require.NoError(t, err)
			if len(r.Checkpoint.Questions) > 0 && !r.Checkpoint.Questions[0].Answer.IsZero() {
				require.Equal(t, "ann", r.Checkpoint.Questions[0].AnsweredBy)
				require.EqualValues(t, 1_700_000_000_000, r.Checkpoint.Questions[0].AnsweredAt)
				return
			}
		}
		t.Fatal("who answered is not in the history")
	})
	t.Run("to another step", func(t *testing.T) {
		t.Parallel()
		b := setup(t, calls("work", "ask"), scripted.Say("done")).keeps().answering("work", "worked").tool("ask", asking).use(
			host.AfterAgent("last", constant(nil, nil)))
		agent := b.build()
		require.Equal(t, "tools", outcome(t, agent, say("hi")).Next)
		skipped := abi.ToolResult(call("2", "ask"), "skipped")
		got, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Update: update(skipped), Goto: "model"})
		require.NoError(t, err)
		require.Equal(t, "model", got.Next)
		require.Empty(t, got.Interrupts)
		result := completed(t, agent, goOn())
		require.Equal(t, []string{"human: hi", "ai: ", "tool 1: worked", "tool 2: skipped", "ai: done"}, lines(result.Messages))
		require.Equal(t, []string{"work"}, b.log, "what a tool had done is not repeated")
	})
	t.Run("to the end", func(t *testing.T) {
		t.Parallel()
		b := setup(t, calls("ask"), scripted.Say("new")).keeps().tool("ask", asking)
		b.use(host.AfterAgent("last", constant(nil, errors.New("it runs"))), b.ending())
		agent := b.build()
		require.Equal(t, "tools", outcome(t, agent, say("hi")).Next)
		require.Empty(t, b.log)
		got, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Goto: host.EndStep})
		require.NoError(t, err)
		require.Empty(t, got.Next)
		require.Empty(t, got.Interrupts)
		require.Equal(t, []string{got.RunID + " is over, <nil>"}, b.log, "the middleware is told")
		_, err = agent.Run(t.Context(), resume(host.Answer{Value: "yes"}))
		require.ErrorIs(t, err, host.ErrNotWaiting)
	})
	t.Run("as an input, to a step", func(t *testing.T) {
		t.Parallel()
		_, agent := travelling(t)
		got, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Update: update(abi.Human("more")), As: "input", Goto: "model"})
		require.NoError(t, err)
		require.Equal(t, "model", got.Next)
		require.Equal(t, "again", completed(t, agent, goOn()).Text())
	})
	t.Run("removes messages", func(t *testing.T) {
		t.Parallel()
		_, agent := travelling(t)
		was, err := agent.State(t.Context(), "t", 0)
		require.NoError(t, err)
		last := was.Messages.At(was.Messages.Len() - 1)
		got, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Update: host.Update{Remove: []string{last.ID}}})
		require.NoError(t, err)
		require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found"}, lines(got.Messages))
		got, err = agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Update: host.Update{Overwrite: true}})
		require.NoError(t, err)
		require.Zero(t, got.Messages.Len(), "an update that overwrites removes all")
	})
	t.Run("what is refused", func(t *testing.T) {
		t.Parallel()
		_, agent := travelling(t)
		for want, u := range map[string]host.StateUpdate{
			`there is no step "nowhere"`: {As: "nowhere"},
			`field "x": is not declared`: {Update: *setting("x", 1)},
			`without As`:                 {Update: host.Update{JumpTo: abi.JumpEnd}},
			`not declared; add it`:       {Update: host.Update{JumpTo: abi.JumpEnd}, As: "counts.before_model"},
			`no such checkpoint`:         {Checkpoint: 9},
			`no step "nowhere" to go to; the steps are counts.before_model, model, tools, end`: {Goto: "nowhere"},
		} {
			u.Thread = "t"
			_, err := agent.UpdateState(t.Context(), u)
			require.ErrorContains(t, err, want)
		}
		got, err := agent.State(t.Context(), "t", 0)
		require.NoError(t, err)
		require.EqualValues(t, 4, got.Newest, "nothing was written")
	})
}

// asking is a tool that asks.
func asking(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
	answer, err := rt.Interrupt("ok", nil)
	if err != nil {
		return nil, err
	}
	text, _ := answer.AsString()
	return host.TextOutput(text), nil
}

// versioned is a middleware that states what it is.
func versioned(name, version, digest string) *middleware {
	return &middleware{name: name, hooks: host.Hooks{Version: version, Digest: digest, BeforeModel: host.NodeHook{Func: constant(nil, nil)}}}
}

func TestProgramChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		now  []host.Middleware
		want string
	}{
		{"the same", []host.Middleware{versioned("a", "1", "sha256:00"), versioned("b", "", "")}, ""},
		{"a version", []host.Middleware{versioned("a", "2", "sha256:00"), versioned("b", "", "")}, `middleware "a" has the version "2", it had "1"`},
		{"a digest", []host.Middleware{versioned("a", "1", "sha256:0123456789abcdef"), versioned("b", "", "")}, `middleware "a" has the digest sha256:0123456789ab, it had sha256:00`},
		{"another one", []host.Middleware{versioned("a", "1", "sha256:00"), versioned("c", "", "")}, `middleware "b" was removed; middleware "c" is new`},
		{"the order", []host.Middleware{versioned("b", "", ""), versioned("a", "1", "sha256:00")}, `the order of the middleware is ["b" "a"], it was ["a" "b"]`},
		{"a jump", []host.Middleware{versioned("a", "1", "sha256:00"), &middleware{name: "b", hooks: host.Hooks{
			BeforeModel: host.NodeHook{Func: constant(nil, nil), CanJumpTo: []abi.Target{abi.JumpEnd}},
		}}}, `its steps or their jumps differ`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store := memory.New()
			began := setup(t, calls("ask")).tool("ask", asking).use(versioned("a", "1", "sha256:00"), versioned("b", "", ""))
			began.Checkpointer = store
			_, err := began.build().Run(t.Context(), say("hi"))
			require.NoError(t, err)

			now := setup(t, scripted.Say("done")).tool("ask", asking).use(test.now...)
			now.Checkpointer = store
			agent := now.build()
			in := host.Input{Thread: "t", Resume: []host.Answer{{Value: "yes"}}}
			if test.want != "" {
				_, err = agent.Run(t.Context(), in)
				var changed *host.ProgramError
				require.ErrorAs(t, err, &changed)
				require.Equal(t, "tools", changed.Next)
				require.ErrorContains(t, err, test.want)
				require.ErrorContains(t, err, "--accept-changes")
			}
			in.AcceptChanges = test.want != ""
			result := completed(t, agent, in)
			require.Equal(t, []string{"human: hi", "ai: ", "tool 1: yes", "ai: done"}, lines(result.Messages))
		})
	}
}

func TestFieldsOfAMiddlewareThatIsGoneAreKept(t *testing.T) {
	t.Parallel()
	store := memory.New()
	with := setup(t, scripted.Say("one")).use(host.BeforeAgent("sets", constant(setting("kept", 1), nil), host.WithFields(host.Field{Name: "kept"})))
	with.Checkpointer = store
	completed(t, with.build(), say("hi"))
	without := setup(t, scripted.Say("two")).use(host.BeforeAgent("anew",
		constant(&host.Update{Overwrite: true, Messages: []abi.Message{abi.Human("summary")}}, nil)))
	without.Checkpointer = store
	completed(t, without.build(), say("again"))
	got, err := with.build().State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, `{"kept":1}`, got.State.Raw().JSON())
	require.Equal(t, []string{"human: summary", "ai: two"}, lines(got.Messages))
}

func TestAFailureIsInTheHistory(t *testing.T) {
	t.Parallel()
	b := setup(t).keeps().use(host.BeforeModel("x", constant(nil, errors.New("it broke"))))
	agent := b.build()
	_, err := agent.Run(t.Context(), say("hi"))
	require.Error(t, err)
	got, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"x.before_model", `middleware "x": before_model: it broke`}, []string{got.Next, got.Failure})
}

func TestALostLeaseEndsTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("wait"), scripted.Say("done"))
	lost := make(chan struct{})
	b.Checkpointer = losing{memory.New(), lost}
	b.tool("wait", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		close(lost)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	result, err := b.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, checkpoint.ErrLost)
	require.EqualError(t, err, `thread "t": the lease of the thread was lost; another run may continue the thread`)
	require.Equal(t, host.Failed, result.Status)
}

// losing is a store whose sessions lose their lease.
type losing struct {
	checkpoint.Store

	lost chan struct{}
}

func (l losing) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	session, err := l.Store.Open(ctx, thread)
	return losingSession{session, l.lost}, err
}

type losingSession struct {
	checkpoint.Session

	lost chan struct{}
}

func (l losingSession) Lost() <-chan struct{} { return l.lost }
