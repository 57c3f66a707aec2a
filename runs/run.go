package runs

import (
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Run is one run of an agent in a thread, as a client asked for it. To answer the questions of a run is a run of its own here, as
// in LangGraph's API, while the agent goes on with the run that asked.
type Run struct {
	Owner  string
	ID     string // a UUID in lower case, or what [CheckID] allows; unique over all owners
	Thread string
	Agent  string // name of the agent that performs it
	// Assistant is the id of the assistant that it was started with.
	Assistant string
	Task      Document // what is to be done, see [Task]; a store does not look into it
	Request   Document // what the client sent, for clients that read it again; nil: unknown
	Metadata  Metadata
	Strategy  Strategy
	Status    Status
	Failure   *Failure  // why it failed; nil otherwise
	Created   time.Time // the store sets it
	Updated   time.Time // when its status changed, or somebody cancelled it; the store sets it
	Due       time.Time // it does not begin earlier; the zero time: it begins at once
	// Number orders the runs of a store as they were submitted, from 1. The store assigns it.
	Number uint64
	// Attempt counts how often the run was claimed. It is 0 until then, and more than 1 if a process that performed it died or gave it
	// back.
	Attempt int
	// Before is the newest checkpoint of the thread before the run, see [Queue.Begin]; 0: the thread had none, or nobody has noted it
	// yet. A rollback returns to it.
	Before checkpoint.ID
	// After is the newest checkpoint of the thread when the run was over; 0 while it is not.
	After checkpoint.ID
	// Cancel is what somebody wants to become of the run; "": nobody does.
	Cancel Cancel
	// Resumable keeps tokens as long as its other events, so that a reader can have them again later.
	Resumable bool
	Webhook   string // a URL that is told how the run ended; "": none
}

// Status says how far a run has come.
type Status string

// The statuses of runs. A run that stopped because a person must answer has succeeded; its thread is interrupted.
const (
	Pending     Status = "pending"
	Running     Status = "running"
	Success     Status = "success"
	Failed      Status = "error"
	Interrupted Status = "interrupted" // it was cancelled
	TimedOut    Status = "timeout"
)

// Over reports whether the run has ended.
func (s Status) Over() bool { return s != Pending && s != Running }

// Strategy says what a new run does if its thread is busy.
type Strategy string

// The strategies, those of LangGraph's multitask_strategy.
const (
	StrategyEnqueue   Strategy = "enqueue"   // the default: it waits for its turn
	StrategyReject    Strategy = "reject"    // it is refused with [ErrThreadBusy]
	StrategyInterrupt Strategy = "interrupt" // the present run is cancelled, and what it did stays
	StrategyRollback  Strategy = "rollback"  // the present run is cancelled and removed, and so is what it did
)

// Cancel is how a run is cancelled.
type Cancel string

// The ways to cancel a run.
const (
	CancelKeep     Cancel = "interrupt" // what it did stays, and the thread can go on from there
	CancelRollback Cancel = "rollback"  // the run is removed, with the checkpoints that it made
)

// Failure is why a run failed. A store cuts long texts at [MaxText] bytes, and replaces what is not UTF-8.
type Failure struct {
	Type    string `json:"error"` // type of the error, see [github.com/agenthost/agenthost/host.ErrorDocument]
	Message string `json:"message"`
}

// RunQuery selects runs of a thread, the newest first.
type RunQuery struct {
	Status Status // "": any
	After  uint64 // only runs with a greater [Run.Number]
	Limit  int    // 0: DefaultPage, and never more than MaxPage
	Offset int
}
