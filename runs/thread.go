package runs

import "time"

// Thread is what is known of a thread beside its checkpoints. An owner and an id name it; two owners may use the same id.
type Thread struct {
	Owner    string
	ID       string // a UUID in lower case
	Metadata Metadata
	Config   Document // the configuration of its last run, as the client gave it; nil: none
	Status   ThreadStatus
	Agent    string // name of the agent of its last run; "": none has begun
	Failure  *Failure
	// Waiting says what waits for an answer, by the ids of the interrupts. It is empty unless the status is interrupted.
	Waiting []Interrupt
	Created time.Time
	Updated time.Time // when anything of this changed
	Stepped time.Time // when a run or an update changed the state
	Expiry  *Expiry   // nil: it is kept
}

// Interrupt is a question that waits, as a thread shows it without its checkpoints being read.
type Interrupt struct {
	ID    string   `json:"id"`
	Step  string   `json:"step"` // the hook or tool that asks
	Value Document `json:"value"`
}

// ThreadStatus says what a thread is doing.
type ThreadStatus string

// The statuses of threads.
const (
	ThreadIdle        ThreadStatus = "idle"
	ThreadBusy        ThreadStatus = "busy"        // a run of it is running, or waits to be performed
	ThreadInterrupted ThreadStatus = "interrupted" // its last run waits for answers, stopped at a breakpoint, or was cancelled
	ThreadFailed      ThreadStatus = "error"       // its last run failed
)

// Expiry says when a thread that nobody uses is removed.
type Expiry struct {
	After time.Duration `json:"after"` // since the thread was last updated; at least a second
	// KeepState removes all but the newest checkpoint, instead of the thread.
	KeepState bool `json:"keep_state,omitempty"`
}

// ThreadQuery selects threads of an owner. The zero value selects all of them, up to Page.Limit.
type ThreadQuery struct {
	IDs      []string     // nil: any
	Metadata Metadata     // the metadata must contain it, see [Metadata.Contains]
	Status   ThreadStatus // "": any
	Page
}

// Page is one page of a list. Rows that are equal in what they are sorted by are in the order of their ids.
type Page struct {
	Limit  int // at most this many; 0: 10, and never more than MaxPage
	Offset int
	Sort   Sort // "": by the time of creation
	// Ascending sorts the smallest, or the oldest, first.
	Ascending bool
}

// MaxPage is how many rows a page has at most.
const MaxPage = 1000

// Sort is what a list is sorted by.
type Sort string

// What lists can be sorted by. Assistants have names and threads have statuses; sorting a list by what its rows lack is an error.
const (
	SortID      Sort = "id"
	SortCreated Sort = "created"
	SortUpdated Sort = "updated"
	SortStepped Sort = "stepped"
	SortStatus  Sort = "status"
	SortName    Sort = "name"
	SortAgent   Sort = "agent"
	SortNext    Sort = "next" // of schedules: when they fire next
)
