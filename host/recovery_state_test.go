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
	"github.com/agenthost/agenthost/host/tool"
)

// A wrap of the tool would have seen its result, and is not there when the run is given up. One of another tool does not matter.
func TestANewRunKnowsTheResultThatNoHookWouldHaveSeen(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"another": "tool 1: seen",
		"look":    "failed 1: This tool call was performed, but its result was lost.",
	} {
		d := newDying(t, calls("look", "send"), scripted.Say("done"))
		d.ToolCalls.Parallel = 1
		d.answering("look", "seen")
		d.sends(func(context.Context, int) error { d.die(); return nil })
		d.use(host.WrapToolCall("wraps", passingCall, host.OnlyTools(name)))
		_, err := d.build().Run(t.Context(), say("hi"))
		require.ErrorIs(t, err, errDead)
		result := completed(t, d.revive(), say("what now?"))
		require.Equal(t, []string{
			"human: hi", "ai: ", want, "failed 2: This tool call was cut off before it ended. It is not known what it has done.",
			"human: what now?", "ai: done",
		}, lines(result.Messages))
	}
}

// Somebody puts another message in the place of the one whose calls are half done. Its call may have the id of one that is
// done, or of one that waits, or another one: nothing of the old ones is its own.
func TestCallsThatAreReplacedWhenTheyAreHalfDone(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"1", "2", "9"} {
		b := setup(t, calls("look", "ask"), scripted.Say("done")).keeps().answering("look", "seen").answering("send", "sent").askingTool()
		agent := b.build()
		before := outcome(t, agent, say("hi"))
		require.Equal(t, []string{"human: hi", "ai: ", "tool 1: seen"}, lines(before.Messages))
		_, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Update: host.Update{
			Remove: []string{before.Messages.At(1).ID}, Messages: []abi.Message{abi.AI("", call(id, "send"))},
		}})
		require.NoError(t, err)
		_, err = agent.Run(t.Context(), resume(host.Answer{Interrupt: before.Interrupts[0].ID, Value: "yes"}))
		require.ErrorIs(t, err, host.ErrNotWaiting)
		result := completed(t, agent, goOn())
		require.Equal(t, []string{"human: hi", "ai: ", "tool " + id + ": sent", "ai: done"}, lines(result.Messages))
		require.Equal(t, "send", b.log[len(b.log)-1])
		require.Len(t, b.log, 3, "look, ask and send, each once")
	}
}

func TestAMessageBesideAQuestionLeavesWhatIsDone(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask", "look"), scripted.Say("done")).keeps().answering("look", "seen").tool("ask", asking)
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	got, err := agent.UpdateState(t.Context(), host.StateUpdate{Thread: "t", Update: host.Update{Messages: []abi.Message{abi.Human("between")}}})
	require.NoError(t, err)
	require.Equal(t, ids[0], got.Interrupts[0].ID)
	result := completed(t, agent, answering("yes"))
	require.Subset(t, lines(result.Messages), []string{"human: between", "tool 1: yes", "tool 2: seen", "ai: done"})
	require.Equal(t, []string{"look"}, b.log)
}

func TestAnAnswerThatIsNoTextIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask"), scripted.Say("done")).keeps().askingTool()
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	for want, answer := range map[string]host.Answer{
		`"Ren\xe9" is not UTF-8`:      {Value: "yes", By: "Ren\xe9"},
		"a string is not valid UTF-8": {Value: "y\xe9s"},
	} {
		_, err := agent.Run(t.Context(), resume(answer))
		require.ErrorContains(t, err, want)
		require.Equal(t, ids, interrupted(t, agent, goOn()), "nothing was answered")
	}
	completed(t, agent, answering("yes"))
	require.Equal(t, []string{"ask 1", "ask 1"}, b.log)
}

// begunOutside starts the thread with an AI message that no model has said.
func begunOutside(t *testing.T, agent *host.Agent, calls ...abi.ToolCall) {
	t.Helper()
	for _, u := range []host.StateUpdate{
		{As: "input", Update: host.Update{Messages: []abi.Message{abi.Human("hi")}}},
		{As: "model", Update: host.Update{Messages: []abi.Message{abi.AI("", calls...)}}},
	} {
		u.Thread = "t"
		_, err := agent.UpdateState(t.Context(), u)
		require.NoError(t, err)
	}
}

// Histories from outside may have several calls of one id, or of none.
func TestCallsOfOneIDRunEachForItself(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "1"} {
		b := setup(t, scripted.Say("done")).keeps().answering("look", "seen").answering("send", "sent")
		b.ToolCalls.Parallel = 1
		agent := b.build()
		begunOutside(t, agent, call(id, "look"), call(id, "send"))
		result := completed(t, agent, goOn())
		require.Equal(t, []string{"look", "send"}, b.log)
		require.Equal(t, "seen", result.Messages.At(2).Content.Text())
		require.Equal(t, "sent", result.Messages.At(3).Content.Text())
	}
}

// One has ended, the other one was cut off.
func TestCallsOfOneIDDoNotRunAgainAfterACrash(t *testing.T) {
	t.Parallel()
	d := newDying(t)
	d.Model = &turnModel{script: []scripted.Turn{calls(), scripted.Say("done")}}
	d.ToolCalls.Parallel = 1
	d.sends(func(_ context.Context, n int) error {
		if n == 2 {
			d.die()
		}
		return nil
	})
	agent := d.build()
	begunOutside(t, agent, call("1", "send"), call("1", "send"))
	_, err := agent.Run(t.Context(), goOn())
	require.ErrorIs(t, err, errDead)
	result := outcome(t, d.revive(), goOn())
	require.Contains(t, lines(result.Messages), "tool 1: sent")
	require.Equal(t, 2, d.sent)
	require.Equal(t, host.Interrupted, result.Status, "somebody is asked about the second")
	require.Len(t, result.Interrupts, 1)
}

// Somebody looks into an older checkpoint and goes on from there, and comes back: what was cut off is as open as it was.
func TestAnotherBranchHidesNothingThatWasCutOff(t *testing.T) {
	t.Parallel()
	d := newDying(t)
	d.counted().Model = &turnModel{script: []scripted.Turn{calls("look", "send"), scripted.Say("done")}}
	d.ToolCalls.Parallel = 1
	d.answering("look", "seen")
	d.sends(func(context.Context, int) error { d.die(); return nil })
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	agent := d.revive()
	crashed, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Len(t, crashed.Unfinished, 1)
	_, err = agent.UpdateState(t.Context(), host.StateUpdate{
		Thread: "t", Checkpoint: 1, Update: host.Update{Messages: []abi.Message{abi.Human("by the way")}},
	})
	require.NoError(t, err)
	got, err := agent.State(t.Context(), "t", crashed.Checkpoint)
	require.NoError(t, err)
	require.Equal(t, crashed.Unfinished, got.Unfinished)

	waits := outcome(t, agent, host.Input{Thread: "t", Checkpoint: crashed.Checkpoint, Continue: true})
	require.Equal(t, host.Interrupted, waits.Status)
	result := completed(t, agent, answering("skip"))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: seen", "failed 2: " + notRunAgain, "ai: done"}, lines(result.Messages))
	require.Equal(t, []string{"look"}, d.log)
	require.Equal(t, 1, d.sent)
}

// The run ends before its first step, and nothing was saved before: what the input has brought is.
func TestAnInputThatIsCancelledAtOnceIsKeptWithDurabilityExit(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask"), scripted.Say("done")).keeps().tool("ask", asking)
	b.Durability = host.DurabilityExit
	agent := b.build()
	for i, in := range []host.Input{say("hi"), answering("yes")} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		result, err := agent.Run(ctx, in)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, []string{"model", "tools"}[i], result.Next)
		require.Equal(t, []host.Status{host.Interrupted, host.Completed}[i], outcome(t, agent, goOn()).Status)
	}
}

// Calls of one message ask, fail, end and are cut off by a crash, one after the other. Each goes on from where it was.
func TestCallsThatStopForDifferentReasons(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("ask", "fail", "send", "ask"), scripted.Say("done"))
	d.ToolCalls.Parallel = 1
	fails := 0
	d.tool("ask", asking)
	d.tool("fail", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		fails++
		switch fails {
		case 1:
			return nil, errors.New("broken")
		case 2:
			d.die()
		}
		return host.TextOutput("mended"), nil
	})
	d.sends(nil)
	agent := d.build()
	_, err := agent.Run(t.Context(), say("hi"))
	require.EqualError(t, err, `tool "fail": call "2": broken`)
	_, err = agent.Run(t.Context(), answering("yes"))
	require.ErrorIs(t, err, errDead)
	agent = d.revive()
	result := outcome(t, agent, goOn())
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: yes", "tool 3: sent"}, lines(result.Messages))
	require.Len(t, result.Interrupts, 2)
	var answers []host.Answer
	for _, q := range result.Interrupts {
		value := map[string]string{"2": "retry", "4": "again"}[q.CallID]
		answers = append(answers, host.Answer{Interrupt: q.ID, Value: value})
	}
	result = completed(t, agent, resume(answers...))
	require.Equal(t, []string{
		"human: hi", "ai: ", "tool 1: yes", "tool 2: mended", "tool 3: sent", "tool 4: again", "ai: done",
	}, lines(result.Messages))
	require.Equal(t, 1, d.sent)
	require.Equal(t, 3, fails)
}

// stalling is a store that takes for ever to note an execution of the tool late, for the first time.
type stalling struct {
	checkpoint.Store

	begun chan struct{}
}

func (s stalling) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	session, err := s.Store.Open(ctx, thread)
	return stallingSession{session, s.begun}, err
}

type stallingSession struct {
	checkpoint.Session

	begun chan struct{}
}

func (s stallingSession) Journal(ctx context.Context, e *checkpoint.Execution) error {
	if e.Tool == "late" {
		select {
		case <-s.begun:
		default:
			close(s.begun)
			<-ctx.Done()
			return ctx.Err()
		}
	}
	return s.Session.Journal(ctx, e)
}

// A call fails while another one is still being noted, which is given up: that is not a failure of the thread.
func TestAFailureWhileACallIsBeingNotedIsSavedWithWhatWasAsked(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask", "fail", "late"), scripted.Say("done")).answering("late", "late")
	begun, asks := make(chan struct{}), make(chan struct{})
	b.Checkpointer = stalling{memory.New(), begun}
	b.tool("ask", func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		if len(rt.Answers()) == 0 {
			close(asks)
		}
		return asking(ctx, rt, call)
	})
	first := true
	b.tool("fail", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		<-asks
		<-begun
		if first {
			first = false
			return nil, errors.New("broken")
		}
		return host.TextOutput("mended"), nil
	})
	agent := b.build()
	result, err := agent.Run(t.Context(), say("hi"))
	require.EqualError(t, err, `tool "fail": call "2": broken`)
	require.Len(t, result.Interrupts, 1)
	got, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, `tool "fail": call "2": broken`, got.Failure)
	require.Equal(t, result.Interrupts, got.Interrupts)
	result = completed(t, agent, answering("yes"))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: yes", "tool 2: mended", "tool 3: late", "ai: done"}, lines(result.Messages))
	require.Equal(t, []string{"late"}, b.log)
}

// The same with a database, which takes its time for each of many calls.
func TestAFailureWhileADatabaseNotesCallsIsSavedWithWhatWasAsked(t *testing.T) {
	t.Parallel()
	for range 8 {
		b := setup(t, calls("ask", "fail", "send", "send", "send", "send", "send", "send"), scripted.Say("done")).answering("send", "sent")
		b.Checkpointer = onDisk(t)
		b.tool("ask", asking, tool.Idempotent())
		b.tool("fail", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			return nil, errors.New("broken")
		}, tool.Idempotent())
		agent := b.build()
		result, err := agent.Run(t.Context(), say("hi"))
		require.EqualError(t, err, `tool "fail": call "2": broken`)
		got, err := agent.State(t.Context(), "t", 0)
		require.NoError(t, err)
		require.Equal(t, `tool "fail": call "2": broken`, got.Failure)
		require.Equal(t, result.Interrupts, got.Interrupts)
	}
}
