package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/tracecontext"
)

// Task is what a run is to do: the input of an agent in a form that a store keeps, see [host.Input]. Messages and State start a new run of
// the agent, Answers and Continue go on with one. If both are there, or what only a change can do, the thread is changed first, see
// [Task.Change]. Answers where nothing waits are ignored, and the run goes on.
type Task struct {
	Messages []abi.Message `json:"messages,omitempty"`
	State    wire.Map      `json:"state,omitempty"`
	Answers  []Answer      `json:"answers,omitempty"`
	Continue bool          `json:"continue,omitempty"`
	// Remove and Overwrite are about messages of the thread, see [host.Update].
	Remove    []string `json:"remove,omitempty"`
	Overwrite bool     `json:"overwrite,omitempty"`
	// As is the step after which the run goes on after the change, see [host.StateUpdate].
	As string `json:"as,omitempty"`
	// Goto is the step before which the run goes on after the change, see [host.StateUpdate]; "": where the thread is.
	Goto       string        `json:"goto,omitempty"`
	Checkpoint checkpoint.ID `json:"checkpoint,omitempty"` // where it begins; 0: where the thread is

	Context         wire.Raw `json:"context,omitempty"`
	InterruptBefore []string `json:"interrupt_before,omitempty"`
	InterruptAfter  []string `json:"interrupt_after,omitempty"`
	RecursionLimit  int      `json:"recursion_limit,omitempty"`
	Model           string   `json:"model,omitempty"`
	// ClientTools are tools that the client performs, see [host.Input].
	ClientTools []host.ClientTool `json:"client_tools,omitempty"`

	// Trace is the span that asked for the run; nil: none.
	Trace *tracecontext.Context `json:"trace,omitempty"`
}

// Answer is an answer to an interrupt.
type Answer struct {
	Interrupt string   `json:"interrupt,omitempty"` // its id; "": the only one that waits
	Value     wire.Raw `json:"value"`
	By        string   `json:"by,omitempty"` // who answers; "": unknown
}

// Document returns the task as a store keeps it.
func (t *Task) Document() (Document, error) { return json.Marshal(t) }

// BeganAt returns the checkpoint at which a run that has begun did so; [checkpoint.Root] is the empty thread.
func BeganAt(r *Run) (checkpoint.ID, error) {
	task, err := TaskOf(r)
	if err != nil {
		return 0, err
	}
	at := r.Before
	if _, changed := task.Change(); !changed && task.Checkpoint != 0 {
		at = task.Checkpoint
	}
	if at == 0 {
		at = checkpoint.Root
	}
	return at, nil
}

// TaskOf reads the task of a run. An unknown key is an error, because a newer version may have meant it to protect something.
func TaskOf(r *Run) (*Task, error) {
	t := &Task{}
	decoder := json.NewDecoder(bytes.NewReader(r.Task))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(t); err != nil {
		return nil, fmt.Errorf("the task of the run cannot be read: %w", err)
	}
	return t, nil
}

// Change returns the change of the thread that comes before the run; ok is false if there is none.
func (t *Task) Change() (u host.StateUpdate, ok bool) {
	some := t.Messages != nil || t.State != nil
	ok = t.Goto != "" || t.As != "" || t.Overwrite || len(t.Remove) > 0 || some && (t.Continue || len(t.Answers) > 0)
	return host.StateUpdate{
		Checkpoint: t.Checkpoint, As: t.As, Goto: t.Goto,
		Update: host.Update{Messages: t.Messages, State: t.State, Remove: t.Remove, Overwrite: t.Overwrite},
	}, ok
}

// Input returns the input of the agent for a run with this task. Each attempt gets the same, and it is taken once.
func (t *Task) Input(r *Run) host.Input {
	in := host.Input{
		Thread: ThreadName(r.Owner, r.Thread), Seed: r.Seed(), Once: true, Requests: true, Messages: t.Messages, Continue: t.Continue, Checkpoint: t.Checkpoint,
		InterruptBefore: t.InterruptBefore, InterruptAfter: t.InterruptAfter, RecursionLimit: t.RecursionLimit, Model: t.Model,
		ClientTools: t.ClientTools, User: r.Owner,
		Metadata: wire.Map{{Key: "run_id", Value: wire.String(r.ID)}, {Key: "thread_id", Value: wire.String(r.Thread)}},
	}
	if !t.Context.IsZero() {
		in.Context = t.Context
	}
	for _, field := range t.State {
		if in.State == nil {
			in.State = map[string]any{}
		}
		in.State[field.Key] = field.Value
	}
	if _, changed := t.Change(); changed {
		in.Messages, in.State, in.Checkpoint, in.Continue = nil, nil, 0, len(t.Answers) == 0
	}
	for _, a := range t.Answers {
		in.Resume = append(in.Resume, host.Answer{Interrupt: a.Interrupt, Value: a.Value, By: a.By})
	}
	return in
}

// Seed returns the random number of the run, which follows from its id, so that each attempt has the same.
func (r *Run) Seed() uint64 {
	sum := sha256.Sum256([]byte(r.ID))
	return max(1, binary.BigEndian.Uint64(sum[:]))
}
