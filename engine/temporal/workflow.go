package temporal

import (
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

const (
	// lookAgain is how long a workflow that waits for people does so before it looks into the store again: the thread may have been deleted.
	lookAgain = 24 * time.Hour
	// longest is how long an activity may take. A worker that died is noticed by its heartbeats.
	longest = 365 * 24 * time.Hour
)

// The statuses of a thread, in queries and in the search attribute.
const (
	statusRunning = "running"
	statusWaiting = "waiting"
)

// threadWorkflow has the runs of a thread performed, one after the other, until none is left.
func threadWorkflow(ctx workflow.Context, t thread) error {
	w := &threadRun{thread: t, status: statusRunning, agent: t.Agent, wakes: workflow.GetSignalChannel(ctx, wakeName)}
	if err := workflow.SetQueryHandler(ctx, statusName, func() (string, error) { return w.status, nil }); err != nil {
		return err
	}
	for {
		w.hear()
		v, err := w.perform(ctx)
		if err != nil {
			return err
		}
		w.tell(ctx, v.Over)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case v.More || w.wakes.Len() > 0:
		case !v.Waiting && len(w.Waiters) == 0:
			return nil
		default:
			if err := w.wait(ctx, v.Waiting); err != nil {
				return err
			}
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			w.hear()
			w.Agent = "" // the attributes that the next one begins with may say that the thread waits
			return workflow.NewContinueAsNewError(ctx, workflowName, w.thread)
		}
	}
}

// threadRun is a workflow that is open.
type threadRun struct {
	thread

	status, agent string
	wakes         workflow.ReceiveChannel
}

// hear takes the signals that are there.
func (w *threadRun) hear() {
	for {
		var heard wake
		if !w.wakes.ReceiveAsync(&heard) {
			return
		}
		w.take(heard)
	}
}

func (w *threadRun) take(heard wake) {
	if heard.Waiter != nil && !slices.Contains(w.Waiters, *heard.Waiter) {
		w.Waiters = append(w.Waiters, *heard.Waiter)
	}
}

// perform lets a worker perform the run that comes first. A worker that dies or cannot go on is replaced, however often.
func (w *threadRun) perform(ctx workflow.Context) (v verdict, err error) {
	w.show(ctx, statusRunning, w.agent)
	s := segment{Owner: w.Owner, Thread: w.ID}
	for i := range w.Waiters {
		s.Await = append(s.Await, w.Waiters[i].Run)
	}
	inside := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longest, HeartbeatTimeout: w.Heartbeat, WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 1.5, MaximumInterval: 2 * time.Second},
	})
	err = workflow.ExecuteActivity(inside, performName, s).Get(ctx, &v)
	if v.Agent != "" {
		w.show(ctx, statusRunning, v.Agent)
	}
	return v, err
}

// tell tells the workflows that wait for runs that those are over. One that is no longer there does not matter.
func (w *threadRun) tell(ctx workflow.Context, ended []over) {
	for _, o := range ended {
		w.Waiters = slices.DeleteFunc(w.Waiters, func(waits waiter) bool {
			if waits.Run != o.Run {
				return false
			}
			_ = workflow.SignalExternalWorkflow(ctx, waits.Workflow, waits.WorkflowRunID, overName+o.Run, o).Get(ctx, nil)
			return true
		})
	}
}

// wait waits until there may be something to do.
func (w *threadRun) wait(ctx workflow.Context, people bool) error {
	if people {
		w.show(ctx, statusWaiting, w.agent)
	}
	timed, stop := workflow.WithCancel(ctx)
	defer stop()
	workflow.NewSelector(ctx).
		AddReceive(w.wakes, func(c workflow.ReceiveChannel, _ bool) {
			var heard wake
			c.Receive(ctx, &heard)
			w.take(heard)
		}).
		AddFuture(workflow.NewTimer(timed, lookAgain), func(workflow.Future) {}).
		AddReceive(ctx.Done(), func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil) }).
		Select(ctx)
	return ctx.Err()
}

// show makes the search attributes say what the thread does.
func (w *threadRun) show(ctx workflow.Context, status, agent string) {
	if w.Attributes && (status != w.status || agent != w.agent) {
		// An attribute that was removed from the namespace fails the workflow task until it is back; there is no other error.
		_ = workflow.UpsertTypedSearchAttributes(ctx, statusAttribute.ValueSet(status), agentAttribute.ValueSet(agent))
	}
	w.status, w.agent = status, agent
}
