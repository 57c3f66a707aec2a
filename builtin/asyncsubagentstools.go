package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/server/client"
)

// maxTasks is how many tasks an agent keeps in the state.
const maxTasks = 1000

type startTaskArguments struct {
	Description  string `json:"description"   jsonschema:"A detailed description of the task for the async subagent to perform."`
	SubagentType string `json:"subagent_type" jsonschema:"The type of async subagent to use. Must be one of the available types listed in the tool description."` //nolint:lll // the text is deepagents'
}

type taskIDArguments struct {
	TaskID string `json:"task_id" jsonschema:"The exact task_id string returned by start_async_task. Pass it verbatim."`
}

type updateTaskArguments struct {
	TaskID  string `json:"task_id" jsonschema:"The exact task_id string returned by start_async_task. Pass it verbatim."`
	Message string `json:"message" jsonschema:"Follow-up instructions or context to send to the subagent."`
}

// listTasksParameters accept null, which models send for an argument that they do not use.
const listTasksParameters = `{"type": "object", "properties": {"status_filter": {
	"description": "Filter tasks by status. One of: 'running', 'pending', 'waiting', 'success', 'error', 'cancelled', 'all'. Defaults to 'all'.",
	"anyOf": [{"type": "string", "enum": ["running", "pending", "waiting", "success", "error", "cancelled", "all"]}, {"type": "null"}]}}}`

const (
	updateTaskName = "update_async_task"
	cancelTaskName = "cancel_async_task"
)

// tools returns the five tools.
func (c *remoteCrew) tools() ([]host.Tool, error) {
	listParameters, err := wire.FromJSON([]byte(listTasksParameters), wire.DefaultLimits)
	if err != nil {
		return nil, err
	}
	list := abi.ToolSpec{Name: "list_async_tasks", Description: listTasksDescription, Parameters: listParameters, Idempotent: true}
	update := updateTaskDescription
	if queued := c.names(func(a *remoteAgent) bool { return a.UpdateStrategy == strategyEnqueue }); queued != "" {
		update += strings.ReplaceAll(updateTaskExceptions, "{queued_agents}", queued)
	}
	return []host.Tool{
		tool.Func("start_async_task", strings.ReplaceAll(strings.TrimSpace(startTaskDescription), availableAgents, c.list()), c.start),
		tool.Func("check_async_task", checkTaskDescription, c.check, tool.Idempotent()),
		&updateTaskTool{tool.Func(updateTaskName, update, c.update)},
		tool.Func(cancelTaskName, cancelTaskDescription, c.cancel, tool.Idempotent()),
		tool.Raw(list, c.listTasks),
	}, nil
}

// answered returns the output with a text and tasks that have changed.
func answered(text string, tasks ...asyncTask) (*host.ToolOutput, error) {
	out := host.TextOutput(text)
	var err error
	out.Update, err = taskUpdate(tasks...)
	return out, err
}

// failed returns the answer after a failure, which never ends the run, except that the run itself is over.
func failed(ctx context.Context, what string, err error) (*host.ToolOutput, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if rt := host.RuntimeOf(ctx); rt != nil {
		rt.Logger().WarnContext(ctx, "async_subagents: "+what, "error", err)
	}
	return host.TextOutput(what + ": " + err.Error()), nil
}

// start is the tool start_async_task.
func (c *remoteCrew) start(ctx context.Context, in startTaskArguments) (*host.ToolOutput, error) {
	rt, agent := host.RuntimeOf(ctx), c.find(in.SubagentType)
	if agent == nil {
		return host.TextOutput("Unknown async subagent type `" + in.SubagentType + "`. Available types: " +
			c.names(func(*remoteAgent) bool { return true })), nil
	}
	what := "Failed to launch async subagent '" + agent.Name + "'"
	if tracked := rt.State().Get(asyncTasks.Name).Len(); tracked >= maxTasks {
		return failed(ctx, what, fmt.Errorf("%d tasks are tracked already", tracked))
	}
	messages, err := agent.messages(rt, in.Description)
	if err != nil {
		return failed(ctx, what, err)
	}
	metadata := wire.Map{{Key: "subagent_name", Value: wire.String(agent.Name)}}
	if rt.ThreadID() != "" {
		metadata.Set("parent_thread_id", wire.String(rt.ThreadID()))
	}
	thread, err := agent.server.CreateThread(ctx, metadata)
	if err != nil {
		return failed(ctx, what, err)
	}
	run, err := agent.server.CreateRun(ctx, thread.ID, agent.request(rt, messages))
	if err != nil {
		return failed(ctx, what, err)
	}
	now := timestamp(rt)
	return answered("Launched async subagent. task_id: "+thread.ID, asyncTask{
		TaskID: thread.ID, AgentName: agent.Name, ThreadID: thread.ID, RunID: run.ID, Status: client.Running,
		CreatedAt: now, LastCheckedAt: now, LastUpdatedAt: now,
	})
}

// request returns the request for a run with these messages. The run learns the thread of this agent.
func (a *remoteAgent) request(rt *host.Runtime, messages wire.Raw) *client.RunRequest {
	r := &client.RunRequest{Assistant: a.GraphID, Input: wire.Map{{Key: "messages", Value: messages}}, Webhook: a.Webhook}
	if rt.ThreadID() != "" {
		parent := wire.Map{{Key: "thread_id", Value: wire.String(rt.ThreadID())}}
		configurable := wire.Map{{Key: "deepagents_parent", Value: parent.Raw()}}
		r.Config = wire.Map{{Key: "configurable", Value: configurable.Raw()}}
	}
	return r
}

// check is the tool check_async_task.
func (c *remoteCrew) check(ctx context.Context, in taskIDArguments) (*host.ToolOutput, error) {
	rt := host.RuntimeOf(ctx)
	t, none, err := c.tracked(rt, in.TaskID)
	if err != nil || none != "" {
		return host.TextOutput(none), err
	}
	found, err := c.observe(ctx, t)
	if err != nil {
		return failed(ctx, "Failed to get run status", err)
	}
	status := found.status()
	if t.Status == taskCancelled && status == taskWaiting { // the thread still shows the old question
		status = taskCancelled
	}
	out := &host.ToolOutput{Content: found.answer(t, status)}
	if now := (look{status, found.run.ID}); now.news(t) && !changedInTurn(rt, t.TaskID) {
		out.Update, err = taskUpdate(t.observed(rt, now))
	}
	return out, err
}

// updateTaskTool is the tool update_async_task. It passes on the id of the call.
type updateTaskTool struct{ host.Tool }

// updateCallKey is the context key of the id.
type updateCallKey struct{}

// Call calls the tool.
func (t *updateTaskTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	return t.Tool.Call(context.WithValue(ctx, updateCallKey{}, call.ID), rt, call)
}

// update is the tool update_async_task.
func (c *remoteCrew) update(ctx context.Context, in updateTaskArguments) (*host.ToolOutput, error) {
	rt := host.RuntimeOf(ctx)
	t, none, err := c.tracked(rt, in.TaskID)
	if err != nil || none != "" {
		return host.TextOutput(none), err
	}
	const what = "Failed to update async subagent"
	agent := c.find(t.AgentName)
	if agent == nil {
		return failed(ctx, what, fmt.Errorf("there is no async subagent '%s' any more", t.AgentName))
	}
	queues := agent.UpdateStrategy == strategyEnqueue
	if call, _ := ctx.Value(updateCallKey{}).(string); queues && updatedInTurn(rt, t.TaskID, call) {
		return host.TextOutput("Not sent: an earlier `update_async_task` call in this turn already queues a follow-up for task " + t.TaskID +
			". Send this follow-up in a later turn, or combine the two into one message."), nil
	}
	r := agent.request(rt, userMessage(in.Message))
	r.MultitaskStrategy = client.StrategyInterrupt
	if queues {
		r.MultitaskStrategy = strategyEnqueue
	}
	run, err := agent.server.CreateRun(ctx, t.ThreadID, r)
	if err != nil {
		return failed(ctx, what, err)
	}
	updated := *t
	updated.RunID, updated.Status, updated.LastUpdatedAt = run.ID, client.Running, timestamp(rt)
	if queues {
		updated.Status = run.Status
		updated.SupersededRunIDs = nil
		if !t.final() { // otherwise the earlier runs have ended
			updated.SupersededRunIDs = slices.Clone(t.SupersededRunIDs)
		}
		updated.SupersededRunIDs = append(updated.SupersededRunIDs, t.RunID)
	}
	return answered(t.updateAnswer(queues), updated)
}

// updateAnswer says what becomes of a follow-up.
func (t *asyncTask) updateAnswer(queues bool) string {
	switch {
	case queues && (t.Status == client.Running || t.Status == client.Pending):
		return "Queued follow-up to async subagent without interrupting its current run. task_id: " + t.TaskID
	case t.Status == taskWaiting:
		return "Updated async subagent. task_id: " + t.TaskID + ". It was waiting for a human; that request was dropped."
	default:
		return "Updated async subagent. task_id: " + t.TaskID
	}
}

// updatedInTurn reports whether the model's turn has an earlier call that updates the task: the calls see the same state, so the task
// would lose track of one of the runs.
func updatedInTurn(rt *host.Runtime, task, call string) bool {
	calls := turnCalls(rt)
	for i := range calls {
		if calls[i].Name == updateTaskName && isAbout(&calls[i], task) {
			return calls[i].ID != call && slices.ContainsFunc(calls[i+1:], func(later abi.ToolCall) bool { return later.ID == call })
		}
	}
	return false
}

// changedInTurn reports whether the model's turn has a call that updates or cancels the task. The calls see the same state, and what
// such a call knows about the task is newer than what another call observed.
func changedInTurn(rt *host.Runtime, task string) bool {
	return slices.ContainsFunc(turnCalls(rt), func(call abi.ToolCall) bool {
		return (call.Name == updateTaskName || call.Name == cancelTaskName) && isAbout(&call, task)
	})
}

// turnCalls returns the tool calls of the model's turn.
func turnCalls(rt *host.Runtime) []abi.ToolCall {
	messages := rt.State().Messages()
	if at := messages.LastAI(); at >= 0 {
		return messages.Entry(at).Message().ToolCalls
	}
	return nil
}

func isAbout(call *abi.ToolCall, task string) bool {
	id, _ := call.Args.Get("task_id").AsString()
	return strings.TrimSpace(id) == task
}

// cancel is the tool cancel_async_task.
func (c *remoteCrew) cancel(ctx context.Context, in taskIDArguments) (*host.ToolOutput, error) {
	rt := host.RuntimeOf(ctx)
	t, none, err := c.tracked(rt, in.TaskID)
	if err != nil || none != "" {
		return host.TextOutput(none), err
	}
	if t.Status != taskWaiting { // a task that waits has no run to cancel
		const what = "Failed to cancel run"
		agent := c.find(t.AgentName)
		if agent == nil {
			return failed(ctx, what, fmt.Errorf("there is no async subagent '%s' any more", t.AgentName))
		}
		if err := agent.server.CancelRun(ctx, t.ThreadID, t.RunID); err != nil {
			return failed(ctx, what, err)
		}
		agent.cancelEarlier(ctx, rt, t)
	}
	now := timestamp(rt)
	cancelled := *t
	cancelled.Status, cancelled.LastCheckedAt, cancelled.LastUpdatedAt = taskCancelled, now, now
	return answered("Cancelled async subagent task: "+t.TaskID, cancelled)
}

// cancelEarlier cancels the earlier runs of a task that still work, the newest first, so that the end of an active run does not let
// a queued one begin. A run that cannot be cancelled is left.
func (a *remoteAgent) cancelEarlier(ctx context.Context, rt *host.Runtime, t *asyncTask) {
	for _, id := range slices.Backward(t.SupersededRunIDs) {
		run, err := a.server.Run(ctx, t.ThreadID, id)
		if err == nil && (run.Status == client.Running || run.Status == client.Pending) {
			err = a.server.CancelRun(ctx, t.ThreadID, id)
		}
		if err != nil {
			rt.Logger().WarnContext(ctx, "async_subagents: an earlier run of a task is not cancelled", "task", t.TaskID, "run", id, "error", err)
		}
	}
}

// listTasks is the tool list_async_tasks. The filter applies to what was known; then tasks that may have changed are looked at.
func (c *remoteCrew) listTasks(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	tasks, err := tasksIn(rt.State())
	if err != nil {
		return nil, err
	}
	if filter, _ := call.Args.Get("status_filter").AsString(); filter != "" && filter != "all" {
		tasks = slices.DeleteFunc(tasks, func(t asyncTask) bool { return t.Status != filter })
	}
	if len(tasks) == 0 {
		return host.TextOutput(noTasks), nil
	}
	var open []asyncTask
	at := map[string]int{}
	for i := range tasks {
		if !tasks[i].final() {
			at[tasks[i].TaskID] = len(open)
			open = append(open, tasks[i])
		}
	}
	found := make([]look, len(open))
	c.observeAll(ctx, rt, open, func(i int, o *observation) { found[i] = o.look() })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var list strings.Builder
	fmt.Fprintf(&list, "%d tracked task(s):", len(tasks))
	var changed []asyncTask
	for i := range tasks {
		t := &tasks[i]
		now := look{t.Status, t.RunID}
		if n, looked := at[t.TaskID]; looked && found[n] != (look{}) {
			now = found[n]
		}
		if now.news(t) && !changedInTurn(rt, t.TaskID) {
			changed = append(changed, t.observed(rt, now))
		}
		fmt.Fprintf(&list, "\n- task_id: %s  agent: %s  status: %s", t.TaskID, t.AgentName, now.status)
	}
	return answered(list.String(), changed...)
}
