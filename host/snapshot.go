package host

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// Snapshot is what a thread held at one of its checkpoints.
type Snapshot struct {
	Thread     string
	Checkpoint checkpoint.ID
	Parent     checkpoint.ID // 0: none
	Newest     checkpoint.ID // of the thread
	Time       time.Time
	Source     checkpoint.Source
	RunID      string
	Step       string // that was made last; "": none
	Next       string // the step that comes next; "": the run is over
	Failure    string // why the run stopped before Next; "": it did not fail
	Messages   history.List
	State      wire.Map               // all fields that are set, hidden ones too
	Interrupts []Interrupt            // what waits for an answer
	Unfinished []checkpoint.Execution // tools that have started and not ended: of a run that goes on now, or that was cut off
	Usage      abi.Usage
	Steps      int
}

// State returns what a thread held at a checkpoint; at its newest one with 0. Results of tool calls that are done while
// others of their response are not show in it, as in a [Result]. A run of the thread may go on meanwhile.
func (a *Agent) State(ctx context.Context, thread string, at checkpoint.ID) (*Snapshot, error) {
	r, err := a.look(ctx, thread)
	if err != nil {
		return nil, err
	}
	defer r.entry.leave()
	held, err := r.agent.config.Checkpointer.Load(ctx, thread, at)
	if err != nil {
		return nil, r.thread.fail(err)
	}
	r.restore(held)
	return r.snapshot(held), nil
}

// look prepares to read a thread. Who does must leave.
func (a *Agent) look(ctx context.Context, thread string) (*run, error) {
	r := a.newRun(ctx, Input{Thread: thread})
	err := r.entry.err
	if err == nil && r.agent.config.Checkpointer == nil {
		err = r.thread.fail(ErrNoCheckpointer)
	}
	if err != nil {
		r.entry.leave()
		return nil, err
	}
	return r, nil
}

// snapshot tells what the run has restored.
func (r *run) snapshot(held *checkpoint.Thread) *Snapshot {
	at := &held.Record
	c := &at.Checkpoint
	shown := r.shown()
	s := &Snapshot{
		Thread: r.thread.id, Checkpoint: at.ID, Parent: at.Parent, Newest: held.Newest, Time: at.Time, Source: at.Source, RunID: c.Run.ID,
		Step: at.Step, Next: c.Next, Failure: c.Failure, Messages: shown.Messages(), Steps: c.Run.Steps,
		Usage: abi.Usage(c.Run.Usage),
		State: r.thread.foreign,
	}
	for slot := range shown.table.fields {
		if value := shown.values[slot]; !value.IsZero() {
			s.State = s.State.With(wire.Map{{Key: shown.table.fields[slot].Name, Value: value}})
		}
	}
	for _, q := range c.Waiting() {
		if !r.state.isAbout(q) {
			continue
		}
		s.Interrupts = append(s.Interrupts, Interrupt{ID: q.ID, Step: q.Step, CallID: q.CallID, Key: q.Key, Value: q.Value})
	}
	for _, e := range checkpoint.Journalled(c, held.Executions) {
		if e.Outcome == nil && e.Started != 0 {
			s.Unfinished = append(s.Unfinished, e)
		}
	}
	return s
}

// History yields the checkpoints of a thread, the newest first, those of all branches: what changed in each. [Agent.State]
// gives what the thread held at one.
func (a *Agent) History(ctx context.Context, thread string) iter.Seq2[*checkpoint.Record, error] {
	return func(yield func(*checkpoint.Record, error) bool) {
		r, err := a.look(ctx, thread)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.entry.leave()
		for record, err := range checkpoint.All(ctx, r.agent.config.Checkpointer, thread) {
			if err != nil {
				err = r.thread.fail(err)
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// StateUpdate changes the state of a thread from outside.
type StateUpdate struct {
	Thread     string
	Checkpoint checkpoint.ID // behind which the change is made; 0: the newest
	Update     Update
	// As is the step that the update is taken for: the run then goes on behind it, as if it had returned the update. The
	// name "input" is that of the input of a new run. "": the run stays where it is, and what it asked stays asked.
	As            string
	AcceptChanges bool // as in Input
}

// inputStep is the name of what comes before the first step.
const inputStep = "input"

// UpdateState changes the state of a thread without performing anything, and returns what it holds then: an input with
// Continue goes on from there. The thread must not be in a run.
func (a *Agent) UpdateState(ctx context.Context, u StateUpdate) (*Snapshot, error) {
	in := Input{Thread: u.Thread, Checkpoint: u.Checkpoint, AcceptChanges: u.AcceptChanges, Continue: true}
	if u.As == inputStep {
		in.Continue, in.Messages = false, u.Update.Messages
		if in.Messages == nil {
			in.Messages = []abi.Message{} // what the thread's run has not done is given up
		}
	}
	r := a.newRun(ctx, in)
	defer r.entry.leave()
	if r.entry.err != nil {
		return nil, r.entry.err
	}
	err := r.open(ctx)
	defer func() { _ = r.thread.release() }() // after an error; otherwise it is done
	if err != nil {
		return nil, err
	}
	u.Update.Messages = allNamed(u.Update.Messages, r.ids.New)
	if err := r.updateState(&u); err != nil {
		return nil, err
	}
	var failure error
	if u.As == "" && r.thread.failure != "" { // the run stays where it is
		failure = errors.New(r.thread.failure)
	}
	if err := r.save(ctx, checkpoint.SourceUpdate, failure); err != nil {
		return nil, err
	}
	if r.thread.givenUp != "" {
		r.agent.tellEnd(ctx, r.thread.givenUp)
	}
	saved := r.thread.parent
	_ = r.thread.release() // it is saved; the lease expires by itself
	return a.State(ctx, u.Thread, saved)
}

// commitBetween applies an update between two steps: fields that last for one stay for the next.
func (r *run) commitBetween(u *Update) error {
	live := r.state.stepLive
	between := *r.state
	between.stepLive = false
	next, err := between.commit([]sourcedUpdate{{u, "update"}}, &r.ids)
	if err != nil {
		return err
	}
	changed := *next
	changed.stepLive = changed.stepLive || live
	r.state = &changed
	return nil
}

func (r *run) updateState(u *StateUpdate) error {
	switch u.As {
	case "":
		if u.Update.JumpTo != "" {
			return &JumpError{"update", u.Update.JumpTo, "without As; name the step that jumps"}
		}
		return r.commitBetween(&u.Update)
	case inputStep:
		if u.Update.JumpTo != "" {
			return &JumpError{inputStep, u.Update.JumpTo, "from the input, which does not jump"}
		}
		r.giveUp()
		r.progress.step = r.agent.program.entry
		return r.commit(inputStep, []sourcedUpdate{{&u.Update, inputStep}})
	}
	at := r.agent.program.find(u.As)
	if at < 0 {
		return fmt.Errorf("there is no step %q; the steps are %s, %s", u.As, inputStep, r.agent.program.names())
	}
	if len(r.batch.results) > 0 {
		if err := r.commitBatch(); err != nil {
			return err
		}
	}
	if err := r.commit(u.As, []sourcedUpdate{{&u.Update, u.As}}); err != nil {
		return err
	}
	r.progress.step = at
	return r.advance(u.Update.JumpTo)
}
