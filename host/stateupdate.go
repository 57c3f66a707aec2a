package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// StateUpdate changes the state of a thread from outside a run.
type StateUpdate struct {
	Thread     string
	Checkpoint checkpoint.ID // the checkpoint that the change follows; 0: the newest
	Update     Update
	// As is a step of the program: the run goes on after it, as if the step had returned the update. "input" treats the update as
	// the input of a new run. "": the run stays where it is, with its open questions.
	As string
	// Goto is the step before which the run goes on then, whatever the program says; [EndStep] ends the run. A step that was in the
	// middle is left: results of its tool calls are kept, and its questions are dropped. "": the program decides.
	Goto          string
	AcceptChanges bool // see Input.AcceptChanges
}

// EndStep names the end of a run in [StateUpdate.Goto]. Hooks at the end of the agent do not run.
const EndStep = "end"

// inputStep is the name of the input in updates and events, as if it were a step before the first one.
const inputStep = "input"

// UpdateState changes the state of a thread without performing a step, and returns the new content. An input with Continue goes
// on from there. The thread must not be in a run.
func (a *Agent) UpdateState(ctx context.Context, u StateUpdate) (*Snapshot, error) {
	in := Input{Thread: u.Thread, Checkpoint: u.Checkpoint, AcceptChanges: u.AcceptChanges, Continue: true}
	if u.As == inputStep {
		in.Continue, in.Messages = false, u.Update.Messages
		if in.Messages == nil {
			in.Messages = []abi.Message{} // not nil: the thread's run is given up
		}
	}
	r := a.newRun(ctx, &in)
	defer r.entry.leave()
	if r.entry.err != nil {
		return nil, r.entry.err
	}
	err := r.open(ctx)
	defer func() { _ = r.thread.release() }() // after an error; otherwise it was released below
	if err != nil {
		return nil, err
	}
	if err := checkCallersUpdate(&u.Update); err != nil {
		return nil, &UpdateError{Step: "update", Err: err}
	}
	u.Update.Messages = withCallIDs(u.Update.Messages, r.ids.New)
	if err := u.applyTo(r); err != nil {
		return nil, err
	}
	var failure error
	if u.As == "" && u.Goto == "" && r.thread.failure != "" { // the run stays where it is
		failure, r.progress.cancelled = errors.New(r.thread.failure), r.thread.cancelled
	}
	if err := r.save(ctx, checkpoint.SourceUpdate, failure); err != nil {
		return nil, err
	}
	if r.thread.givenUp != "" {
		r.agent.tellEnd(ctx, r.thread.givenUp)
	}
	if r.progress.step == endStep && !r.thread.wasOver {
		r.agent.tellEnd(ctx, r.id)
	}
	saved := r.thread.parent
	_ = r.thread.release() // the update is saved, and the lease expires by itself
	return a.State(ctx, u.Thread, saved)
}

// commitBetween returns the state after an update between two steps: fields that live for a step stay for the next one.
func (s *State) commitBetween(u *Update, ids *idSource) (*State, error) {
	between := *s
	between.stepLive = false
	next, err := between.commit([]sourcedUpdate{{u, "update"}}, ids)
	if err != nil {
		return s, err
	}
	changed := *next
	changed.stepLive = changed.stepLive || s.stepLive
	return &changed, nil
}

// applyTo applies the update to a run that was opened.
func (u *StateUpdate) applyTo(r *run) (err error) {
	to := r.agent.program.find(u.Goto)
	if to < 0 && u.Goto != "" && u.Goto != EndStep {
		return fmt.Errorf("there is no step %q to go to; the steps are %s, %s", u.Goto, r.agent.program.names(), EndStep)
	}
	switch u.As {
	case "":
		err = u.between(r)
	case inputStep:
		err = u.asInput(r)
	default:
		err = u.behindStep(r)
	}
	if err == nil && u.Goto != "" {
		r.goTo(to) // -1 is the end
	}
	return err
}

// between applies the update without a step.
func (u *StateUpdate) between(r *run) (err error) {
	if u.Update.JumpTo != "" {
		return &JumpError{"update", u.Update.JumpTo, "without As; name the step that jumps, or use Goto"}
	}
	if u.Goto != "" {
		r.leaveStep()
	}
	r.state, err = r.state.commitBetween(&u.Update, &r.ids)
	return err
}

// asInput applies the update as the input of a new run.
func (u *StateUpdate) asInput(r *run) error {
	if u.Update.JumpTo != "" {
		return &JumpError{inputStep, u.Update.JumpTo, "from the input, which does not jump"}
	}
	r.giveUp()
	r.progress.step = r.agent.program.entry
	return r.commit(inputStep, []sourcedUpdate{{&u.Update, inputStep}})
}

// behindStep applies the update as if a step had returned it.
func (u *StateUpdate) behindStep(r *run) error {
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

// goTo makes a step the one that comes next.
func (r *run) goTo(step int) {
	r.batch.clear()
	r.questions.clear()
	r.progress.step, r.progress.passed = step, false
	if step == endStep {
		r.journal.drop(r.warn)
	}
}
