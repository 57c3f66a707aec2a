// Package checkpoint defines how threads are kept: what an agent saves of its runs, so that a later one can go on where
// they stopped, and the interface of the stores that keep it.
//
// A thread is a tree of checkpoints. Each says where a run stands, and what changed since the checkpoint before it, its
// parent: so what is written in a step does not grow with the history. What the thread held at a checkpoint is put
// together from those that lead to it. A run adds checkpoints behind the newest one, or behind an older one: then the
// thread goes on from there, and what followed it once stays to be read.
package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Store keeps threads. Its methods may be called from several goroutines at once. Their errors are, or wrap, those of
// this package; a store may have others, of what it stands on.
type Store interface {
	// Open opens a thread for one run, the first time too. Until the session is closed nobody else can open the thread,
	// also not in another process: they get a [*BusyError]. A store that several processes use gives a lease, which it
	// renews until the session is closed; that of a process which died expires.
	Open(ctx context.Context, thread string) (Session, error)
	// Load returns what the thread held at a checkpoint; at its newest one with the id 0. It needs no session and waits
	// for none. The errors are [ErrNoThread] and [ErrNoCheckpoint].
	Load(ctx context.Context, thread string, at ID) (*Thread, error)
	// History returns checkpoints of a thread, the newest first, those of all branches: at most limit, with smaller ids
	// than before unless that is 0. The error is [ErrNoThread].
	History(ctx context.Context, thread string, before ID, limit int) ([]Record, error)
	// Threads returns threads in the order of their names: at most limit, with names behind after.
	Threads(ctx context.Context, after string, limit int) ([]Info, error)
	// Fork copies the checkpoints that lead to one of a thread, the newest with the id 0, to a new thread, and what was
	// journalled behind that. They keep their ids. A thread that was never saved is new unless a run has it open. The errors
	// are those of Load, and [ErrThreadExists].
	Fork(ctx context.Context, thread string, at ID, into string) error
	// Delete removes a thread with all its checkpoints. The errors are [ErrNoThread] and [*BusyError].
	Delete(ctx context.Context, thread string) error
}

// Session is a run's hold on its thread. One goroutine uses it; Journal may be called from several at once.
type Session interface {
	// Load returns what the thread held at a checkpoint; at its newest one with the id 0. It is nil of a thread that was
	// never saved. What it returns is not changed, by either side, and remains valid. With it come the executions that
	// were journalled behind the checkpoint.
	Load(ctx context.Context, at ID) (*Thread, error)
	// Save adds a checkpoint to the thread and, if its parent was the newest one, empties the journal of that: all of it or,
	// with an error, nothing. The id is one more than the largest of the thread. The commit is valid during the call; what it
	// refers to is never changed. A Save that fails may be tried again, also with another commit of the same parent: if the
	// first was kept and only its answer lost, it stays as a branch that nothing follows.
	Save(ctx context.Context, c *Commit) (ID, error)
	// Journal notes that an execution of a tool starts, or how it ended, behind the checkpoint that this session has loaded
	// or saved last; without one the error is [ErrNoCheckpoint]. An execution that is noted again takes the place of its
	// earlier note.
	Journal(ctx context.Context, e *Execution) error
	// Lost is closed when the lease is lost, since the store could not be reached in time: another run may have the thread
	// then. nil: it cannot be lost.
	Lost() <-chan struct{}
	// Close ends the session: Save and Journal then fail with [ErrClosed]. To close it again has no effect.
	Close() error
}

// Info tells of a thread without its history.
type Info struct {
	Thread   string
	Head     ID // the newest checkpoint
	Created  time.Time
	Updated  time.Time // when the newest checkpoint was made
	Busy     bool      // a run has it open
	Newest   Checkpoint
	Messages int   // of the history at the newest checkpoint
	Err      error // the newest checkpoint cannot be read: Newest and Messages are empty
}

// MaxThreadName is how long the name of a thread may be, in bytes of UTF-8.
const MaxThreadName = 512

// The errors of stores. They may be wrapped: compare with [errors.Is].
var (
	ErrBusy         = errors.New("the thread is in another run; wait until that has ended")
	ErrClosed       = errors.New("the session is closed")
	ErrLost         = errors.New("the lease of the thread was lost; another run may go on with it")
	ErrNoThread     = errors.New("there is no such thread")
	ErrNoCheckpoint = errors.New("the thread has no such checkpoint")
	ErrThreadExists = errors.New("there is a thread of this name already")
	ErrThreadName   = fmt.Errorf("the name of a thread has 1 to %d bytes of UTF-8 without control characters", MaxThreadName)
	ErrCorrupt      = errors.New("what is stored cannot be read; restore it from a copy")
	ErrNewer        = errors.New("it was written by a newer agenthost; use that one")
	ErrLocked       = errors.New("the database is locked by somebody else; try again when that has ended")
	ErrReadOnly     = errors.New("the database cannot be written to; check its permissions")
	ErrFull         = errors.New("there is no room left for the database; make some, and go on where the run stopped")
	ErrUnavailable  = errors.New("the database cannot be reached")
)

// BusyError is a thread that somebody else has open. It is [ErrBusy].
type BusyError struct {
	Holder string    // who: a process and its machine; "" if that is not known
	Until  time.Time // when the lease expires, unless it is renewed; zero if it does not
}

func (e *BusyError) Error() string {
	text := ErrBusy.Error()
	if e.Holder != "" {
		text += ": " + e.Holder
	}
	if !e.Until.IsZero() {
		text += ", whose lease expires at " + e.Until.Format(time.RFC3339) + " if it has died"
	}
	return text
}

// Is reports that the error is ErrBusy.
func (*BusyError) Is(target error) bool { return target == ErrBusy }
