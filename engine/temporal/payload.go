package temporal

import (
	"time"

	"github.com/agenthost/agenthost/runs"
)

// The names of what is registered with Temporal. Open workflows refer to them, so they never change.
const (
	workflowName = "agenthost.thread"
	performName  = "agenthost.perform"
	submitName   = "agenthost.submit"
	cancelName   = "agenthost.cancel"
	answerName   = "agenthost.answer"
	wakeName     = "agenthost.wake"   // a signal
	statusName   = "agenthost.status" // a query
	overName     = "agenthost.over/"  // a signal, followed by the id of the run
)

// thread is the state of a workflow. Fields may be added, and never change their meaning: histories have them.
type thread struct {
	Owner      string        `json:"owner,omitempty"`
	ID         string        `json:"id"`
	Heartbeat  time.Duration `json:"heartbeat"`
	Attributes bool          `json:"attributes,omitempty"` // the namespace has our search attributes
	Agent      string        `json:"agent,omitempty"`      // which of our search attributes name when the workflow begins; "": unknown
	Waiters    []waiter      `json:"waiters,omitempty"`
}

// waiter is a workflow that wants to know how a run ended.
type waiter struct {
	Run           string `json:"run"`
	Workflow      string `json:"workflow"`
	WorkflowRunID string `json:"workflow_run_id"`
}

// wake is the signal that there may be something to do in a thread.
type wake struct {
	Waiter *waiter `json:"waiter,omitempty"`
}

// segment is what an activity is told: to perform the run of a thread that comes first.
type segment struct {
	Owner  string   `json:"owner,omitempty"`
	Thread string   `json:"thread"`
	Await  []string `json:"await,omitempty"` // runs whose end somebody waits for
}

// verdict is all that a workflow hears of it.
type verdict struct {
	Run     string `json:"run,omitempty"`
	Agent   string `json:"agent,omitempty"`
	More    bool   `json:"more,omitempty"`    // there is another run to perform, or the same one again
	Waiting bool   `json:"waiting,omitempty"` // the thread waits for people
	Over    []over `json:"over,omitempty"`    // those of segment.Await that are over
}

// over says how a run ended.
type over struct {
	Run     string        `json:"run"`
	Status  runs.Status   `json:"status,omitempty"` // "": the run was removed
	Failure *runs.Failure `json:"failure,omitempty"`
	Waiting []string      `json:"waiting,omitempty"` // ids of the questions that the thread now waits for
}
