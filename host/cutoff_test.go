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

// dying is a bundle on a store that dies when die is called, and a way to start another process on it.
type dying struct {
	*bundle

	store *mortal
	sent  int
}

func newDying(t *testing.T, script ...scripted.Turn) *dying {
	t.Helper()
	d := &dying{bundle: setup(t, script...), store: &mortal{Store: memory.New(), lives: 1 << 30}}
	d.Checkpointer = d.store
	return d
}

func (d *dying) die() {
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	d.store.lives = 0
}

func (d *dying) revive() *host.Agent {
	d.store.mu.Lock()
	d.store.lives = 1 << 30
	d.store.mu.Unlock()
	return d.build()
}

// sends is a tool that counts; before is called after the count, with the number.
func (d *dying) sends(before func(ctx context.Context, n int) error) {
	d.tool("send", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		d.mu.Lock()
		d.sent++
		n := d.sent
		d.mu.Unlock()
		if before != nil {
			if err := before(ctx, n); err != nil {
				return nil, err
			}
		}
		return host.TextOutput("sent"), nil
	})
}

// asked goes on and expects the question about a tool that was cut off.
func asked(t *testing.T, agent *host.Agent) host.Interrupt {
	t.Helper()
	result, err := agent.Run(t.Context(), goOn())
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, result.Interrupts, 1)
	require.Contains(t, result.Interrupts[0].Value.JSON(), `"type":"unfinished_tool_call"`)
	return result.Interrupts[0]
}

func answering(decision any) host.Input {
	return host.Input{Thread: "t", Resume: []host.Answer{{Value: decision}}}
}

func TestAToolThatIsCancelledIsNotRunAgainUnasked(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	d := newDying(t, calls("send"), scripted.Say("done"))
	d.sends(func(ctx context.Context, n int) error {
		if n > 1 {
			return nil
		}
		cancel()
		<-ctx.Done()
		return context.DeadlineExceeded // whatever it makes of that
	})
	agent := d.build()
	_, err := agent.Run(ctx, say("hi"))
	require.Error(t, err)
	asked(t, agent)
	for _, bad := range []any{"again", map[string]any{"type": "respond"}, 1, map[string]any{"type": "approve"}} {
		_, err := agent.Run(t.Context(), answering(bad))
		require.Error(t, err)
		require.Equal(t, 1, d.sent)
	}
	result := completed(t, agent, answering(map[string]any{"type": "skip", "message": "it was sent"}))
	require.Equal(t, []string{"human: hi", "ai: ", "failed 1: it was sent", "ai: done"}, lines(result.Messages))
	require.Equal(t, 1, d.sent)
}

func TestASiblingsFailureCutsOffOthers(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("send", "fail"), scripted.Say("done"))
	running := make(chan struct{})
	d.sends(func(ctx context.Context, n int) error {
		if n > 1 {
			return nil
		}
		close(running)
		<-ctx.Done()
		return ctx.Err()
	})
	broken := true
	d.tool("fail", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		<-running
		if broken {
			broken = false
			return nil, errors.New("broken")
		}
		return host.TextOutput("mended"), nil
	})
	d.ToolCalls.Parallel = 2
	agent := d.build()
	_, err := agent.Run(t.Context(), say("hi"))
	require.ErrorContains(t, err, "broken")
	asked(t, agent)
	result := completed(t, agent, answering("retry"))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: sent", "tool 2: mended", "ai: done"}, lines(result.Messages))
	require.Equal(t, 2, d.sent)
}

func TestACrashBehindAnOlderCheckpoint(t *testing.T) {
	t.Parallel()
	d := newDying(t)
	d.Model = &turnModel{script: []scripted.Turn{calls("send"), scripted.Say("done")}}
	seed := uint64(0)
	d.Seed = func() uint64 { seed++; return seed }
	d.sends(func(_ context.Context, n int) error {
		if n == 2 {
			d.die()
		}
		return nil
	})
	agent := d.build()
	completed(t, agent, say("hi"))
	_, err := agent.Run(t.Context(), host.Input{Thread: "t", Checkpoint: 2, Continue: true})
	require.ErrorIs(t, err, errDead)
	agent = d.revive()
	got, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Len(t, got.Unfinished, 1)
	require.Equal(t, "tools", got.Next)
	asked(t, agent)
	completed(t, agent, answering("skip"))
	require.Equal(t, 2, d.sent)
}

func TestArgumentsThatAreNotCanonical(t *testing.T) {
	t.Parallel()
	odd := wire.Raw("\x82\xa1b\xd3\x00\x00\x00\x00\x00\x00\x00\x01\xa1a\x02") // {"b":1,"a":2}
	d := newDying(t, scripted.CallTools(abi.ToolCall{ID: "1", Name: "send", Args: odd}), scripted.Say("done"))
	d.sends(nil)
	d.use(host.WrapToolCall("dies", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req)
		if d.sent == 1 && !d.store.dead() {
			d.die()
			return nil, nil, errDead
		}
		return m, nil, err
	}))
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	agent := d.revive()
	d.sent++ // the wrap does not die again
	completed(t, agent, goOn())
	require.Equal(t, 2, d.sent, "its result was noted")
}

// A failure that was noted is not a result: what failed runs again, as after a failure without a crash.
func TestACrashBehindAFailure(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("send"), scripted.Say("done"))
	d.sends(func(_ context.Context, n int) error {
		if n == 1 {
			return errors.New("down")
		}
		return nil
	})
	d.use(host.WrapToolCall("dies", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req)
		if err != nil {
			d.die()
		}
		return m, nil, err
	}))
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorContains(t, err, "down")
	result := completed(t, d.revive(), goOn())
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: sent", "ai: done"}, lines(result.Messages))
	require.Equal(t, 2, d.sent)
}

// A hook asks for another call than the one that was cut off: a person hears of the one that was.
func TestAnotherCallThanTheOneThatWasCutOff(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("send"), scripted.Say("done"))
	var keys []string
	d.tool("send", func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		keys = append(keys, call.Args.JSON()+" "+rt.IdempotencyKey())
		if len(keys) == 1 {
			d.die()
		}
		return host.TextOutput("sent"), nil
	})
	amount := 5
	d.use(host.WrapToolCall("sets", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		args, _ := wire.Of(map[string]any{"amount": amount})
		m, err := next(ctx, req.WithArgs(args))
		return m, nil, err
	}))
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	amount = 5000
	agent := d.revive()
	question := asked(t, agent)
	require.Contains(t, question.Value.JSON(), `"args":{"amount":5}`)
	require.Contains(t, question.Value.JSON(), `A hook around it now asks for send {\"amount\":5000}`)
	completed(t, agent, answering("retry"))
	require.Len(t, keys, 2)
	require.NotEqual(t, keys[0][len(keys[0])-32:], keys[1][len(keys[1])-32:], "it is another execution")
}

// Calls that tools and hooks make in a second try are others than those of the first.
func TestNestedCallsOfRetries(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("outer"), scripted.Say("done"))
	keys := map[string]int{}
	d.tool("send", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		keys[rt.IdempotencyKey()]++
		return host.TextOutput("sent"), nil
	})
	nested := func(ctx context.Context, rt *host.Runtime) error {
		_, err := rt.CallTool(ctx, "send", nil)
		return err
	}
	d.tool("outer", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("out"), nested(ctx, rt)
	})
	twice := func(ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		if _, err := next(ctx, req); err != nil {
			return nil, nil, err
		}
		m, err := next(ctx, req)
		return m, nil, err
	}
	calling := &middleware{name: "calls", hooks: host.Hooks{WrapToolCall: host.WrapToolHook{
		Tools: []string{"outer"},
		Revise: func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*abi.ToolCall, error) {
			return nil, nested(ctx, rt)
		},
		Func: func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
			if err := nested(ctx, rt); err != nil {
				return nil, nil, err
			}
			m, err := next(ctx, req)
			return m, nil, err
		},
	}}}
	d.use(host.WrapToolCall("twice", twice, host.OnlyTools("outer")), calling)
	completed(t, d.build(), say("hi"))
	require.Len(t, keys, 5, "one of the review, two of the hook, two of the tool")
	for key, n := range keys {
		require.Equal(t, 1, n, key)
	}
}

func TestAReviewCannotSwallowAnInterrupt(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("act"), scripted.Say("done")).keeps().tool("ask", asking).answering("act", "acted")
	b.use(&middleware{name: "reviews", hooks: host.Hooks{WrapToolCall: host.WrapToolHook{
		Tools: []string{"act"},
		Revise: func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*abi.ToolCall, error) {
			_, _ = rt.CallTool(ctx, "ask", nil)
			return nil, nil
		},
		Func: func(ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
			m, err := next(ctx, req)
			return m, nil, err
		},
	}}})
	agent := b.build()
	result, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Empty(t, b.log)
	completed(t, agent, answering("yes"))
	require.Equal(t, []string{"act"}, b.log)
}

func TestANewRunKnowsWhatWasCutOff(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("look", "send"), scripted.Say("done"))
	d.ToolCalls.Parallel = 1
	d.answering("look", "seen")
	d.sends(func(context.Context, int) error { d.die(); return nil })
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	result := completed(t, d.revive(), say("what now?"))
	require.Equal(t, []string{
		"human: hi", "ai: ", "tool 1: seen", "failed 2: This tool call was cut off before it ended. It is not known what it has done.",
		"human: what now?", "ai: done",
	}, lines(result.Messages))
}

// The next round's calls have the same ids: what is known of this round's is not theirs.
func TestRepeatedCallIDsAfterACrash(t *testing.T) {
	t.Parallel()
	d := newDying(t)
	d.Model = &turnModel{script: []scripted.Turn{calls("send", "look"), calls("send", "look"), scripted.Say("done")}}
	d.ToolCalls.Parallel = 1
	d.InterruptAfter = []string{"tools", "model"}
	d.sends(nil)
	d.tool("look", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		if d.sent == 1 && !d.store.dead() {
			d.die()
			return nil, errDead
		}
		return host.TextOutput("seen"), nil
	})
	agent := d.build()
	_, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	_, err = agent.Run(t.Context(), goOn())
	require.ErrorIs(t, err, errDead)
	agent = d.revive()
	d.sent = 10
	for range 6 {
		result, err := agent.Run(t.Context(), goOn())
		require.NoError(t, err)
		var answers []host.Answer
		for _, q := range result.Interrupts {
			answers = append(answers, host.Answer{Interrupt: q.ID, Value: "retry"})
		}
		if answers != nil {
			_, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: answers})
			require.NoError(t, err)
		}
	}
	require.Equal(t, 11, d.sent, "that of the first round was noted, that of the second runs")
}

func TestACrashIsKnownWhateverTheDurability(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("send"), scripted.Say("done"))
	d.sends(func(context.Context, int) error { d.die(); return nil })
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	d.Durability = host.DurabilityExit
	asked(t, d.revive())
	require.Equal(t, 1, d.sent)
}

// The checkpoint that a process finds is older than the step in which the last one died: hooks come between.
func TestACrashBehindAHookThatIsNotSaved(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("send"), scripted.Say("done"))
	d.sends(func(context.Context, int) error { d.die(); return nil })
	d.use(host.AfterModel("between", constant(nil, nil)))
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	asked(t, d.revive())
	require.Equal(t, 1, d.sent)
}

// A tool that was cut off is tried again, asks, is answered, and is cut off again: that is another question.
func TestCutOffAgainAfterAnAnswer(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("send"), scripted.Say("done"))
	d.tool("send", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		if d.sent == 0 {
			d.sent++
			d.die()
			return nil, errDead
		}
		if _, err := rt.Interrupt("really", nil); err != nil {
			return nil, err
		}
		d.sent++
		if d.sent == 2 {
			d.die()
		}
		return host.TextOutput("sent"), nil
	})
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	agent := d.revive()
	asked(t, agent)
	result, err := agent.Run(t.Context(), answering("retry"))
	require.NoError(t, err)
	require.Equal(t, "really", result.Interrupts[0].Key)
	_, err = agent.Run(t.Context(), answering("yes"))
	require.ErrorIs(t, err, errDead)
	asked(t, d.revive())
	require.Equal(t, 2, d.sent)
}
