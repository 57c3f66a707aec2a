package host

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/internal/text"
)

// save adds what changed since the last checkpoint to the thread.
func (r *run) save(ctx context.Context, source checkpoint.Source, failure error) error {
	t := &r.thread
	if !t.kept() {
		return nil
	}
	c := &t.commit
	since := history.Cursor{}
	if t.saved != nil {
		since = t.saved.log.Cursor()
	}
	if cap(c.Changes) > keptChanges {
		c.Changes = nil
	}
	changes, whole := r.state.log.AppendSince(c.Changes[:0], since)
	*c = checkpoint.Commit{} // its fields are set in place, since it is large to copy
	c.Log, c.Parent, c.Time, c.Source, c.Step = r.state.log, t.parent, r.agent.now(), source, r.progress.last
	c.Whole, c.Changes, c.Cursor, c.Messages = whole, changes, r.state.log.Cursor(), r.state.log.List().Len()
	r.describe(&c.Checkpoint)
	if failure != nil {
		c.Checkpoint.Failure, c.Checkpoint.Cancelled = text.Head(clean(failure.Error()), maxFailure), r.progress.cancelled
	}
	t.addFields(r.state)
	program := r.program()
	if whole || !same(t.program, program) || t.program.Manifest != program.Manifest || !sameClientTools(t.program, program) {
		c.Program = program
	}
	if ctx.Done() != nil { // a finished step is saved even if the run's time is up
		ctx = context.WithoutCancel(ctx)
	}
	ctx, span := r.traceSave(ctx, c.Step)
	id, err := t.session.Save(ctx, c)
	if err != nil {
		r.reportSave(span, id, err)
		return t.fail(err)
	}
	t.saved, t.parent, t.program, t.unsaved, t.withdrawn = r.state, id, program, false, nil
	r.reportSave(span, id, nil)
	return nil
}

// reportSave ends the span of a save, and reports the checkpoint if there is one.
func (r *run) reportSave(span span, id checkpoint.ID, err error) {
	events := r.events()
	if !events.wants(span) {
		return
	}
	event := checkpointEvent(id, &r.thread.commit.Record)
	event.Written = r.thread.commit.Written
	if err != nil {
		event.Error = eventError(err)
		span.finish(event)
		return
	}
	events.finish(span, event)
}

// checkpointEvent returns the event that reports a record saved with this id.
func checkpointEvent(id checkpoint.ID, c *checkpoint.Record) *Event {
	return &Event{Type: EventCheckpoint, Step: c.Step, Checkpoint: id, Parent: c.Parent, Source: c.Source, Next: c.Checkpoint.Next}
}

// keptChanges is the number of changes whose space is used again for the next commit.
const keptChanges = 16

// maxFailure is how much of the text of a failure a checkpoint keeps, in bytes.
const maxFailure = 4 << 10

// describe writes what the next checkpoint holds besides the state.
func (r *run) describe(c *checkpoint.Checkpoint) {
	p := r.agent.program
	c.Run.ID, c.Run.Seed, c.Run.IDSeed, c.Run.IDs = r.id, r.seed, r.ids.seed, r.ids.n
	r.budget.record(&c.Run)
	c.Cost, c.Earlier, c.Trace = keptCost(r.budget.usage.spent()), keptCost(r.thread.spent), r.traced
	c.Next, c.Paused = p.name(r.progress.step), r.progress.paused || r.progress.passed
	c.Executions, c.Finished = r.journal.executions(r.batch.answers), r.batch.checkpointResults()
	if r.input.Once {
		c.Input = r.input.Seed
	}
	for at, seen := range r.progress.cursors {
		if p.steps[at].cursors && seen != (history.Cursor{}) {
			c.Cursors = append(c.Cursors, checkpoint.Cursor{Step: p.steps[at].name, Epoch: seen.Epoch, Seq: seen.Seq})
		}
	}
	for i := range r.questions.asked {
		c.Questions = append(c.Questions, r.questions.asked[i].Question)
	}
}

// close saves how the run ended, even if its context has ended, and gives the thread back. A run whose journal could not be
// written leaves the thread as it is, as if the process had died: whoever goes on with it finds what the tools did.
func (r *run) close(ctx context.Context, failure error) error {
	t := &r.thread
	if t.kept() && t.begun && t.unsaved && !r.journal.broken.Load() && !errors.Is(failure, checkpoint.ErrLost) {
		if err := r.save(ctx, checkpoint.SourceLoop, failure); err != nil {
			failure = errors.Join(failure, err)
		}
	}
	if err := t.release(); err != nil { // everything is saved, and the lease expires by itself
		r.agent.logger.Warn("closing the thread", "run", r.id, "error", err)
	}
	return failure
}
