package host_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestYield(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), scripted.Say("done")).keeps().answering("search", "found")
	agent := b.build()
	in := say("hi")
	var asked []host.Boundary
	in.Yield = func(at host.Boundary) bool {
		asked = append(asked, at)
		return at.Next == "model"
	}
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.True(t, result.Yielded)
	require.Equal(t, []any{host.Interrupted, "model", checkpoint.ID(3)}, []any{result.Status, result.Next, result.Checkpoint})
	require.Equal(t, []host.Boundary{{Next: "tools", Checkpoint: 2, Steps: 1}, {Next: "model", Checkpoint: 3, Steps: 2}}, asked)

	in = goOn()
	in.Yield = func(host.Boundary) bool { t.Error("a run that is over cannot yield"); return true }
	result = completed(t, agent, in)
	require.False(t, result.Yielded)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "ai: done"}, lines(result.Messages))
	require.Equal(t, []string{"search"}, b.log)
}

func TestARunThatYieldedStillStopsAtABreakpoint(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), scripted.Say("done")).keeps().answering("search", "found")
	b.InterruptBefore = []string{"tools"}
	agent := b.build()
	in := say("hi")
	in.Yield = func(host.Boundary) bool { return true }
	require.True(t, outcome(t, agent, in).Yielded)
	result := outcome(t, agent, goOn())
	require.Equal(t, []any{host.Interrupted, "tools", false}, []any{result.Status, result.Next, result.Yielded})
}

func TestDrain(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("wait"), scripted.Say("done")).keeps()
	began, let := make(chan struct{}), make(chan struct{})
	b.tool("wait", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		close(began)
		<-let
		return host.TextOutput("waited"), nil
	})
	agent := b.build()
	ended := make(chan *host.Result)
	go func() {
		result, err := agent.Run(t.Context(), say("hi"))
		if err != nil {
			t.Error(err)
		}
		ended <- result
	}()
	<-began
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no time left"))
	require.EqualError(t, agent.Drain(gone), "runs that have not ended yet: 1: no time left")

	_, err := agent.Run(t.Context(), host.Input{Thread: "other", Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, host.ErrDraining)
	close(let)
	require.NoError(t, agent.Drain(t.Context()))
	result := <-ended
	require.True(t, result.Yielded)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: waited"}, lines(result.Messages), "the tool was not cut off")
	state, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err, "threads can be read")
	require.Equal(t, "model", state.Next)

	next := b.build() // as another process
	require.Equal(t, "done", completed(t, next, goOn()).Text())
}

func TestAnInputIsTakenOnce(t *testing.T) {
	t.Parallel()
	once := func(seed uint64, in host.Input) host.Input {
		in.Once, in.Seed = true, seed
		return in
	}
	t.Run("a message", func(t *testing.T) {
		t.Parallel()
		b := setup(t, calls("flaky"), scripted.Say("done"), scripted.Say("again")).keeps().flaky()
		agent := b.build()
		in := once(1, say("hi"))
		_, err := agent.Run(t.Context(), in)
		require.ErrorContains(t, err, "unlucky")
		result := completed(t, agent, in)
		require.Equal(t, []string{"human: hi", "ai: ", "tool 1: worked", "ai: done"}, lines(result.Messages), "it goes on")
		require.Equal(t, lines(result.Messages), lines(completed(t, agent, in).Messages), "it is over")
		require.Equal(t, "again", completed(t, agent, once(2, say("hi"))).Text(), "the same text is another input")
	})
	t.Run("an answer", func(t *testing.T) {
		t.Parallel()
		b := setup(t, calls("ask", "flaky"), scripted.Say("done")).keeps().tool("ask", asking).flaky()
		agent := b.build()
		_, err := agent.Run(t.Context(), once(1, say("hi")))
		require.ErrorContains(t, err, "unlucky")
		waits := outcome(t, agent, once(2, goOn()))
		require.Len(t, waits.Interrupts, 1)
		in := once(3, resume(host.Answer{Interrupt: waits.Interrupts[0].ID, Value: "yes"}))
		result := completed(t, agent, in)
		require.Equal(t, lines(result.Messages), lines(completed(t, agent, in).Messages), "it is not refused the second time")
		require.Equal(t, []string{"flaky", "flaky"}, b.log)
	})
	t.Run("to a breakpoint", func(t *testing.T) {
		t.Parallel()
		b := setup(t, calls("search"), scripted.Say("done")).keeps().answering("search", "found")
		b.InterruptBefore, b.InterruptAfter = []string{"tools"}, []string{"tools"}
		agent := b.build()
		for range 2 {
			require.Equal(t, "tools", outcome(t, agent, once(1, say("hi"))).Next)
			require.Empty(t, b.log, "no repetition passes the breakpoint")
		}
		for range 2 {
			require.Equal(t, "model", outcome(t, agent, once(2, goOn())).Next)
		}
		require.Equal(t, "done", completed(t, agent, once(3, goOn())).Text())
	})
	t.Run("in a branch", func(t *testing.T) {
		t.Parallel()
		_, agent := travelling(t)
		in := once(100, host.Input{Thread: "t", Checkpoint: 2, Continue: true})
		first := completed(t, agent, in)
		require.Equal(t, first.Checkpoint, completed(t, agent, in).Checkpoint, "it makes no second branch")
	})
	t.Run("without a seed", func(t *testing.T) {
		t.Parallel()
		in := say("hi")
		in.Once = true
		_, err := setup(t).keeps().build().Run(t.Context(), in)
		require.EqualError(t, err, `thread "t": the input has Once without a Seed, by which it would be recognized`)
	})
}

func TestWhatToTryAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		ok   bool
	}{
		{"the thread is busy", &checkpoint.BusyError{}, true},
		{"the lease was lost", &host.ThreadError{Thread: "t", Err: checkpoint.ErrLost}, true},
		{"no database", checkpoint.ErrUnavailable, true},
		{"a locked database", checkpoint.ErrLocked, true},
		{"the agent drains", host.ErrDraining, true},
		{"a full disk", checkpoint.ErrFull, false},
		{"the run waits", host.ErrWaiting, false},
		{"a cancelled run", context.Canceled, false},
		{"a model that is overloaded", &host.ModelError{Retryable: true, Err: &model.Error{}}, true},
		{"a model that refuses", &host.ModelError{Err: &model.Error{}}, false},
		{"nothing", nil, false},
	} {
		after, ok := host.Retry(test.err)
		require.Equal(t, test.ok, ok, test.name)
		require.Zero(t, after, test.name)
	}
	after, ok := host.Retry(&host.ModelError{Retryable: true, RetryAfter: time.Second})
	require.Equal(t, []any{time.Second, true}, []any{after, ok})
	after, ok = host.Retry(&checkpoint.BusyError{Until: time.Now().Add(time.Hour)})
	require.True(t, ok)
	require.InDelta(t, time.Hour, after, float64(time.Minute))
	after, _ = host.Retry(&checkpoint.BusyError{Until: time.Now().Add(-time.Hour)})
	require.Zero(t, after)
}
