package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/client"
)

// asyncTask is a task in the state.
type asyncTask struct {
	TaskID           string   `msgpack:"task_id"` // that of the thread
	AgentName        string   `msgpack:"agent_name"`
	ThreadID         string   `msgpack:"thread_id"`
	RunID            string   `msgpack:"run_id"`                       // of the newest run that is known
	SupersededRunIDs []string `msgpack:"superseded_run_ids,omitempty"` // earlier runs that may still work, oldest first
	Status           string   `msgpack:"status"`
	CreatedAt        string   `msgpack:"created_at"` // RFC 3339, in UTC
	LastCheckedAt    string   `msgpack:"last_checked_at"`
	LastUpdatedAt    string   `msgpack:"last_updated_at"`
}

// The statuses of a task that no run has.
const (
	taskWaiting   = "waiting"
	taskCancelled = "cancelled"
)

// final reports whether the task will not change any more. One whose status this host does not know may change.
func (t *asyncTask) final() bool {
	return slices.Contains([]string{
		taskCancelled, client.Success, client.Failed, client.TimedOut, client.Interrupted,
	}, t.Status)
}

// asyncTasks are the tasks by id. An update adds tasks and replaces those with the same id.
var asyncTasks = host.NewField[map[string]asyncTask]("async_tasks", host.Reduced(host.Reducer{
	Name: "async_tasks", Initial: wire.Map{}.Raw(), Reduce: mergeTasks,
}))

func mergeTasks(value, update wire.Raw) (wire.Raw, error) {
	var present, changes wire.Map
	if _, err := present.UnmarshalMsg(value); err != nil {
		return nil, err
	}
	if !update.IsMap() {
		return nil, errors.New("async_tasks must be a map from ids to tasks")
	}
	if _, err := changes.UnmarshalMsg(update); err != nil {
		return nil, err
	}
	for _, change := range changes {
		var task asyncTask
		if err := host.Decode(change.Value, &task); err != nil || !change.Value.IsMap() {
			return nil, fmt.Errorf("the task %q must be a map of texts: task_id, agent_name, thread_id, run_id, status and times", change.Key)
		}
		if task.TaskID != change.Key {
			return nil, fmt.Errorf("the task %q has the task_id %q; both must be the same", change.Key, task.TaskID)
		}
	}
	return present.With(changes).Raw(), nil
}

// tasksIn returns the tasks of a state, the oldest first.
func tasksIn(s *host.State) ([]asyncTask, error) {
	byID, _, err := asyncTasks.Get(s)
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(byID), func(a, b asyncTask) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(len(a.TaskID), len(b.TaskID)), cmp.Compare(a.TaskID, b.TaskID))
	}), nil
}

// taskUpdate returns the update that keeps these tasks; nil if there are none.
func taskUpdate(tasks ...asyncTask) (*host.Update, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	byID := make(map[string]asyncTask, len(tasks))
	for i := range tasks {
		byID[tasks[i].TaskID] = tasks[i]
	}
	update := &host.Update{}
	return update, asyncTasks.Set(update, byID)
}

// timestamp returns the present time as tasks have it.
func timestamp(rt *host.Runtime) string { return rt.Now().UTC().Format(time.RFC3339) }

// observation is what a server says about a task.
type observation struct {
	run    *client.Run
	thread *client.Thread // nil unless the run has succeeded
}

// observe looks at the newest run of a task and, if that has succeeded, at its thread. A run that another client replaced, or
// continued after a question, hands over to the newest one. A task that this agent cancelled is not followed.
func (c *remoteCrew) observe(ctx context.Context, t *asyncTask) (o observation, err error) {
	agent := c.find(t.AgentName)
	if agent == nil {
		return o, fmt.Errorf("there is no async subagent '%s' any more", t.AgentName)
	}
	if o.run, err = agent.server.Run(ctx, t.ThreadID, t.RunID); err != nil {
		return o, err
	}
	if o.run.Status == client.Interrupted && t.Status != taskCancelled {
		if err := o.follow(ctx, agent.server, t.ThreadID); err != nil {
			return o, err
		}
	}
	if o.run.Status != client.Success {
		return o, nil
	}
	if o.thread, err = agent.server.Thread(ctx, t.ThreadID); err != nil {
		return o, err
	}
	if o.thread.Status == client.ThreadBusy || o.thread.Status == client.ThreadError {
		err = o.follow(ctx, agent.server, t.ThreadID)
	}
	return o, err
}

// follow goes on to the newest run of the thread.
func (o *observation) follow(ctx context.Context, server *client.Client, thread string) error {
	latest, err := server.LatestRun(ctx, thread)
	if err == nil && latest != nil {
		o.run = latest
	}
	return err
}

// status returns the status of the task.
func (o *observation) status() string {
	switch {
	case o.run.Status == client.Interrupted:
		return taskCancelled
	case o.run.Status != client.Success || o.thread == nil:
		return o.run.Status
	}
	switch o.thread.Status {
	case client.ThreadInterrupted:
		return taskWaiting
	case client.ThreadBusy:
		return client.Running
	case client.ThreadError:
		return client.Failed
	default:
		return client.Success
	}
}

// look is what an observation changes in a task.
type look struct{ status, run string }

// look returns the status and the run of the task.
func (o *observation) look() look { return look{o.status(), o.run.ID} }

// news reports whether the task is other than was known.
func (l look) news(t *asyncTask) bool { return l.status != t.Status || l.run != t.RunID }

// observed returns the task as it is now.
func (t asyncTask) observed(rt *host.Runtime, now look) asyncTask {
	t.Status, t.RunID, t.LastCheckedAt = now.status, now.run, timestamp(rt)
	t.LastUpdatedAt = t.LastCheckedAt
	return t
}

const (
	lookTimeout = 5 * time.Second  // for one task
	lookAllTime = 15 * time.Second // for all of them; the rest is looked at later
	maxLooks    = 8                // tasks that are looked at in parallel
)

// observeAll looks at tasks in parallel, and passes each observation with the index of its task to keep, in several goroutines at
// once. An observation holds whatever the server sent, so keep takes from it only what is needed. A task that cannot be looked at in
// time has no observation.
func (c *remoteCrew) observeAll(ctx context.Context, rt *host.Runtime, tasks []asyncTask, keep func(i int, o *observation)) {
	var failures sync.Map
	inTime, stop := context.WithTimeout(ctx, lookAllTime)
	defer stop()
	var looks errgroup.Group
	looks.SetLimit(maxLooks)
	for i := range tasks {
		looks.Go(func() error {
			once, stop := context.WithTimeout(inTime, lookTimeout)
			defer stop()
			o, err := c.observe(once, &tasks[i])
			if err != nil {
				failures.Store(i, err)
				return nil
			}
			keep(i, &o)
			return nil
		})
	}
	_ = looks.Wait() // failures has the errors
	for i := range tasks {
		if err, failed := failures.Load(i); failed {
			rt.Logger().WarnContext(ctx, "async_subagents: a task cannot be looked at; its last known status stays",
				"task", tasks[i].TaskID, "agent", tasks[i].AgentName, "status", tasks[i].Status, "error", err)
		}
	}
}

// tracked finds the task that the model names. The answer says that there is none.
func (c *remoteCrew) tracked(rt *host.Runtime, id string) (t *asyncTask, answer string, err error) {
	byID, _, err := asyncTasks.Get(rt.State())
	if err != nil {
		return nil, "", err
	}
	found, ok := byID[strings.TrimSpace(id)]
	if !ok {
		return nil, "No tracked task found for task_id: " + quoted(id), nil
	}
	return &found, "", nil
}

// quoted returns a text as Python shows it, if it consists of ordinary characters.
func quoted(text string) string {
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		return `"` + text + `"`
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + "'"
}
