package host

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// Input starts a run, or goes on with one. Messages and State start a new run; if the thread has a run that failed or waits,
// that run is abandoned, but everything that it did stays; KeepWaiting prevents this. Resume and Continue go on with the thread's run where it stopped:
// it keeps its id, its fields with the lifetime [LifetimeRun] and its counts.
type Input struct {
	// Thread is the id of the thread that the run belongs to. The agent's Checkpointer keeps it: history and fields carry over
	// from run to run. "": the run starts from nothing and keeps nothing.
	Thread string
	// Messages are the new messages; usually one human message. If Messages and State are nil, and the thread has a run that is
	// not over, the input is refused, because it would abandon that run. An empty, non-nil list abandons it.
	Messages []abi.Message
	State    map[string]any // values of fields; [Encode] must accept them
	// Resume answers interrupts. The hook or tool that asked runs again from its start with all answers so far. Interrupts
	// without an answer keep waiting. If the run fails after an answer, the question can be answered again.
	Resume []Answer
	// Continue goes on without an answer, after a failure, a cancellation or a breakpoint. The step that failed runs again,
	// except for tool calls of it that have finished. A run that is over stays as it is, and a run that waits keeps waiting.
	Continue bool
	// Checkpoint is the place in the thread where the run begins or goes on; 0 is the newest checkpoint, where the last run
	// stopped. From an older checkpoint the thread goes on in another branch: the later checkpoints stay readable, see
	// [Agent.History]. [checkpoint.Root] begins a branch with an empty history.
	Checkpoint checkpoint.ID
	// KeepWaiting refuses Messages and State with [ErrWaiting] if the thread's newest run waits for answers, instead of abandoning
	// that run and its questions. The run checks this while it holds the thread, so no other run can ask in between.
	KeepWaiting bool
	// AcceptChanges allows a run to continue although the agent's program has changed since the run began, see [ProgramError].
	AcceptChanges bool
	// Seed is the random number of a new run; 0: Config.Seed supplies it. A thread must not get the same seed twice.
	Seed uint64
	// Once makes it safe to give the same input again, for example after the process died: if the thread's newest checkpoint was made
	// after an input with the same Seed was taken, the run goes on from there, or stays where it stopped. The run decides this while it
	// holds the thread. Seed must be set, and each other input of the thread must have another one.
	Once bool
	// What follows holds for this part of the run only: an input that goes on with the run gives it again.

	Context any // value for hooks and tools, see [ContextAs] and [Config.ContextSchema]
	// Parent is the id of the run whose tool or hook starts this run; "": none. Hooks can read it.
	Parent string
	// InterruptBefore and InterruptAfter are breakpoints in addition to those of [Config]; [AllSteps] stands for every step.
	InterruptBefore, InterruptAfter []string
	// RecursionLimit is the number of steps at which the run fails, if it is smaller than that of [Config]; 0: that of Config.
	RecursionLimit int
	// Model names one of Config.Models, which model steps call instead of Config.Model; "": they call Config.Model. Middleware
	// that calls the agent's model by itself is not concerned.
	Model string
	// ClientTools are tools that the caller performs: the model is offered them together with the agent's own, and middleware sees them as
	// any others. A call of one is an interrupt, see [Interrupt.ClientCall], whose answer is the result, see [ClientResult]. Inner agents do
	// not have them. nil: an input that goes on with a run keeps those that the run has; otherwise there are none.
	ClientTools []ClientTool
	// User is whose run it is, for a [Tracer]; "": nobody says.
	User string
	// Metadata is what the caller wants to find again with the run: the event of the type run shows it, and hooks can read it.
	Metadata wire.Map
	// Requests adds events that tell what each middleware changed in the requests to the model, see [EventRequest]. They show the system prompt
	// and the definitions of tools.
	Requests bool
	// Yield is asked after each step that was saved, see [Durability], unless the run is over. If it returns true, the run stops as
	// interrupted, with Result.Yielded, and an input with Continue goes on. It is called in the goroutine of the run.
	Yield func(at Boundary) bool
}

// Boundary is a place between two steps of a run.
type Boundary struct {
	Next       string        // the step that comes next
	Checkpoint checkpoint.ID // the newest checkpoint, which has everything up to here
	Steps      int           // steps that the run performed
}

// goesOn reports whether the input goes on with a run instead of starting one.
func (in *Input) goesOn() bool { return in.Continue || in.Resume != nil }

// Result is the outcome of a run. A failed run has one too, with what it had until then.
type Result struct {
	RunID      string
	Thread     string
	Status     Status
	Messages   history.List
	State      wire.Map      // the fields that are not hidden
	Structured wire.Raw      // the structured answer of the last model call, see Config.ResponseFormat; nil: it gave none
	Interrupts []Interrupt   // the interrupts that wait for an answer; none if the run stopped at a breakpoint
	Checkpoint checkpoint.ID // the newest checkpoint of the run's thread; 0: none was saved
	Next       string        // the step that Resume or Continue performs next; "": the run is over, or the input was refused
	StopReason string        // why the last answer ended, in the provider's words; "": it does not say. See [model.EndingOf]
	Usage      abi.Usage     // sum over the run's model calls
	Cost       model.Cost    // sum over the run's model calls, by Config.Prices
	ThreadCost model.Cost    // what the runs of the thread have cost together, with this one
	Steps      int           // steps that the run performed; interrupted and failed steps do not count
	Yielded    bool          // it stopped because Input.Yield or [Agent.Drain] wanted it to
}

// Interrupt is a question of a hook or tool to the outside world.
type Interrupt struct {
	ID     string   `json:"id,omitempty"`      // names the interrupt in an [Answer]; set when the step has ended
	Step   string   `json:"step"`              // the hook or tool that asks
	CallID string   `json:"call_id,omitempty"` // the tool call that it concerns
	Key    string   `json:"key"`
	Value  wire.Raw `json:"value"`
}

// Text returns the text of the last AI message, or "".
func (r *Result) Text() string {
	at := r.Messages.LastAI()
	if at < 0 {
		return ""
	}
	m := r.Messages.At(at)
	return m.Content.Text()
}

// Answer returns the answer of the run: the structured answer as JSON if there is one, otherwise the text, or else the text with
// which the model declined to answer.
func (r *Result) Answer() string { return answerOf(r.Messages, r.Structured) }

func answerOf(messages history.List, structured wire.Raw) string {
	if !structured.IsNil() {
		return structured.JSON()
	}
	at := messages.LastAI()
	if at < 0 {
		return ""
	}
	m := messages.At(at)
	if text := m.Content.Text(); text != "" {
		return text
	}
	var refusal strings.Builder
	for _, block := range m.Content.Blocks() {
		if block.Type() == abi.BlockRefusal {
			refusal.WriteString(block.Text())
		}
	}
	return refusal.String()
}
