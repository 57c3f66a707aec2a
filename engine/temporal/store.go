package temporal

import (
	"context"

	"github.com/agenthost/agenthost/runs"
)

// Store returns the store of runs, which tells Temporal at once of what changes through it. A server uses it in place of the store itself, whose
// changes the dispatcher sees about a second later.
func (d *Dispatcher) Store() runs.Store { return &telling{Store: d.store, dispatcher: d} }

// telling is a store that tells a dispatcher what there is to do.
type telling struct {
	runs.Store

	dispatcher *Dispatcher
}

// Submit adds a run, see [runs.Runs].
func (s *telling) Submit(ctx context.Context, r *runs.Run, create bool, most int, note func(t *runs.Thread)) error {
	err := s.Store.Submit(ctx, r, create, most, note)
	if err == nil && r.Due.IsZero() && s.dispatcher.due(r) {
		s.dispatcher.add(s.dispatcher.about(context.WithoutCancel(ctx), r))
	}
	return err
}

// Cancel cancels a run, see [runs.Runs]. One that was given back must be performed to its end.
func (s *telling) Cancel(ctx context.Context, owner, id string, how runs.Cancel) (*runs.Run, error) {
	r, err := s.Store.Cancel(ctx, owner, id, how)
	if err == nil && r.Status == runs.Pending {
		s.dispatcher.add(tell{ctx: context.WithoutCancel(ctx), owner: owner, thread: r.Thread, agent: r.Agent})
	}
	return r, err
}

// DeleteThread removes a thread, see [runs.Threads]. Its workflow ends, if it waits for people.
func (s *telling) DeleteThread(ctx context.Context, owner, id string) error {
	err := s.Store.DeleteThread(ctx, owner, id)
	if err == nil {
		s.dispatcher.add(tell{ctx: context.WithoutCancel(ctx), owner: owner, thread: id, only: true})
	}
	return err
}
