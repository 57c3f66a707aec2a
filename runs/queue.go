package runs

import (
	"context"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Queue is the side of a store that serves processes which perform runs. They act for all owners; nothing that a client asks for
// may be answered from here. A limit that is not positive allows nothing.
type Queue interface {
	Claims

	// Begin notes the newest checkpoint of the thread before a run that the worker has claimed and not begun, and returns the one that is
	// noted: that of an earlier attempt stays. The error is [ErrNotClaimed] if the worker does not have the run.
	Begin(ctx context.Context, w *Worker, run string, newest checkpoint.ID) (before checkpoint.ID, err error)
	// Renew extends all claims of a worker, and returns those of the given runs that it no longer has, and those that are to be
	// cancelled.
	Renew(ctx context.Context, w *Worker, runs []string) (*Renewal, error)
	// Append adds events of runs that the worker has claimed, all or none. Events of other runs, of other attempts, and at positions
	// that are taken are left out: so it can be repeated.
	Append(ctx context.Context, w *Worker, events []Event) error
	// Finish ends a run with its last events, and notes the end in its thread, all at once. The thread stays busy if another run of it
	// is not over. The error is [ErrNotClaimed] if the worker does not have the run, or
	// if the events are not those of its attempt.
	Finish(ctx context.Context, w *Worker, o *Outcome) error
	// Release gives a run back without an end: it is pending again and comes before later runs of its thread. The error is
	// [ErrNotClaimed] if the worker does not have it.
	Release(ctx context.Context, w *Worker, run string) error

	// Fire moves schedules that are enabled and due on to their next time, which next returns, and returns them as they were before, the
	// one that is due longest first. Two processes never get the same time of a schedule. At most limit. After the end of a schedule,
	// or if the next time does not come after the present one, it has no next time.
	Fire(ctx context.Context, now time.Time, limit int, next func(s *Schedule) time.Time) ([]Schedule, error)
	// Expired returns threads whose Expiry has passed and that are not busy, the one that expired first at first; at most limit.
	Expired(ctx context.Context, now time.Time, limit int) ([]Thread, error)
	// Prune removes the events of runs that were over before a time, and the tokens of those that were over before another one and lack
	// Run.Resumable. Runs stay. It also removes what was spent longer ago than [KeepSpending].
	Prune(ctx context.Context, before, tokens time.Time) (events int, err error)
	// NewestRun returns the greatest number of a run, whoever's it is; 0 if there is none.
	NewestRun(ctx context.Context) (number uint64, err error)
}

// Claims lets processes that perform runs claim them.
type Claims interface {
	// Claim takes up to limit runs for a worker, the first submitted first: pending runs that are due, whose agents the worker has, and
	// whose threads have no other run that is running, or that is due and was submitted earlier; and running runs of such agents whose
	// worker has not renewed its claims in time. Of a thread at most one run is running. A claimed run is running, and its Attempt is
	// one more. Two workers never claim the same run. When it takes a run, it extends all claims of the worker, as Renew does.
	Claim(ctx context.Context, w *Worker, limit int) ([]Run, error)
	// ClaimIn does the same for one thread. It returns nil if there is no run to claim in it, and [ErrNoThread].
	ClaimIn(ctx context.Context, w *Worker, owner, thread string) (*Run, error)
	// Claimable returns the runs that a worker with these agents could claim, the first submitted first; at most limit.
	Claimable(ctx context.Context, agents []string, limit int) ([]Run, error)
	// Queued returns how many runs Claimable has without a limit, by agent. Agents without such runs are left out.
	Queued(ctx context.Context, agents []string) (map[string]int, error)
	// Waiting returns how many threads wait for a person, by the agents that asked. Agents without such threads are left out.
	Waiting(ctx context.Context) (map[string]int, error)
}

// Worker is a process that performs runs.
type Worker struct {
	ID     string        // unique, also after a restart
	Agents []string      // names of the agents that it has
	Lease  time.Duration // how long a claim lasts unless it is renewed
}

// Renewal is what a worker learns when it renews its claims.
type Renewal struct {
	Lost   []string          // runs that it no longer has
	Cancel map[string]Cancel // runs that somebody wants to end
}

// Outcome is how a run ended.
type Outcome struct {
	Run     string
	Remove  bool // the run is removed with its events, as a rollback wants it; of the rest only Thread counts then
	Status  Status
	Failure *Failure
	After   checkpoint.ID // the newest checkpoint of the thread
	Events  []Event       // the last events
	// Thread notes the end in the thread, which is busy until then; nil does nothing. If the status stays busy, the thread comes back to
	// the one before. If another run of it is not over, it is busy still.
	Thread func(t *Thread)
}
