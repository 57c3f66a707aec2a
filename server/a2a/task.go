package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/runs"
)

// task is a task of the protocol: a run that began something, whose id it has, and the runs that went on with it because somebody answered its
// questions, here or by another door.
type task struct {
	thread *runs.Thread
	runs   []runs.Run
	waits  bool // it needs input
}

func (t *task) last() *runs.Run { return &t.runs[len(t.runs)-1] }

func (t *task) id() a2a.TaskID { return a2a.TaskID(t.runs[0].ID) }

// TaskInfo names the task, for the library.
func (t *task) TaskInfo() a2a.TaskInfo {
	return a2a.TaskInfo{TaskID: t.id(), ContextID: t.thread.ID}
}

// state returns how the task stands. One that nobody answered before its conversation went on has completed.
func (t *task) state() a2a.TaskState {
	switch t.last().Status {
	case runs.Pending:
		if len(t.runs) == 1 {
			return a2a.TaskStateSubmitted
		}
		return a2a.TaskStateWorking
	case runs.Running:
		return a2a.TaskStateWorking
	case runs.Interrupted:
		return a2a.TaskStateCanceled
	case runs.Failed, runs.TimedOut:
		return a2a.TaskStateFailed
	default:
		if t.waits {
			return a2a.TaskStateInputRequired
		}
		return a2a.TaskStateCompleted
	}
}

// taskNamed returns a task of the owner and the agent of a call.
func (h *Handler) taskNamed(ctx context.Context, c *call, id a2a.TaskID) (*task, error) {
	if id == "" {
		return nil, invalid("the id of the task is missing")
	}
	first, err := h.Service.Run(ctx, c.Owner, string(id))
	if errors.Is(err, runs.ErrNoRun) || err == nil && (first.Agent != c.agent.Name || goesOn(first)) {
		return nil, noTask(id)
	}
	if err != nil {
		return nil, err
	}
	return h.taskOf(ctx, first)
}

// looks is how often a task is read that changes while it is read.
const looks = 3

// taskOf returns the task that a run began.
func (h *Handler) taskOf(ctx context.Context, first *runs.Run) (t *task, err error) {
	for range looks {
		if first, err = h.Service.Run(ctx, first.Owner, first.ID); err != nil {
			return nil, err
		}
		later, err := h.later(ctx, first)
		if err != nil {
			return nil, err
		}
		thread, err := h.Service.Thread(ctx, first.Owner, first.Thread)
		if err != nil {
			return nil, err
		}
		t = chain(thread, first, later)
		if t.last().Status != runs.Success || thread.Status != runs.ThreadBusy || len(later) >= len(t.runs) {
			break
		} // a run was submitted in between, perhaps one that goes on with the task
	}
	return t, nil
}

// later returns the runs of a thread that were submitted after one, the oldest first.
func (h *Handler) later(ctx context.Context, r *runs.Run) (out []runs.Run, err error) {
	if r.Status != runs.Success { // nothing goes on with it
		return nil, nil
	}
	for offset := 0; ; offset += runs.MaxPage {
		page, err := h.Service.FindRuns(ctx, r.Owner, r.Thread, &runs.RunQuery{After: r.Number, Limit: runs.MaxPage, Offset: offset})
		if err != nil {
			return nil, err
		}
		out = append(out, page...)
		if len(page) < runs.MaxPage {
			slices.Reverse(out)
			return out, nil
		}
	}
}

// chain returns the task of a run, whose thread has later ones.
func chain(thread *runs.Thread, first *runs.Run, later []runs.Run) *task {
	t := &task{thread: thread, runs: []runs.Run{*first}}
	for i := range later {
		if t.last().Status != runs.Success || !goesOn(&later[i]) {
			return t
		}
		t.runs = append(t.runs, later[i])
	}
	t.waits = t.last().Status == runs.Success && thread.Status == runs.ThreadInterrupted
	return t
}

// goesOn reports whether a run goes on with what an earlier one began.
func goesOn(r *runs.Run) bool {
	var task struct {
		Answers    []json.RawMessage `json:"answers"`
		Continue   bool              `json:"continue"`
		Checkpoint uint64            `json:"checkpoint"`
	}
	return json.Unmarshal(r.Task, &task) == nil && (len(task.Answers) > 0 || task.Continue) && task.Checkpoint == 0
}

// request is what the door keeps of what a client asked for.
type request struct {
	Message *a2a.Message `json:"a2a"`
}

// messageOf returns the message of a client that led to a run; nil if it came by another door.
func messageOf(r *runs.Run) *a2a.Message {
	var kept request
	if json.Unmarshal(r.Request, &kept) != nil {
		return nil
	}
	return kept.Message
}
