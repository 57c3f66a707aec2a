package host

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// sourcedUpdate is an update with the name of the step that made it.
type sourcedUpdate struct {
	*Update
	step string
}

// commit returns the state after one step with these updates, applied in order. With an error none of them is applied: s itself
// never changes.
func (s *State) commit(updates []sourcedUpdate, ids history.IDs) (*State, error) {
	if len(updates) == 0 && !s.stepLive {
		return s, nil
	}
	c := stateChange{State: State{table: s.table, log: s.log, values: s.values}}
	if s.stepLive {
		c.clearStepFields()
	}
	var err error
	for _, u := range updates {
		if u.ChangesMessages() {
			if c.log, err = apply(&c.log, u.Update, ids); err != nil {
				return s, &UpdateError{Step: u.step, Err: err}
			}
		}
		for i := range u.State {
			if err := c.write(u.State[i]); err != nil {
				return s, &UpdateError{Step: u.step, Field: u.State[i].Key, Err: err}
			}
		}
	}
	return &c.State, nil
}

// apply applies an update to the history, after making its messages fit to be kept.
func apply(log *history.Log, u *Update, ids history.IDs) (history.Log, error) {
	messages, err := sanitizeAll(u.Messages)
	if err != nil {
		return *log, err
	}
	if len(messages) > 0 && &messages[0] != &u.Messages[0] {
		changed := *u
		changed.Messages = messages
		u = &changed
	}
	next, err := log.Apply(u, ids)
	if err != nil || len(u.Patch) == 0 {
		return next, err
	}
	return sanitizePatched(log, next, u.Patch, ids)
}

// sanitizePatched makes the messages fit to be kept that patches changed. before is the history without the patches.
func sanitizePatched(before *history.Log, log history.Log, patches []abi.Patch, newIDs history.IDs) (history.Log, error) {
	ids := make(map[string]bool, len(patches))
	for _, p := range patches {
		ids[p.ID()] = true
	}
	var patched []abi.Message
	for _, m := range log.List().All() { // a message that was patched and removed is not among them
		if ids[m.ID] {
			patched = append(patched, *m)
		}
	}
	kept, err := sanitizeAll(patched)
	if err != nil {
		return *before, err
	}
	if len(kept) == 0 || &kept[0] == &patched[0] {
		return log, nil
	}
	return log.Apply(&Update{Messages: kept}, newIDs)
}

// stateChange is a state under construction.
type stateChange struct {
	State
	owned   bool  // values was copied from the state before
	written []int // slots without a reducer that this step wrote
}

func (c *stateChange) own() {
	if !c.owned {
		c.values, c.owned = slices.Clone(c.values), true
	}
}

func (c *stateChange) clearStepFields() {
	c.own()
	for slot := range c.table.fields {
		if f := &c.table.fields[slot]; f.Lifetime == LifetimeStep {
			c.values[slot] = f.Reducer.Initial
		}
	}
}

func (c *stateChange) write(p wire.Pair) error {
	slot, ok := c.table.slots[p.Key]
	if !ok {
		return errUndeclared
	}
	f := &c.table.fields[slot]
	if err := checkValue(p.Value); err != nil {
		return fmt.Errorf("the value cannot be kept: %w", err)
	}
	if err := f.fits(p.Value); err != nil {
		return err
	}
	value := p.Value
	if f.Reducer.Reduce == nil {
		if slices.Contains(c.written, slot) {
			return fmt.Errorf("%w, and the reducer is %q; declare one that joins them", ErrTwoUpdates, f.Reducer.name())
		}
		c.written = append(c.written, slot)
	} else {
		reduced, err := f.Reducer.Reduce(c.values[slot], p.Value)
		if err != nil {
			return err
		}
		value = reduced
	}
	c.own()
	c.values[slot] = value
	c.stepLive = c.stepLive || f.Lifetime == LifetimeStep
	return nil
}
