package temporal

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/runs"
)

// calling is a workflow with an agent as a step.
func calling(ctx workflow.Context, c Call) (*Result, error) { return Agent(ctx, c) }

// caller returns a world with that workflow, in which activities note what they are told.
func caller(t *testing.T, submit func(s submission) error) (w *world, cancelled *[]string) {
	t.Helper()
	w, cancelled = newWorld(t), &[]string{}
	w.RegisterWorkflow(calling)
	w.RegisterActivityWithOptions(func(_ context.Context, s submission) error { return submit(s) }, activity.RegisterOptions{Name: submitName})
	w.RegisterActivityWithOptions(func(_ context.Context, s submission) error {
		*cancelled = append(*cancelled, s.Run)
		return nil
	}, activity.RegisterOptions{Name: cancelName})
	return w, cancelled
}

// asking is a workflow that needs the answer of an agent.
func asking(ctx workflow.Context, c Call) (*Answer, error) { return Ask(ctx, c) }

func TestAnAnswerIsForRunsThatSucceed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ended over
		text  string
	}{
		{over{Status: runs.Success}, "the answer"},
		{over{Status: runs.Success, Waiting: []string{"q"}}, ""},
		{over{Status: runs.Failed, Failure: &runs.Failure{Type: "model_error", Message: "no"}}, ""},
		{over{}, ""},
	} {
		var submitted submission
		w, _ := caller(t, func(s submission) error {
			submitted = s
			return nil
		})
		w.RegisterWorkflow(asking)
		w.RegisterActivityWithOptions(func(_ context.Context, s submission) (string, error) {
			require.Equal(t, submission{Owner: "ann", Thread: submitted.Thread, Run: submitted.Run, Agent: "helper"}, s, "no task, which the history has once")
			return "the answer", nil
		}, activity.RegisterOptions{Name: answerName})
		w.after(time.Minute, func() { w.SignalWorkflow(overName+submitted.Run, test.ended) })
		w.ExecuteWorkflow(asking, ask("hi"))
		require.NoError(t, w.GetWorkflowError())
		var got Answer
		require.NoError(t, w.GetWorkflowResult(&got))
		require.Equal(t, Answer{Result{submitted.Run, submitted.Thread, test.ended.Status, test.ended.Failure, test.ended.Waiting}, test.text}, got)
	}
}

func ask(text string) Call {
	return Call{Owner: "ann", Agent: "helper", Task: runs.Task{Messages: []abi.Message{abi.Human(text)}}}
}

func TestAnAgentIsAStepOfAWorkflow(t *testing.T) {
	t.Parallel()
	var submitted []submission
	w, _ := caller(t, func(s submission) error {
		submitted = append(submitted, s)
		return nil
	})
	w.after(25*time.Minute, func() {
		w.SignalWorkflow(overName+submitted[0].Run, over{Run: submitted[0].Run, Status: runs.Success, Waiting: []string{"q"}})
	})
	w.ExecuteWorkflow(calling, ask("hi"))
	require.NoError(t, w.GetWorkflowError())
	var got Result
	require.NoError(t, w.GetWorkflowResult(&got))
	require.Equal(t, Result{Run: submitted[0].Run, Thread: submitted[0].Thread, Status: runs.Success, Waiting: []string{"q"}}, got)
	require.Len(t, submitted, 3, "every ten minutes it asks again")
	require.Equal(t, submitted[0], submitted[2], "for the same run")
	require.Contains(t, string(submitted[0].Task), "hi")
}

func TestAWorkflowThatIsCancelledCancelsItsRun(t *testing.T) {
	t.Parallel()
	var run string
	w, cancelled := caller(t, func(s submission) error {
		run = s.Run
		return nil
	})
	w.after(time.Minute, w.CancelWorkflow)
	w.ExecuteWorkflow(calling, ask("hi"))
	var ended *temporal.CanceledError
	require.ErrorAs(t, w.GetWorkflowError(), &ended)
	require.Equal(t, []string{run}, *cancelled)
}

func TestCallsThatCannotBe(t *testing.T) {
	t.Parallel()
	w, _ := caller(t, func(submission) error { return nil })
	w.ExecuteWorkflow(calling, ask(strings.Repeat("x", MaxTask)))
	var failed *temporal.ApplicationError
	require.ErrorAs(t, w.GetWorkflowError(), &failed)
	require.Equal(t, ErrorInvalid, failed.Type())
	require.Contains(t, failed.Message(), "let the agent read what is large from a file or a store")

	w, _ = caller(t, func(submission) error { return invalid("the workers have no agent %q", "helper") })
	w.ExecuteWorkflow(calling, ask("hi"))
	require.ErrorAs(t, w.GetWorkflowError(), &failed)
	require.Equal(t, `the workers have no agent "helper"`, failed.Message())
}
