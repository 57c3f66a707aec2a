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
	changes, whole := r.state.log.Since(since)
	*c = checkpoint.Commit{Log: r.state.log, Record: checkpoint.Record{
		Parent: t.parent, Time: r.agent.now(), Source: source, Step: r.progress.last, Whole: whole, Changes: changes,
		Cursor: r.state.log.Cursor(), Messages: r.state.log.List().Len(), Checkpoint: r.checkpoint(),
	}}
	if failure != nil {
		c.Checkpoint.Failure, c.Checkpoint.Cancelled = text.Head(clean(failure.Error()), maxFailure), r.progress.cancelled
	}
	t.addFields(r.state)
	program := r.program()
	if whole || !same(t.program, program) || t.program.Manifest != program.Manifest || !sameClientTools(t.program, program) {
		c.Program = program
	}
	ctx, span := r.trace(ctx, Span{Kind: SpanCheckpoint, Step: c.Step})
	id, err := t.session.Save(context.WithoutCancel(ctx), c) // a finished step is saved even if the run's time is up
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

// maxFailure is how much of the text of a failure a checkpoint keeps, in bytes.
const maxFailure = 4 << 10

// checkpoint returns what the next checkpoint holds besides the state.
func (r *run) checkpoint() checkpoint.Checkpoint {
	p := r.agent.program
	c := checkpoint.Checkpoint{
		Run:  checkpoint.Run{ID: r.id, Seed: r.seed, IDSeed: r.ids.seed, IDs: r.ids.n},
		Cost: keptCost(r.budget.usage.spent()), Earlier: keptCost(r.thread.spent), Trace: r.traced,
		Next: p.name(r.progress.step), Paused: r.progress.paused || r.progress.passed,
		Executions: r.journal.executions(r.batch.answers), Finished: r.batch.checkpointResults(),
	}
	if r.input.Once {
		c.Input = r.input.Seed
	}
	r.budget.record(&c.Run)
	for at, seen := range r.progress.cursors {
		if p.steps[at].cursors && seen != (history.Cursor{}) {
			c.Cursors = append(c.Cursors, checkpoint.Cursor{Step: p.steps[at].name, Epoch: seen.Epoch, Seq: seen.Seq})
		}
	}
	for i := range r.questions.asked {
		c.Questions = append(c.Questions, r.questions.asked[i].Question)
	}
	return c
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
