package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Store stores threads. Its methods may be called from several goroutines at once. Their errors are, or wrap, the errors of
// this package; a store may also return errors of the database that it uses.
type Store interface {
	// Open opens a thread for one run; the thread need not exist yet. Until the session is closed, every other attempt to open
	// the thread, in this or another process, fails with a [*BusyError]. A store that several processes share grants a lease
	// and renews it until the session is closed. The lease of a process that died expires.
	Open(ctx context.Context, thread string) (Session, error)
	// Load returns the contents of a thread at a checkpoint; the id 0 means the newest, and [Root] the empty thread before the
	// first. It neither needs a session nor waits for one. The errors are [ErrNoThread] and [ErrNoCheckpoint].
	Load(ctx context.Context, thread string, at ID) (*Thread, error)
	// History returns checkpoints of all branches of a thread, the newest first: at most limit, and only those with an id
	// smaller than before, unless before is 0 or [Root]. The error is [ErrNoThread].
	History(ctx context.Context, thread string, before ID, limit int) ([]Record, error)
	// Find returns the threads that a query selects, in the order of their names. Threads that were never saved are not found,
	// nor are those that were rolled back to the root. An invalid query is an error, see [Query.Check].
	Find(ctx context.Context, q Query) ([]Info, error)
	// Fork copies a checkpoint (the id 0 means the newest), all that lead to it, and the executions journalled after it to a new
	// thread. The copies keep their ids. A thread that was never saved counts as new unless a run has it open. The errors are
	// those of Load, and [ErrThreadExists].
	Fork(ctx context.Context, thread string, at ID, into string) error
	// Rollback makes a checkpoint the newest one of the thread: it removes all checkpoints with larger ids, of all branches, and
	// the executions journalled after the checkpoint and after those. [Root] removes all checkpoints, and the thread is then like
	// one that was never saved. The next checkpoint gets an id that the thread has never had, because somebody may remember an
	// old one. The errors are [ErrNoThread], [ErrNoCheckpoint], also for the id 0, and [*BusyError].
	Rollback(ctx context.Context, thread string, to ID) error
	// Delete removes a thread with all its checkpoints, and forgets the ids that they had. The errors are [ErrNoThread] and
	// [*BusyError].
	Delete(ctx context.Context, thread string) error
}

// Session is a run's hold on its thread. One goroutine uses it; Journal may be called from several at once.
type Session interface {
	// Load returns the contents of the thread at a checkpoint, with the executions journalled after it; the id 0 means the
	// newest, and [Root] the empty thread before the first. It returns nil for a thread that was never saved. Neither side
	// changes the result, and it remains valid.
	Load(ctx context.Context, at ID) (*Thread, error)
	// Save adds a checkpoint to the thread and, if its parent was the newest checkpoint, empties the parent's journal. A
	// checkpoint without a parent must be whole; it begins a branch if the thread has others. Save does both or, if it returns
	// an error, neither. The new id is larger than all that the thread has had. The commit and its Changes are valid only during
	// the call; the other values it refers to never change. A failed Save may be retried, even with another commit of the same
	// parent: if the first one was stored and only the reply was lost, it remains as a branch without successors.
	Save(ctx context.Context, c *Commit) (ID, error)
	// Journal records that an execution of a tool starts, or how it ended, after the checkpoint that this session loaded or
	// saved last; if there is none, the error is [ErrNoCheckpoint]. A second record of an execution replaces the first.
	Journal(ctx context.Context, e *Execution) error
	// Lost returns a channel that is closed when the lease is lost because the store could not be reached in time. Another run
	// may then hold the thread. The channel is nil if the lease cannot be lost.
	Lost() <-chan struct{}
	// Close ends the session: Save and Journal then fail with [ErrClosed]. Closing it again has no effect.
	Close() error
}

// Info describes a thread without its history.
type Info struct {
	Thread   string
	Head     ID // the newest checkpoint
	Created  time.Time
	Updated  time.Time // when the newest checkpoint was made
	State    State     // "" if it is unknown, because the newest checkpoint could not be read
	Newest   Checkpoint
	Messages int   // number of messages at the newest checkpoint
	Err      error // set if the newest checkpoint cannot be read; Newest and Messages are then empty
}

// MaxThreadName is the maximum length of a thread's name, in bytes of UTF-8.
const MaxThreadName = 512

// The errors of stores. They may be wrapped: compare with [errors.Is].
var (
	ErrBusy         = errors.New("another run has the thread open; wait until it has ended")
	ErrClosed       = errors.New("the session is closed")
	ErrLost         = errors.New("the lease of the thread was lost; another run may continue the thread")
	ErrNoThread     = errors.New("there is no such thread")
	ErrNoCheckpoint = errors.New("the thread has no such checkpoint")
	ErrThreadExists = errors.New("a thread with this name already exists")
	ErrThreadName   = fmt.Errorf("the name of a thread must have 1 to %d bytes of UTF-8, and no control characters", MaxThreadName)
	ErrCorrupt      = errors.New("the stored data cannot be read; restore it from a backup")
	ErrNewer        = errors.New("it was written by a newer version of agenthost; use that version or a later one")
	ErrLocked       = errors.New("another process has locked the database; try again when it has finished")
	ErrReadOnly     = errors.New("the database cannot be written to; check its permissions")
	ErrFull         = errors.New("the database has no space left; free some space, and resume the run")
	ErrUnavailable  = errors.New("the database cannot be reached; check that it is running, and check its address and password")
)

// BusyError reports that another run has the thread open. It matches [ErrBusy].
type BusyError struct {
	Holder string    // the process and machine that hold the thread; "" if unknown
	Until  time.Time // when the lease expires unless it is renewed; zero if it does not expire
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

// Is reports whether target is ErrBusy.
func (*BusyError) Is(target error) bool { return target == ErrBusy }
