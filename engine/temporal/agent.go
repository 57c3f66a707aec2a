package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/agenthost/agenthost/runs"
)

// Call is a run of an agent that a workflow asks for.
type Call struct {
	Queue string // the task queue of the agents; "": [DefaultQueue]
	Owner string
	Agent string // its name
	// Thread is where the run takes place; "": in a new one. Another call in the same thread goes on with the conversation, and answers questions.
	Thread   string
	Task     runs.Task     // what is to be done; at most [MaxTask] bytes as JSON
	Strategy runs.Strategy // "": [runs.StrategyEnqueue]
}

// MaxTask is how large the task of a [Call] may be, in bytes of JSON, since the history of the workflow keeps it. A larger one belongs into
// files or a store that the agent reads.
const MaxTask = 64 << 10

// Result is how the run of a [Call] ended.
type Result struct {
	Run, Thread string
	Status      runs.Status // "": somebody removed the run
	Failure     *runs.Failure
	// Waiting are the ids of the questions that the agent asks: the run is over until another call answers them, see [runs.Task.Answers].
	Waiting []string
}

// The types of errors of [Agent], see [temporal.ApplicationError].
const (
	ErrorInvalid = "agenthost.invalid" // there is no such agent, or the call cannot be performed
	ErrorBusy    = "agenthost.busy"    // the strategy is reject, and the thread has a run that is not over
	ErrorFull    = "agenthost.full"    // too many runs of the owner wait
)

// askAgain is how long a workflow waits for the end of a run before it asks for it: the workflow of the thread may have been terminated.
const askAgain = 10 * time.Minute

// Agent lets an agent perform a run, as a step of a workflow, and waits for its end, however long that takes. If ctx is cancelled, so is the run, and
// what it did stays. How a run failed is in the result, and is not an error.
func Agent(ctx workflow.Context, c Call) (*Result, error) {
	s := submission{Owner: c.Owner, Agent: c.Agent, Thread: c.Thread, Strategy: c.Strategy}
	var err error
	if s.Task, err = c.Task.Document(); err != nil {
		return nil, invalid("the task of a call of the agent %q: %w", c.Agent, err)
	}
	if len(s.Task) > MaxTask {
		return nil, invalid("the task of a call of the agent %q has %d bytes; at most %d are possible, so let the agent read what is large "+
			"from a file or a store", c.Agent, len(s.Task), MaxTask)
	}
	var ids [2]string
	err = workflow.SideEffect(ctx, func(workflow.Context) any { return [2]string{uuid.NewString(), uuid.NewString()} }).Get(&ids)
	if err != nil {
		return nil, err
	}
	s.Run, s.Thread = ids[0], cmp.Or(s.Thread, ids[1])
	ended := workflow.GetSignalChannel(ctx, overName+s.Run)
	submitted := activityOptions(ctx, c.Queue)
	if err := workflow.ExecuteActivity(submitted, submitName, s).Get(ctx, nil); err != nil {
		return nil, err
	}
	o, err := await(ctx, c.Queue, s, ended)
	if err != nil {
		return nil, err
	}
	return &Result{Run: s.Run, Thread: s.Thread, Status: o.Status, Failure: o.Failure, Waiting: o.Waiting}, nil
}

// await waits for the end of a run. If ctx ends, it cancels the run.
func await(ctx workflow.Context, queue string, s submission, ended workflow.ReceiveChannel) (o over, err error) {
	for {
		timed, stop := workflow.WithCancel(ctx)
		over := false
		workflow.NewSelector(ctx).
			AddReceive(ended, func(c workflow.ReceiveChannel, _ bool) { over = c.Receive(ctx, &o) }).
			AddFuture(workflow.NewTimer(timed, askAgain), func(workflow.Future) {}).
			AddReceive(ctx.Done(), func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil) }).
			Select(ctx)
		stop()
		switch {
		case over:
			return o, nil
		case ctx.Err() != nil:
			still, _ := workflow.NewDisconnectedContext(ctx)
			err := workflow.ExecuteActivity(activityOptions(still, queue), cancelName, s).Get(still, nil)
			return o, errors.Join(ctx.Err(), err)
		}
		if err := workflow.ExecuteActivity(activityOptions(ctx, queue), submitName, s).Get(ctx, nil); err != nil { // it is submitted once
			return o, err
		}
	}
}

func activityOptions(ctx workflow.Context, queue string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: cmp.Or(queue, DefaultQueue), StartToCloseTimeout: 30 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumInterval: 10 * time.Second},
	})
}

func invalid(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return temporal.NewNonRetryableApplicationError(err.Error(), ErrorInvalid, err)
}

// submission is a run that a workflow submits.
type submission struct {
	Owner    string        `json:"owner,omitempty"`
	Thread   string        `json:"thread"`
	Run      string        `json:"run"`
	Agent    string        `json:"agent"`
	Task     runs.Document `json:"task,omitempty"`
	Strategy runs.Strategy `json:"strategy,omitempty"`
}

// submit puts a run into the store, unless it is there already, and lets the workflow of its thread tell the caller of its end.
func (w *Worker) submit(ctx context.Context, s submission) error {
	agent, ok := w.agents[s.Agent]
	if !ok {
		return invalid("the workers of the queue %q have no agent %q", w.config.Queue, s.Agent)
	}
	r := &runs.Run{
		Owner: s.Owner, ID: s.Run, Thread: s.Thread, Agent: s.Agent, Assistant: runs.AssistantID(s.Agent), Task: s.Task, Strategy: s.Strategy,
		Metadata: runs.Metadata{"graph_id": s.Agent, "assistant_id": runs.AssistantID(s.Agent)},
	}
	task, err := runs.TaskOf(r)
	if err == nil {
		err = task.Check(&agent)
	}
	if err != nil {
		return invalid("%w", err)
	}
	err = w.store.Submit(ctx, r, true, 0, nil)
	var kind string
	switch {
	case err == nil, errors.Is(err, runs.ErrExists):
		caller := activity.GetInfo(ctx).WorkflowExecution
		return w.dispatcher.wake(ctx, tell{
			owner: s.Owner, thread: s.Thread, agent: s.Agent, waiter: &waiter{Run: s.Run, Workflow: caller.ID, WorkflowRunID: caller.RunID},
		})
	case errors.Is(err, runs.ErrThreadBusy):
		kind = ErrorBusy
	case errors.Is(err, runs.ErrQueueFull):
		kind = ErrorFull
	case errors.Is(err, runs.ErrInvalidValue):
		kind = ErrorInvalid
	default:
		return err
	}
	return temporal.NewNonRetryableApplicationError(err.Error(), kind, err)
}

// cancel cancels a run for a workflow that no longer waits for it.
func (w *Worker) cancel(ctx context.Context, s submission) error {
	_, err := w.dispatcher.Store().Cancel(ctx, s.Owner, s.Run, runs.CancelKeep)
	if errors.Is(err, runs.ErrRunOver) || errors.Is(err, runs.ErrNoRun) {
		return nil
	}
	return err
}
