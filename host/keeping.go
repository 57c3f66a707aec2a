package host

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// Durability says when a run that has a thread saves it.
type Durability string

// The durabilities. In each of them a run saves when it waits for an answer, stops or ends. What tools do is journalled, so
// that none that is not idempotent runs again after a crash unless a person says so; but not with DurabilityExit: what a
// process that dies had done then is not known.
const (
	DurabilityRound Durability = "round" // the default: also when it starts, after each model call and each batch of tools
	DurabilityStep  Durability = "step"  // also after each hook that is a step
	DurabilityExit  Durability = "exit"  // not before it ends
)

// keeping is a run's hold on its thread; nil in a run whose agent keeps none.
type keeping struct {
	session    checkpoint.Session
	durability Durability
	commit     checkpoint.Commit
	saved      *State              // as it was saved last; nil: never
	parent     checkpoint.ID       // of the checkpoint that comes next
	program    *checkpoint.Program // as it was saved last
	foreign    wire.Map            // values of fields that this agent does not declare
}

// journals reports whether tools are journalled.
func (k *keeping) journals() bool { return k != nil && k.durability != DurabilityExit }

// savesAfter reports whether a step that is over is saved before the next one.
func (k *keeping) savesAfter(kind stepKind) bool {
	return k != nil && (k.durability == DurabilityStep || k.durability != DurabilityExit && kind != stepHook)
}

// watch ends a run's context when its lease is lost. What it returns must be called.
func (k *keeping) watch(ctx context.Context) (context.Context, func()) {
	lost := k.session.Lost()
	if lost == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-lost:
			cancel(checkpoint.ErrLost)
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		<-ended
		cancel(nil)
	}
}

// save adds what changed since the last checkpoint to the thread.
func (r *run) save(ctx context.Context, source checkpoint.Source, failure error) error {
	k := r.keeping
	if k == nil {
		return nil
	}
	c := &k.commit
	since := history.Cursor{}
	if k.saved != nil {
		since = k.saved.log.Cursor()
	}
	changes, whole := r.state.log.Since(since)
	*c = checkpoint.Commit{Log: r.state.log, Record: checkpoint.Record{
		Parent: k.parent, Time: r.agent.now(), Source: source, Step: r.last, Whole: whole, Changes: changes,
		Cursor: r.state.log.Cursor(), Messages: r.state.log.List().Len(), Checkpoint: r.checkpoint(),
	}}
	if failure != nil {
		c.Checkpoint.Failure = cut(clean(failure.Error()), maxFailure)
	}
	k.addFields(r.state)
	program := r.agent.identity
	if whole || !same(k.program, program) {
		c.Program = program
	}
	id, err := k.session.Save(context.WithoutCancel(ctx), c) // a step that is over is saved, also if the run's time is
	if err != nil {
		return r.threadError(err)
	}
	k.saved, k.parent, k.program, r.unsaved = r.state, id, program, false
	return nil
}

// maxFailure is how much of the text of a failure a checkpoint keeps, in bytes.
const maxFailure = 4 << 10

// addFields adds the fields that changed to the commit: all of them, if it stands alone.
func (k *keeping) addFields(state *State) {
	c := &k.commit
	if c.Whole {
		c.State = c.State.With(k.foreign)
	}
	for slot := range state.table.fields {
		value, name := state.values[slot], state.table.fields[slot].Name
		var was wire.Raw
		if k.saved != nil && !c.Whole {
			was = k.saved.values[slot]
		}
		switch {
		case value.Equal(was):
		case value.IsZero():
			c.Unset = append(c.Unset, name)
		default:
			c.State.Set(name, value)
		}
	}
}

func (r *run) checkpoint() checkpoint.Checkpoint {
	p := r.agent.program
	c := checkpoint.Checkpoint{
		Run: checkpoint.Run{
			ID: r.id, Seed: r.seed, IDSeed: r.ids.seed, IDs: r.ids.n,
		},
		Next: p.name(r.at), Paused: r.paused || r.passed, Executions: r.journal.executions(r.batch.answers),
	}
	r.budget.record(&c.Run)
	for at := range r.cursors {
		if seen := r.cursors[at]; p.steps[at].cursors && seen != (history.Cursor{}) {
			c.Cursors = append(c.Cursors, checkpoint.Cursor{Step: p.steps[at].name, Epoch: seen.Epoch, Seq: seen.Seq})
		}
	}
	for i := range r.questions.asked {
		c.Questions = append(c.Questions, r.questions.asked[i].Question)
	}
	c.Finished = r.batch.checkpointResults()
	return c
}

// close saves how the run ended, also when its context has, and lets go of the thread. A run whose journal could not be
// written leaves it as it is, and the thread with it, as if the process had died: who goes on finds what tools have done.
func (r *run) close(ctx context.Context, failure error) error {
	if r.keeping != nil && r.begun && r.unsaved && !r.journal.broken.Load() && !errors.Is(failure, checkpoint.ErrLost) {
		if err := r.save(ctx, checkpoint.SourceLoop, failure); err != nil {
			failure = errors.Join(failure, err)
		}
	}
	if err := r.letGo(); err != nil { // what was to be kept is; the lease expires by itself
		r.agent.logger.Warn("closing the thread", "run", r.id, "error", err)
	}
	return failure
}

// letGo ends the session.
func (r *run) letGo() error {
	k := r.keeping
	if k == nil {
		return nil
	}
	r.keeping = nil
	if err := k.session.Close(); err != nil {
		return r.threadError(err)
	}
	return nil
}
