package enginetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
)

func aRunIsPerformed(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Say("hello"))
	r.start()
	run := r.over(r.submit(say("hi")))
	require.Equal(t, runs.Success, run.Status)
	require.Equal(t, []any{1, checkpoint.ID(0), checkpoint.ID(2)}, []any{run.Attempt, run.Before, run.After})
	require.Equal(t, []string{
		"1 run", "1 state input", "1 checkpoint",
		"1 step model", "1 request model", "1 model model", "1 state model", "1 checkpoint model", //nolint:dupword // a type and a step
		"1 end completed",
	}, r.events(run))
	require.Equal(t, []any{runs.ThreadIdle, "helper"}, []any{r.thread().Status, r.thread().Agent})
	require.False(t, r.thread().Stepped.IsZero())
	require.Equal(t, []string{"human: hi", "ai: hello"}, r.messages())
}

func runsOfAThreadAreInOrder(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Say("one"), scripted.Say("two"), scripted.Say("three"))
	all := []*runs.Run{r.submit(say("1")), r.submit(say("2")), r.submit(say("3"))}
	r.start()
	for _, run := range all {
		require.Equal(t, runs.Success, r.over(run).Status)
	}
	require.Equal(t, []string{"human: 1", "ai: one", "human: 2", "ai: two", "human: 3", "ai: three"}, r.messages())
}

func aQuestionIsAnsweredByAnotherRun(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Say("done"))
	r.config.Middleware = []host.Middleware{host.BeforeAgent("ask", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.Interrupt("ok", wire.String("may I?"))
		return nil, err
	})}
	r.start()
	asked := r.over(r.submit(say("hi")))
	require.Equal(t, runs.Success, asked.Status, "as in LangGraph's API")
	waiting := r.thread()
	require.Equal(t, runs.ThreadInterrupted, waiting.Status)
	require.Len(t, waiting.Waiting, 1)
	require.Equal(t, `"may I?"`, string(waiting.Waiting[0].Value))

	answered := r.over(r.submit(runs.Task{Answers: []runs.Answer{{Interrupt: waiting.Waiting[0].ID, Value: wire.String("yes")}}}))
	require.Equal(t, runs.Success, answered.Status)
	require.Equal(t, asked.After, answered.Before)
	require.Equal(t, runs.ThreadIdle, r.thread().Status)
	require.Empty(t, r.thread().Waiting)
	require.Equal(t, []string{"human: hi", "ai: done"}, r.messages())
}

// An answer that another version of the agent cannot take up leaves the question where it is.
func aQuestionOutlivesAnAnswerThatFails(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Say("done"))
	ask := host.BeforeAgent("ask", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.Interrupt("ok", wire.String("may I?"))
		return nil, err
	})
	r.config.Middleware = []host.Middleware{ask}
	first := r.start()
	asked := r.over(r.submit(say("hi")))
	before := r.thread().Waiting
	require.Len(t, before, 1)
	first.Close(t.Context())
	answer := runs.Task{Answers: []runs.Answer{{Interrupt: before[0].ID, Value: wire.String("yes")}}}

	was := r.config.Middleware
	r.config.Middleware = []host.Middleware{ask, host.BeforeModel("new", func(context.Context, *host.Runtime) (*host.Update, error) { return nil, nil })}
	second := r.start()
	failed := r.over(r.submit(answer))
	require.Equal(t, runs.Failed, failed.Status)
	require.Contains(t, failed.Failure.Message, "the run began with another program")
	require.Equal(t, asked.After, failed.After)
	then := r.thread()
	require.Equal(t, []any{runs.ThreadInterrupted, before, failed.Failure}, []any{then.Status, then.Waiting, then.Failure})
	second.Close(t.Context())

	r.config.Middleware = was
	r.start()
	require.Equal(t, runs.Success, r.over(r.submit(answer)).Status, "whoever brings the version back can answer")
	require.Empty(t, r.thread().Waiting)
	require.Equal(t, []string{"human: hi", "ai: done"}, r.messages())
}

func aFailureIsNoted(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Fail(errors.New("down")))
	r.start()
	run := r.over(r.submit(say("hi")))
	require.Equal(t, runs.Failed, run.Status)
	require.Equal(t, &runs.Failure{Type: "model_error", Message: `model "scripted": down`}, run.Failure)
	require.Equal(t, runs.ThreadFailed, r.thread().Status)
	require.Contains(t, r.events(run), "1 end failed")

	unreadable := r.over(r.submit(say("hi"), func(run *runs.Run) { run.Task = runs.Document(`{"mesages": []}`) }))
	require.Equal(t, runs.Failed, unreadable.Status)
	require.Contains(t, unreadable.Failure.Message, `unknown field "mesages"`)
	require.Equal(t, []string{"1 end failed"}, r.events(unreadable), "each run has an end")
}

func cancel(t *testing.T, start Start) {
	t.Helper()
	for how, test := range map[runs.Cancel]struct {
		status   runs.ThreadStatus
		messages []string
	}{
		runs.CancelKeep:     {runs.ThreadInterrupted, []string{"human: hi", "ai: hello", "human: work", "ai: "}},
		runs.CancelRollback: {runs.ThreadIdle, []string{"human: hi", "ai: hello"}},
	} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			r := setup(t, start, scripted.Say("hello"), work())
			began, _, _ := r.blocks()
			r.start()
			first := r.over(r.submit(say("hi")))
			run := r.submit(say("work"))
			<-began
			_, err := r.store.Cancel(t.Context(), "ann", run.ID, how)
			require.NoError(t, err)
			if how == runs.CancelKeep {
				got := r.over(run)
				require.Equal(t, runs.Interrupted, got.Status)
				require.Contains(t, r.events(run), "1 end cancelled")
			} else {
				require.Eventually(t, func() bool {
					_, err := r.store.Run(t.Context(), "ann", run.ID)
					return errors.Is(err, runs.ErrNoRun)
				}, 10*time.Second, 5*time.Millisecond)
				held, err := r.threads.Load(t.Context(), runs.ThreadName("ann", "t"), 0)
				require.NoError(t, err)
				require.Equal(t, first.After, held.Newest)
			}
			require.Equal(t, test.status, r.thread().Status)
			require.Equal(t, test.messages, r.messages())
		})
	}
}

func aRunThatTakesTooLong(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, work())
	r.blocks()
	r.start(func(c *engine.Config) { c.Timeout = 50 * time.Millisecond })
	run := r.over(r.submit(say("hi")))
	require.Equal(t, runs.TimedOut, run.Status)
	require.Equal(t, "the run takes longer than the server allows", run.Failure.Message)
}
