package checkpoint

import (
	"context"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
)

// UpdateFields changes fields of a thread between two runs. It adds a checkpoint with the source [SourceUpdate] after the newest
// one: a run that waits still waits, and nothing else changes. It is the only way to change a sealed field of an agent, so it
// belongs to a person's own operations, and never to what a model, a plugin or a remote client sends.
//
// change gets the newest fields and returns those to set; a null value removes the field. If it returns no fields or an error,
// the thread stays as it is. The other errors are those of [Store.Open] and [Session.Save], and [ErrNoThread].
func UpdateFields(ctx context.Context, s Store, thread string, now time.Time, change func(fields wire.Map) (wire.Map, error)) error {
	session, err := s.Open(ctx, thread)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }() // what was saved stays, and a lease expires by itself
	held, err := session.Load(ctx, 0)
	if err != nil {
		return err
	}
	if held == nil {
		return fmt.Errorf("thread %q: %w", thread, ErrNoThread)
	}
	changes, err := change(held.State)
	if err != nil || len(changes) == 0 {
		return err
	}
	c := &Commit{Log: held.Log, Record: held.Record}
	c.Forget()
	c.Parent, c.Time, c.Source, c.Whole = held.ID, now, SourceUpdate, false
	c.Checkpoint.Executions = Journalled(&held.Record.Checkpoint, held.Executions) // the commit empties the journal
	for _, p := range changes {
		if p.Value.IsNil() {
			c.Unset = append(c.Unset, p.Key)
		} else {
			c.State.Set(p.Key, p.Value)
		}
	}
	_, err = session.Save(ctx, c)
	return err
}
