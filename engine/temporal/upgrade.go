package temporal

import (
	"context"
	"errors"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
)

// abandonAfter is how long a thread with something to do waits while no worker of its version takes up its workflow. Then it goes on with the current
// version. A live worker takes up a workflow at once, however many runs it has.
const abandonAfter = 5 * time.Minute

// upgrade lets a thread go on with the current version if no worker of its own is left. It is called for each reminder: then there was a signal some time ago,
// and a worker that lives has taken up the workflow since.
func (d *Dispatcher) upgrade(ctx context.Context, t tell) error {
	id := d.config.workflowID(t.owner, t.thread)
	found, err := d.config.Client.DescribeWorkflowExecution(ctx, id, "")
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil
	}
	if err != nil {
		d.waits(t.of, false) // what happened meanwhile is unknown
		return err
	}
	if found.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING || !d.waits(t.of, found.GetPendingWorkflowTask().GetState() ==
		enums.PENDING_WORKFLOW_TASK_STATE_SCHEDULED) {
		return nil
	}
	own := versionOf(found)
	current, err := Current(ctx, d.config)
	if err != nil || current == "" || current == own {
		return err
	}
	d.log.Warn("no worker is left of the version that a thread began with; the thread goes on with the current version", "thread", t.thread, "version", own,
		"current", current)
	_, err = d.config.Client.UpdateWorkflowExecutionOptions(ctx, client.UpdateWorkflowExecutionOptionsRequest{
		WorkflowId: id, RunId: found.GetWorkflowExecutionInfo().GetExecution().GetRunId(),
		WorkflowExecutionOptionsChanges: client.WorkflowExecutionOptionsChanges{VersioningOverride: &client.VersioningOverrideChange{
			Value: &client.PinnedVersioningOverride{Version: worker.WorkerDeploymentVersion{DeploymentName: d.config.Queue, BuildID: current}},
		}},
	})
	return err
}

// waits notes whether a workflow waits for a worker, and reports whether it has for too long.
func (d *Dispatcher) waits(key attemptOf, now bool) bool {
	at := time.Now() //nolint:forbidigo // workers come in real time
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.told[key]
	switch {
	case n == nil:
		return false
	case !now:
		n.stuck = time.Time{}
		return false
	case n.stuck.IsZero():
		n.stuck = at
	}
	return at.Sub(n.stuck) >= d.abandon
}

// versionOf returns the version that a workflow is pinned to; "": none yet.
func versionOf(found *workflowservice.DescribeWorkflowExecutionResponse) string {
	info := found.GetWorkflowExecutionInfo().GetVersioningInfo()
	if override := info.GetVersioningOverride().GetPinned().GetVersion(); override != nil {
		return override.GetBuildId()
	}
	return info.GetDeploymentVersion().GetBuildId()
}
