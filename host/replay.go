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
	known, err := r.recall(ctx, way[0].Parent)
	if err != nil {
		return err
	}
	for _, record := range way {
		before := r.state
		if _, err := r.recall(ctx, record.ID); err != nil {
			return err
		}
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
func (r *run) wayTo(ctx context.Context, after checkpoint.ID) (way []*checkpoint.Record, err error) {
	next := checkpoint.ID(0)
	for record, err := range checkpoint.All(ctx, r.agent.config.Checkpointer, r.thread.id) {
		if err != nil {
			return nil, err
		}
		if record.ID <= after {
			break
		}
		if next != 0 && record.ID != next {
			continue // of another branch
		}
		kept := *record
		kept.Forget()
		way = append(way, &kept)
		if next = record.Parent; next == 0 {
			break
		}
	}
	slices.Reverse(way)
	return way, nil
}

// recall takes over the state of a checkpoint, which it returns; 0 is the empty thread.
func (r *run) recall(ctx context.Context, at checkpoint.ID) (*checkpoint.Record, error) {
	held, err := r.agent.config.Checkpointer.Load(ctx, r.thread.id, cmp.Or(at, checkpoint.Root))
	if err != nil {
		return nil, err
	}
	r.journal.past, r.batch.results = nil, nil
	r.restore(held)
	return &held.Record, nil
}
