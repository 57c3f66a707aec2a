package host

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// Input starts a run, or goes on with one. With Messages and State it starts a new run; in a thread that has one which
// failed or waits, that run is given up, but what it did stays. Resume and Continue go on with the thread's run where it
// stopped: it keeps its id, its fields with the lifetime [LifetimeRun] and its counts.
type Input struct {
	// Thread is the thread that the run belongs to, which the agent's Checkpointer keeps: its history and fields go on
	// from run to run. "": the run remembers nothing, and nothing of it is kept.
	Thread string
	// Messages are what is new; usually one human message. nil, with State nil too, is refused in a thread whose run is
	// not over: it would be given up. An empty list does that.
	Messages []abi.Message
	State    map[string]any // values of fields, as [Encode] takes them
	// Resume answers interrupts. The hook or tool that asked runs again from its start with all answers so far. Those
	// that are left without an answer keep waiting. If the run fails with an answer, it can be given anew.
	Resume []Answer
	// Continue goes on without an answer: after a failure, a cancellation or a breakpoint. The step that failed runs
	// again; tool calls that finished do not. A run that is over stays as it is, and one that waits keeps waiting.
	Continue bool
	// Checkpoint is where in the thread the run begins, or goes on; 0 is its newest checkpoint, where the run stopped. With
	// an older one the thread goes on from there, in another branch: what followed stays to be read, see [Agent.History].
	Checkpoint checkpoint.ID
	// AcceptChanges goes on with a run although the agent's program is not the one that it began with, see [ProgramError].
	AcceptChanges bool
	// Seed is the random number of a new run, in place of one that Config.Seed gives; 0: none. A thread must not get the same
	// one twice.
	Seed    uint64
	Context any // for hooks and tools, see [ContextAs]
}

// goesOn reports whether the input goes on with a run instead of starting one.
func (in *Input) goesOn() bool { return in.Continue || in.Resume != nil }

// Result is what a run led to. A run that fails has one too: what it had until then.
type Result struct {
	RunID      string
	Thread     string
	Status     Status
	Messages   history.List
	State      wire.Map    // the fields that are not hidden
	Structured wire.Raw    // the answer that the agent's ResponseFormat asks for; none if the last model call gave none
	Interrupts []Interrupt // what waits for an answer: none if the run stopped at a breakpoint
	Next       string      // the step that Resume or Continue performs next; "": the run is over, or the input was refused
	Usage      abi.Usage   // the sum over the run's model calls
	Steps      int         // that the run performed; interrupted and failed ones do not count
}

// Interrupt is a question of a hook or tool to the outside world.
type Interrupt struct {
	ID     string   `json:"id,omitempty"`      // to answer it by; given when the step has ended
	Step   string   `json:"step"`              // of the hook or tool that asks
	CallID string   `json:"call_id,omitempty"` // of the tool call that it concerns
	Key    string   `json:"key"`
	Value  wire.Raw `json:"value"`
}

// Text returns the text of the last AI message; "" if there is none.
func (r *Result) Text() string {
	at := r.Messages.LastAI()
	if at < 0 {
		return ""
	}
	m := r.Messages.At(at)
	return m.Content.Text()
}

// Answer returns what the run was for: the structured answer as JSON if there is one, else the text.
func (r *Result) Answer() string {
	if !r.Structured.IsZero() {
		return r.Structured.JSON()
	}
	return r.Text()
}
