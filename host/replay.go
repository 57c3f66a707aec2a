package host

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Replay yields events of the types step, state and checkpoint about the checkpoints of a thread that are newer than one, on the way to the newest:
// what a listener must be told of a run whose process died before it passed on its events. 0 is older than all. Where a run did several steps
// from one checkpoint to the next, one event has the changes of all. The events have no Seq, and the time of the checkpoint.
func (a *Agent) Replay(ctx context.Context, thread string, after checkpoint.ID) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r, err := a.look(ctx, thread)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer r.entry.leave()
		if err := r.replay(ctx, after, yield); err != nil {
			yield(Event{}, r.thread.fail(err))
		}
	}
}

func (r *run) replay(ctx context.Context, after checkpoint.ID, yield func(Event, error) bool) error {
	way, err := r.wayTo(ctx, after)
	if err != nil || len(way) == 0 {
		return err
	}
	held, err := r.agent.config.Checkpointer.Load(ctx, r.thread.id, cmp.Or(way[0].Record.Parent, checkpoint.Root))
	if err != nil {
		return err
	}
	r.restore(held)
	known := &held.Record
	for _, past := range way {
		before, record := r.state, past.Record
		r.journal.past, r.batch.results = nil, nil
		r.restore(past.Thread)
		began := stepBetween(known, record)
		known = record
		changed := r.state.changesSince(before)
		if changed != nil {
			changed.Step = record.Step
			if record.Source == checkpoint.SourceInput {
				changed.Step = inputStep
			}
		}
		for _, event := range []*Event{began, changed, checkpointEvent(record.ID, record)} {
			if event == nil {
				continue
			}
			event.Time, event.Agent, event.Run, event.Thread = record.Time, r.agent.config.Name, record.Checkpoint.Run.ID, r.thread.id
			if !yield(*event, nil) {
				return nil
			}
		}
	}
	return nil
}

// stepBetween returns the event about the step that led from one checkpoint to the next, or nil if none did.
func stepBetween(before, after *checkpoint.Record) *Event {
	known, now := &before.Checkpoint.Run, &after.Checkpoint.Run
	if after.Source != checkpoint.SourceLoop || now.ID == known.ID && now.Steps == known.Steps || now.Steps == 0 {
		return nil
	}
	return &Event{Type: EventStep, Step: after.Step, Index: now.Steps}
}

// wayTo returns the checkpoints newer than one that lead to the newest, the oldest first.
func (r *run) wayTo(ctx context.Context, after checkpoint.ID) (way []*checkpoint.Past, err error) {
	next := checkpoint.ID(0)
	for past, err := range checkpoint.Pasts(ctx, r.agent.config.Checkpointer, r.thread.id) {
		if err != nil {
			return nil, err
		}
		if past.Record.ID <= after {
			break
		}
		if next != 0 && past.Record.ID != next {
			continue // of another branch
		}
		way = append(way, past)
		if next = past.Record.Parent; next == 0 {
			break
		}
	}
	slices.Reverse(way)
	return way, nil
}
