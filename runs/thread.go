package runs

import (
	"time"

	"github.com/agenthost/agenthost/host"
)

// Thread is what is known of a thread beside its checkpoints. An owner and an id name it; two owners may use the same id.
type Thread struct {
	Owner    string
	ID       string // a UUID in lower case, or what [CheckID] allows
	Metadata Metadata
	Config   Document // the configuration of its last run, as the client gave it; nil: none
	Status   ThreadStatus
	Agent    string // name of the agent of its last run; "": none has begun
	Failure  *Failure
	// Waiting says what waits for an answer, by the ids of the interrupts. It is empty unless the status is interrupted: a store
	// leaves it out with another status.
	Waiting []Interrupt
	Created time.Time // the store sets it
	Updated time.Time // when anything of this changed; the store sets it
	Stepped time.Time // when a run or an update changed the state
	Expiry  *Expiry   // nil: it is kept
	// Temporary is a thread of a run without a thread: lists leave it out.
	Temporary bool
}

// Interrupt is a question that waits, as a thread shows it without its checkpoints being read.
type Interrupt struct {
	ID    string   `json:"id"`
	Step  string   `json:"step"`  // the hook or tool that asks
	Value Document `json:"value"` // nil is null; a store may leave out white space between its parts
}

// InterruptsOf returns the questions of a run as a thread shows them.
func InterruptsOf(asked []host.Interrupt) (out []Interrupt) {
	for i := range asked {
		out = append(out, Interrupt{ID: asked[i].ID, Step: asked[i].Step, Value: Document(asked[i].Value.JSON())})
	}
	return out
}

// ThreadStatus says what a thread is doing.
type ThreadStatus string

// The statuses of threads. Whether a thread is busy follows from its runs. A busy thread also has the status that it comes back to if
// its runs go without a trace, as a pending one does that is cancelled: the one that it had before.
const (
	ThreadIdle        ThreadStatus = "idle"
	ThreadBusy        ThreadStatus = "busy"        // a run of it is running, or waits to be performed
	ThreadInterrupted ThreadStatus = "interrupted" // its last run waits for answers, stopped at a breakpoint, or was cancelled
	ThreadFailed      ThreadStatus = "error"       // its last run failed
)

// Expiry says when a thread that nobody uses is removed.
type Expiry struct {
	After time.Duration `json:"after"` // since the thread was last updated; at least a second
}

// ThreadQuery selects threads of an owner. The zero value selects all of them, up to Page.Limit.
type ThreadQuery struct {
	IDs      []string     // nil: any
	Metadata Metadata     // the metadata must contain it, see [Metadata.Contains]
	Status   ThreadStatus // "": any
	Page
}
