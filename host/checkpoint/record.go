package checkpoint

import (
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// ID counts the checkpoints of a thread from 1, over all of its branches.
type ID uint64

// Source says why a checkpoint was made.
type Source string

// The sources.
const (
	SourceInput  Source = "input"  // a run took its input
	SourceLoop   Source = "loop"   // a run made a step, or ended
	SourceUpdate Source = "update" // somebody changed the state from outside
	SourceFork   Source = "fork"   // a run goes on behind an older checkpoint
)

// Record is a checkpoint of a thread with what changed since its parent.
type Record struct {
	ID     ID
	Parent ID        // 0: the first
	Time   time.Time // in milliseconds
	Source Source
	Step   string // the step that was made last; "" if none was
	// Whole says that the changes, fields and program are not what changed but all that there is: so it is in the first
	// checkpoint of a thread, and in one whose history was written anew.
	Whole      bool
	Changes    []history.Change // of the messages
	Cursor     history.Cursor   // the place in the history behind them
	Messages   int              // of the history then
	State      wire.Map         // the fields that changed
	Unset      []string         // the fields that have no value any more
	Program    *Program         // nil: the same
	Checkpoint Checkpoint
}

// Forget drops what changed.
func (r *Record) Forget() { r.Changes, r.State, r.Unset, r.Program = nil, nil, nil, nil }

// Commit is what a run adds to its thread: a record, whose id the store gives, and the whole history for a store that
// keeps it as it is.
type Commit struct {
	Record

	Log history.Log
}

// Thread is what a thread holds at a checkpoint.
type Thread struct {
	ID         ID
	Newest     ID          // the largest id of the thread
	Log        history.Log // may be applied to: see [history.Log.Fork]
	State      wire.Map    // the values of the fields that are set
	Program    *Program
	Record     Record      // the checkpoint itself, without what changed
	Executions []Execution // what was journalled behind the checkpoint
}
