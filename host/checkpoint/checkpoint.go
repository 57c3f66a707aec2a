// Package checkpoint defines how threads are kept: what an agent saves of a run, so that a later run can go on where it
// stopped, and the interface of the stores that keep it.
package checkpoint

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// Store keeps threads. Its methods may be called from several goroutines at once.
type Store interface {
	// Open opens a thread for one run, the first time too. Until the session is closed nobody else can open the thread:
	// they get an error that is [ErrBusy].
	Open(ctx context.Context, thread string) (Session, error)
}

// Session is a run's hold on its thread. One goroutine uses it.
type Session interface {
	// Load returns what the thread holds; nil of a thread that was never saved. What it returns is not changed, by
	// either side, and remains valid.
	Load(ctx context.Context) (*Thread, error)
	// Save adds a commit to the thread: all of it or, with an error, nothing. The commit is valid during the call; what
	// it refers to is never changed.
	Save(ctx context.Context, c *Commit) error
	// Close ends the session: Save then fails with [ErrClosed]. To close it again has no effect.
	Close() error
}

// ErrBusy is a thread that somebody else has open.
var ErrBusy = errors.New("the thread is in another run; wait until that has ended")

// ErrClosed is a session that was closed before.
var ErrClosed = errors.New("the session is closed")

// Thread is what a thread holds.
type Thread struct {
	Log        history.Log // may be applied to: see [history.Log.Fork]
	State      wire.Map    // the values of the fields that are set
	Checkpoint Checkpoint
}

// Commit is what a run adds to its thread. A store that keeps values keeps the log as it is; one that writes them
// somewhere writes what [history.Log.Since] gives, and puts it together again by [history.Log.Replay].
type Commit struct {
	Log        history.Log    // the whole history as it is now
	Since      history.Cursor // the place in it at the commit before; the zero Cursor at the first
	State      wire.Map       // the values of the fields that changed since the commit before
	Unset      []string       // the fields that have no value any more
	Checkpoint Checkpoint
}

// Checkpoint is where a run stands. It is small, however long the history is.
type Checkpoint struct {
	Run       Run
	Next      string     // the name of the step that comes next; "": the run is over
	Paused    bool       // a breakpoint before Next has stopped the run; it does not stop it again
	Cursors   []Cursor   // what the hooks whose view is new have seen
	Questions []Question // what Next asked, when it was interrupted
	Finished  []Finished // tool calls of Next that are done, when it stopped before all were
}

// Finished is a tool call that is done while others of its response are not: its result is applied when they are, or when
// the run is given up.
type Finished struct {
	Index   int // of the call in its message
	CallID  string
	Message abi.Message // the answer
	Updates []Update    // what else the tool and the hooks around it change, the inner ones first
}

// Update is an update with the name of the step or hook that it comes from.
type Update struct {
	Step   string
	Update *abi.Update
}

// Run is the run that a checkpoint belongs to, and what it has counted until then, over all of its interrupts.
type Run struct {
	ID         string
	Seed       uint64
	IDs        int // ids given to messages
	Steps      int
	ModelSteps int
	Malformed  int // responses with malformed tool calls in a row
	ToolTokens int // tokens of the tools' results
	Usage      abi.Usage
}

// Cursor is what a step's hook has seen of the history.
type Cursor struct {
	Step string
	Seen history.Cursor
}

// Question is an interrupt of a hook or tool.
type Question struct {
	ID     string // unique in the thread
	Step   string // of the hook or tool that asked
	CallID string // of the tool call that it concerns; "": none
	Nested string // id of the call inside of that call, or of the hook, which a hook or tool made; "": none
	Key    string // what the hook or tool calls it
	Value  wire.Raw
	Answer wire.Raw // none: it waits
	Fresh  bool     // the answer was given after the hook or tool ran last
}
