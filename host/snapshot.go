package host

import (
	"context"
	"iter"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// Snapshot is the content of a thread at one of its checkpoints.
type Snapshot struct {
	Thread     string
	Checkpoint checkpoint.ID
	Parent     checkpoint.ID // 0: none
	Newest     checkpoint.ID // the newest checkpoint of the thread
	Time       time.Time
	Source     checkpoint.Source
	RunID      string
	Step       string // the step that was performed last; "": none
	Next       string // the step that comes next; "": the run is over
	Failure    string // why the run stopped before Next; "": it did not fail
	Messages   history.List
	State      wire.Map               // all fields that are set, including hidden ones
	Interrupts []Interrupt            // the interrupts that wait for an answer
	Unfinished []checkpoint.Execution // executions of tools without a recorded end: they are running now, or were cut off
	Usage      abi.Usage
	Steps      int
}

// Answer returns the last answer of the model, as [Result.Answer] does.
func (s *Snapshot) Answer() string { return answerOf(s.Messages, s.State.Get(structuredField.Name)) }

// State returns the content of a thread at a checkpoint; 0 is the newest. As in a [Result], the content includes results of
// finished tool calls even if other calls of the same response have not finished. A run of the thread may be in progress.
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
	return snapshotOf(r, held), nil
}

// look prepares to read a thread. The caller must leave the run.
func (a *Agent) look(ctx context.Context, thread string) (*run, error) {
	r := a.newRun(ctx, &Input{Thread: thread})
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

// snapshotOf returns what a run has restored from its thread.
func snapshotOf(r *run, held *checkpoint.Thread) *Snapshot {
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

// PastState is the content of a thread at a checkpoint, with the checkpoint itself.
type PastState struct {
	*Snapshot

	Record *checkpoint.Record // with the changes since its parent
}

// States yields the content of a thread at the checkpoints of all its branches, the newest first, as [Agent.State] returns them one by one.
func (a *Agent) States(ctx context.Context, thread string) iter.Seq2[*PastState, error] {
	return func(yield func(*PastState, error) bool) {
		looking, err := a.look(ctx, thread)
		if err != nil {
			yield(nil, err)
			return
		}
		defer looking.entry.leave()
		for past, err := range checkpoint.Pasts(ctx, looking.agent.config.Checkpointer, thread) {
			if err != nil {
				yield(nil, looking.thread.fail(err))
				return
			}
			r := looking.agent.newRun(&looking.input)
			r.restore(past.Thread)
			if !yield(&PastState{snapshotOf(r, past.Thread), past.Record}, nil) {
				return
			}
		}
	}
}

// History yields the checkpoints of all branches of a thread, the newest first. Each record contains the changes since its
// parent. [Agent.State] returns the content of the thread at one of them.
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
