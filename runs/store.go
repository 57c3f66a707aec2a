package runs

import "context"

// Store keeps runs and what surrounds them. Its methods may be called from several goroutines at once, and by several processes if
// it is shared. Their errors are, or wrap, the errors of this package, that of their context, or those of the database. What they
// return is the caller's, and they keep nothing of what they are given. What no store can keep is refused with [ErrInvalidValue], and
// a query that none can answer with [ErrBadQuery]; see the methods Check.
//
// Each method with an owner sees and changes rows of that owner only. An id that no row can have is the id of none.
//
// Functions that a method calls get rows in the middle of a transaction: they must return soon, and not use the store.
type Store interface {
	Threads
	Runs
	Assistants
	Schedules
	Costs
	Queue
	Ledger

	// Shared reports whether other processes may use the same rows.
	Shared() bool
	// Listen calls heard when something happened that somebody may wait for, until the context ends, whose error it returns. Hints are
	// not reliable: one may be lost, come twice or come without a reason, so whoever waits also looks by itself from time to time.
	// When it begins to listen, also again after a connection was lost, it calls heard with each kind of hint and no run, since
	// anything may have happened before. Calls come one after the other, and must return soon.
	Listen(ctx context.Context, heard func(Hint)) error
}

// Hint says that something may have happened.
type Hint struct {
	Kind   HintKind `json:"kind"`
	Run    string   `json:"run,omitempty"`    // the run that it is about; "": it may be about any run
	Thread string   `json:"thread,omitempty"` // for HintThread, the thread that it is about; "": it may be about any thread
}

// HintKind is what may have happened.
type HintKind string

// The kinds of hints.
const (
	HintQueue  HintKind = "queue"  // a run was submitted, or a thread is free for the next one
	HintCancel HintKind = "cancel" // a running run is to be cancelled
	HintEvents HintKind = "events" // a run has new events
	HintEnd    HintKind = "end"    // a run is over or was removed, and may have new events
	HintThread HintKind = "thread" // a run was submitted to a thread, or the thread was removed
)

// MaxEvents is how many bytes of data a store returns at once, unless a single event has more.
const MaxEvents = 4 << 20

// Threads keeps what is known of threads.
type Threads interface {
	// CreateThread adds a thread, and sets its times. The error is [ErrExists] if the owner has a thread with this id. Its status is
	// idle if it has none; a thread without runs cannot be busy.
	CreateThread(ctx context.Context, t *Thread) error
	// Thread returns a thread, or [ErrNoThread].
	Thread(ctx context.Context, owner, id string) (*Thread, error)
	// ChangeThread changes a thread: change gets it as it is, and may be called again with what it has become in the meantime. An
	// error of change is returned as it is, and nothing changes. Owner, id and the time of creation stay whatever change does. So does
	// the status of a busy thread: another status is the one that it comes back to. It returns the thread as it is then.
	ChangeThread(ctx context.Context, owner, id string, change func(t *Thread) error) (*Thread, error)
	// FindThreads returns a page of threads, and how many there are on all pages.
	FindThreads(ctx context.Context, owner string, q *ThreadQuery) (page []Thread, total int, err error)
	// DeleteThread removes a thread with its runs and their events; its checkpoints are not the store's. The errors are
	// [ErrNoThread], and [ErrThreadBusy] if a run of it is running. Pending runs are removed.
	DeleteThread(ctx context.Context, owner, id string) error
}

// Runs keeps runs and their events.
type Runs interface {
	// Submit adds a pending run to its thread, which then is busy, and notes in the thread what note does to it; nil does nothing. A
	// missing thread is created if create says so, and [ErrNoThread] otherwise. It sets what only a store knows: the run's status,
	// number and times, and that nothing became of it yet. The error is [ErrExists] if there is a run with this id.
	//
	// With the strategy reject the error is [ErrThreadBusy] if the thread has a run that is not over. With interrupt or rollback
	// each such run is cancelled as Cancel does, in the same transaction. The error is [ErrQueueFull] if the owner would then have
	// more than most runs that are not over; 0 is no limit. Submissions at the same time may not see each other, and exceed it.
	Submit(ctx context.Context, r *Run, create bool, most int, note func(t *Thread)) error
	// Run returns a run, or [ErrNoRun].
	Run(ctx context.Context, owner, id string) (*Run, error)
	// FindRuns returns runs of a thread, or [ErrNoThread].
	FindRuns(ctx context.Context, owner, thread string, q *RunQuery) ([]Run, error)
	// Cancel cancels a run. A run that was never claimed is over at once: interrupted, or removed with [CancelRollback]. Another run
	// gets Run.Cancel, which whoever performs it acts on, or claims it next; a rollback is not weakened to an interrupt. It returns the
	// run as it is then, with the status Interrupted if it was removed. The errors are [ErrNoRun] and [ErrRunOver].
	Cancel(ctx context.Context, owner, id string, how Cancel) (*Run, error)
	// DeleteRun removes a run with its events. The errors are [ErrNoRun], and [ErrThreadBusy] if it is running.
	DeleteRun(ctx context.Context, owner, id string) error
	EventLister
}

// EventLister lists the events of runs.
type EventLister interface {
	// Events returns events of a run that follow a position, in their order: at most limit, or [MaxPage] if the limit is 0 or larger. It
	// returns fewer, but at least one, when their data exceeds [MaxEvents] bytes. The error is [ErrNoRun].
	Events(ctx context.Context, owner, run string, after uint64, limit int) ([]Event, error)
}

// Assistants keeps assistants of clients, with their versions.
type Assistants interface {
	// CreateAssistant adds an assistant with the version 1 and sets its times, or returns [ErrExists].
	CreateAssistant(ctx context.Context, a *Assistant) error
	// Assistant returns the version of an assistant that is used, or [ErrNoAssistant].
	Assistant(ctx context.Context, owner, id string) (*Assistant, error)
	// ChangeAssistant adds a version to an assistant: change gets the one that is used, and is called as that of ChangeThread. The new
	// version has the next number that no version had, and is used from now on.
	ChangeAssistant(ctx context.Context, owner, id string, change func(a *Assistant) error) (*Assistant, error)
	// UseVersion makes a version the one that is used. The errors are [ErrNoAssistant] and [ErrNoVersion].
	UseVersion(ctx context.Context, owner, id string, version int) (*Assistant, error)
	// Versions returns the versions of an assistant whose metadata contains the given one, the newest first, or [ErrNoAssistant]. The
	// limit is that of a [Page].
	Versions(ctx context.Context, owner, id string, metadata Metadata, limit, offset int) ([]Assistant, error)
	// FindAssistants returns a page of assistants, each in the version that is used, and how many there are on all pages.
	FindAssistants(ctx context.Context, owner string, q *AssistantQuery) (page []Assistant, total int, err error)
	// DeleteAssistant removes an assistant with its versions, or returns [ErrNoAssistant]. Its schedules are removed too; its runs stay.
	DeleteAssistant(ctx context.Context, owner, id string) error
}

// Schedules keeps schedules.
type Schedules interface {
	// CreateSchedule adds a schedule and sets its times, or returns [ErrExists].
	CreateSchedule(ctx context.Context, s *Schedule) error
	// Schedule returns a schedule, or [ErrNoSchedule].
	Schedule(ctx context.Context, owner, id string) (*Schedule, error)
	// ChangeSchedule changes a schedule as ChangeThread changes a thread.
	ChangeSchedule(ctx context.Context, owner, id string, change func(s *Schedule) error) (*Schedule, error)
	// FindSchedules returns a page of schedules, and how many there are on all pages.
	FindSchedules(ctx context.Context, owner string, q *ScheduleQuery) (page []Schedule, total int, err error)
	// DeleteSchedule removes a schedule, or returns [ErrNoSchedule].
	DeleteSchedule(ctx context.Context, owner, id string) error
}
