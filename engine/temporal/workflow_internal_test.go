package temporal

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/agenthost/agenthost/runs"
)

// world is Temporal's test environment, whose clock jumps to the next timer.
type world struct {
	*testsuite.TestWorkflowEnvironment

	t        *testing.T
	segments []segment // that were performed
}

// setup returns a world in which the activity performs the given verdicts, and then nothing.
func setup(t *testing.T, verdicts ...verdict) *world {
	t.Helper()
	w := newWorld(t)
	w.RegisterWorkflowWithOptions(threadWorkflow, workflow.RegisterOptions{Name: workflowName})
	w.RegisterActivityWithOptions(func(_ context.Context, s segment) (*verdict, error) {
		w.segments = append(w.segments, s)
		if n := len(w.segments); n <= len(verdicts) {
			return &verdicts[n-1], nil
		}
		return &verdict{}, nil
	}, activity.RegisterOptions{Name: performName})
	return w
}

func newWorld(t *testing.T) *world {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(sdkLogger(nil))
	w := &world{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: t}
	w.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a second is short where other tests have the processors
	return w
}

// run runs the workflow of a thread to its end.
func (w *world) run(t thread) error {
	w.t.Helper()
	t.ID, t.Owner, t.Heartbeat = "t", "ann", 3*time.Second
	w.ExecuteWorkflow(workflowName, t)
	require.True(w.t, w.IsWorkflowCompleted())
	return w.GetWorkflowError()
}

// after does something after some time of the world.
func (w *world) after(some time.Duration, do func()) { w.RegisterDelayedCallback(do, some) }

func TestAWorkflowEndsWhenNothingIsLeft(t *testing.T) {
	t.Parallel()
	w := setup(t, verdict{Run: "1", Agent: "a", More: true}, verdict{Run: "2", Agent: "a", More: true}, verdict{Run: "3", Agent: "a"})
	require.NoError(t, w.run(thread{}))
	require.Equal(t, []segment{{Owner: "ann", Thread: "t"}, {Owner: "ann", Thread: "t"}, {Owner: "ann", Thread: "t"}}, w.segments)
}

func TestAPersonAnswersAfterThreeDays(t *testing.T) {
	t.Parallel()
	asks := verdict{Run: "1", Agent: "a", Waiting: true}
	w := setup(t, asks, asks, asks, asks, verdict{Run: "2", Agent: "a"})
	w.after(time.Hour, func() { w.status(statusWaiting) })
	w.after(73*time.Hour, func() { w.SignalWorkflow(wakeName, wake{}) })
	began := w.Now()
	require.NoError(t, w.run(thread{}))
	require.Len(t, w.segments, 5, "once a day it looks whether the thread is still there")
	require.GreaterOrEqual(t, w.Now().Sub(began), 73*time.Hour)
}

func (w *world) status(want string) {
	w.t.Helper()
	value, err := w.QueryWorkflow(statusName)
	require.NoError(w.t, err)
	var got string
	require.NoError(w.t, value.Get(&got))
	require.Equal(w.t, want, got)
}

func TestAThreadThatWasDeletedLeavesNoWorkflow(t *testing.T) {
	t.Parallel()
	w := setup(t, verdict{Run: "1", Agent: "a", Waiting: true}, verdict{})
	require.NoError(t, w.run(thread{}))
	require.Len(t, w.segments, 2)
}

func TestNoSignalIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.RegisterWorkflowWithOptions(threadWorkflow, workflow.RegisterOptions{Name: workflowName})
	w.RegisterActivityWithOptions(func(context.Context, segment) (*verdict, error) { return &verdict{}, nil }, activity.RegisterOptions{Name: performName})
	calls := 0
	w.OnActivity(performName, mock.Anything, mock.Anything).After(time.Minute).Return(func(context.Context, segment) (*verdict, error) {
		calls++
		return &verdict{}, nil
	})
	w.after(30*time.Second, func() { w.SignalWorkflow(wakeName, wake{}) })
	require.NoError(t, w.run(thread{}))
	require.Equal(t, 2, calls, "the run that the signal told of may have come after the look into the store")
}

func TestAWaiterIsTold(t *testing.T) {
	t.Parallel()
	ended := over{Run: "1", Status: runs.Failed, Failure: &runs.Failure{Type: "model_error", Message: "no"}}
	w := setup(t, verdict{More: true}, verdict{Run: "1", Agent: "a", Over: []over{ended, {Run: "2"}}})
	w.OnSignalExternalWorkflow(mock.Anything, "caller", "caller-run", overName+"1", ended).Return(nil).Once()
	w.OnSignalExternalWorkflow(mock.Anything, "gone", "x", overName+"2", over{Run: "2"}).Return(errors.New("there is no such workflow")).Once()
	w.after(0, func() {
		for range 2 { // Temporal may hear of it twice
			w.SignalWorkflow(wakeName, wake{Waiter: &waiter{Run: "1", Workflow: "caller", WorkflowRunID: "caller-run"}})
		}
	})
	require.NoError(t, w.run(thread{Waiters: []waiter{{Run: "2", Workflow: "gone", WorkflowRunID: "x"}}}))
	require.Equal(t, []string{"2", "1"}, w.segments[0].Await)
	w.AssertExpectations(t)
}

func TestAWorkflowIsCancelled(t *testing.T) {
	t.Parallel()
	w := setup(t, verdict{Run: "1", Agent: "a", Waiting: true})
	w.after(time.Hour, w.CancelWorkflow)
	err := w.run(thread{})
	var cancelled *temporal.CanceledError
	require.ErrorAs(t, err, &cancelled)
	require.Len(t, w.segments, 1)
}

func TestALongHistoryGoesOnAsANewOne(t *testing.T) {
	t.Parallel()
	w := setup(t, verdict{Run: "1", Agent: "a", More: true})
	w.SetContinueAsNewSuggested(true)
	waits := waiter{Run: "7", Workflow: "caller", WorkflowRunID: "x"}
	w.after(0, func() { w.SignalWorkflow(wakeName, wake{Waiter: &waits}) })
	err := w.run(thread{Agent: "a"})
	var again *workflow.ContinueAsNewError
	require.ErrorAs(t, err, &again)
	require.Equal(t, workflowName, again.WorkflowType.Name)
	var with thread
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &with))
	require.Equal(t, thread{Owner: "ann", ID: "t", Heartbeat: 3 * time.Second, Waiters: []waiter{waits}}, with)
}

func TestSearchAttributesFollowTheThread(t *testing.T) {
	t.Parallel()
	for began, want := range map[string][]string{
		"":  {"a running", "a waiting", "a running", "b running"}, // a workflow of an older dispatcher
		"a": {"a waiting", "a running", "b running"},              // no change that changes nothing
	} {
		w := setup(t, verdict{Run: "1", Agent: "a", Waiting: true}, verdict{Run: "2", Agent: "b"})
		var shown []string
		w.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
			set, ok := args.Get(0).(temporal.SearchAttributes)
			require.True(t, ok)
			status, _ := set.GetKeyword(statusAttribute)
			agent, _ := set.GetKeyword(agentAttribute)
			shown = append(shown, agent+" "+status)
		}).Return(nil)
		w.after(time.Hour, func() { w.SignalWorkflow(wakeName, wake{}) })
		require.NoError(t, w.run(thread{Attributes: true, Agent: began}))
		require.Equal(t, want, shown)
	}
}
