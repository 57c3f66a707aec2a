package checkpoint

import (
	"math"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// ID identifies a checkpoint of a thread. Ids count from 1 across all branches. No checkpoint gets an id that another one of the
// thread has had, also after a rollback.
type ID uint64

// Root stands for the place before the first checkpoint of a thread, where the thread is empty. No checkpoint has this id, and a
// checkpoint that follows it has the parent 0. The id 0 usually means the newest checkpoint instead.
const Root ID = math.MaxUint64

// Source is the reason why a checkpoint was made.
type Source string

// The sources.
const (
	SourceInput  Source = "input"  // a run took its input
	SourceLoop   Source = "loop"   // a run completed a step, or ended
	SourceUpdate Source = "update" // somebody changed the state from outside
	SourceFork   Source = "fork"   // a run continues after an older checkpoint
	SourceResume Source = "resume" // a run took answers to its questions
)

// Record is a checkpoint of a thread, with the changes since its parent.
type Record struct {
	ID     ID
	Parent ID        // 0 for the first checkpoint, and for others that begin a branch at the root
	Time   time.Time // precise to the millisecond
	Source Source
	Step   string // the step that ran last; "" if none has run
	// Whole says that the record holds the complete messages, fields and program instead of the changes. This is the case in one
	// without a parent, and in one whose history was rewritten.
	Whole      bool
	Changes    []history.Change // changes of the messages
	Cursor     history.Cursor   // the position in the history after the changes
	Messages   int              // number of messages at this checkpoint
	State      wire.Map         // the fields that changed
	Unset      []string         // the fields that no longer have a value
	Program    *Program         // nil if unchanged
	Checkpoint Checkpoint
}

// Forget drops the changes.
func (r *Record) Forget() { r.Changes, r.State, r.Unset, r.Program = nil, nil, nil, nil }

// Commit is what a run adds to its thread: a record, to which the store assigns the id, and the whole history for a store
// that keeps it in memory.
type Commit struct {
	Record

	Log history.Log
	// Written is how many bytes the store has written; 0: it does not encode records, or has not saved this one. The store sets it.
	Written int
}

// Thread is the contents of a thread at a checkpoint.
type Thread struct {
	ID         ID          // 0 at the root, where everything but Newest is empty
	Newest     ID          // the largest id of the thread
	Log        history.Log // changes may be applied to it; see [history.Log.Fork]
	State      wire.Map    // the values of the fields that are set
	Program    *Program
	Record     Record      // the checkpoint itself, without the changes
	Executions []Execution // the executions journalled after the checkpoint
}
