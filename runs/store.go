package runs

import (
	"context"
	"time"
)

// Store keeps runs and what surrounds them. Its methods may be called from several goroutines at once, and by several processes if
// it is shared. Their errors are, or wrap, the errors of this package or those of the database. What they return is the caller's.
//
// Each method with an owner sees and changes rows of that owner only.
type Store interface {
	Threads
	Runs
	Assistants
	Schedules
	Queue

	// Shared reports whether other processes may use the same rows.
	Shared() bool
	// Listen calls heard when something happened that somebody may wait for, until the context ends. Hints are not reliable: one may
	// be lost, come twice or come without a reason, so whoever waits also looks by itself from time to time. Calls come one after
	// the other, and must return soon.
	Listen(ctx context.Context, heard func(Hint)) error
}

// Hint says that something may have happened.
type Hint struct {
	Kind HintKind `json:"kind"`
	Run  string   `json:"run,omitempty"` // of events and ends
}

// HintKind is what may have happened.
type HintKind string

// The kinds of hints.
const (
	HintQueue  HintKind = "queue"  // a run was submitted, or a thread is free for the next one
	HintCancel HintKind = "cancel" // a running run is to be cancelled
	HintEvents HintKind = "events" // a run has new events, or is over
)

// Threads keeps what is known of threads.
type Threads interface {
	// CreateThread adds a thread. The error is [ErrExists] if the owner has a thread with this id.
	CreateThread(ctx context.Context, t *Thread) error
	// Thread returns a thread, or [ErrNoThread].
	Thread(ctx context.Context, owner, id string) (*Thread, error)
	// ChangeThread changes a thread: change gets it as it is, and may be called again with what it has become in the meantime. An
	// error of change is returned as it is, and nothing changes. Owner, id and the time of creation stay whatever change does.
	ChangeThread(ctx context.Context, owner, id string, change func(t *Thread) error) (*Thread, error)
	// FindThreads returns a page of threads, and how many there are on all pages.
	FindThreads(ctx context.Context, owner string, q *ThreadQuery) (page []Thread, total int, err error)
	// DeleteThread removes a thread with its runs and their events; its checkpoints are not the store's. The errors are
	// [ErrNoThread], and [ErrThreadBusy] if a run of it is running. Pending runs are removed.
	DeleteThread(ctx context.Context, owner, id string) error
}

// Runs keeps runs and their events.
type Runs interface {
	// Submit adds a pending run to its thread, which then is busy, and notes in the thread what note does to it. A missing thread is
	// created if create says so, and [ErrNoThread] otherwise. It assigns the number and the times.
	//
	// With the strategy reject the error is [ErrThreadBusy] if the thread has a run that is not over. With interrupt or rollback
	// each such run is cancelled as Cancel does, in the same transaction. The error is [ErrQueueFull] if the owner would have more
	// than most runs that are not over; 0 is no limit.
	Submit(ctx context.Context, r *Run, create bool, most int, note func(t *Thread)) error
	// Run returns a run, or [ErrNoRun].
	Run(ctx context.Context, owner, id string) (*Run, error)
	// FindRuns returns runs of a thread, or [ErrNoThread].
	FindRuns(ctx context.Context, owner, thread string, q *RunQuery) ([]Run, error)
	// Cancel cancels a run. A pending run is over at once: interrupted, or removed with [CancelRollback]. A running one gets Run.Cancel,
	// which whoever performs it acts on; a rollback is not weakened to an interrupt. It returns the run as it is then, with the status
	// Interrupted if it was removed. The errors are [ErrNoRun] and [ErrRunOver].
	Cancel(ctx context.Context, owner, id string, how Cancel) (*Run, error)
	// DeleteRun removes a run with its events. The errors are [ErrNoRun], and [ErrThreadBusy] if it is running.
	DeleteRun(ctx context.Context, owner, id string) error
	// Events returns events of a run that follow a position, in their order: at most limit. The error is [ErrNoRun].
	Events(ctx context.Context, owner, run string, after uint64, limit int) ([]Event, error)
}

// Assistants keeps assistants of clients, with their versions.
type Assistants interface {
	// CreateAssistant adds an assistant with the version 1, or returns [ErrExists].
	CreateAssistant(ctx context.Context, a *Assistant) error
	// Assistant returns the version of an assistant that is used, or [ErrNoAssistant].
	Assistant(ctx context.Context, owner, id string) (*Assistant, error)
	// ChangeAssistant adds a version to an assistant: change gets the one that is used. The new version has the next number that no
	// version had, and is used from now on.
	ChangeAssistant(ctx context.Context, owner, id string, change func(a *Assistant) error) (*Assistant, error)
	// UseVersion makes a version the one that is used. The errors are [ErrNoAssistant] and [ErrNoVersion].
	UseVersion(ctx context.Context, owner, id string, version int, now time.Time) (*Assistant, error)
	// Versions returns the versions of an assistant whose metadata contains the given one, the newest first, or [ErrNoAssistant].
	Versions(ctx context.Context, owner, id string, metadata Metadata, limit, offset int) ([]Assistant, error)
	// FindAssistants returns a page of assistants, each in the version that is used, and how many there are on all pages.
	FindAssistants(ctx context.Context, owner string, q *AssistantQuery) (page []Assistant, total int, err error)
	// DeleteAssistant removes an assistant with its versions, or returns [ErrNoAssistant]. Its schedules are removed too; its runs stay.
	DeleteAssistant(ctx context.Context, owner, id string) error
}

// Schedules keeps schedules.
type Schedules interface {
	// CreateSchedule adds a schedule, or returns [ErrExists].
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
