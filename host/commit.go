package host

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// sourcedUpdate is an update with the name of the step that it comes from.
type sourcedUpdate struct {
	*Update
	step string
}

// commit returns the state after these updates of a step, in their order. All of them are applied or, with an error,
// none: s itself never changes. A partial commit does not end the step: fields with the lifetime Step that the step
// before has written live on. written are the slots that earlier partial commits of the step have written; commit
// returns them with its own.
func (s *State) commit(updates []sourcedUpdate, ids history.IDs, written []int, partial bool) (*State, []int, error) {
	switch {
	case len(updates) > 0:
	case partial:
		return s, written, nil
	case !s.stepLive:
		return s, nil, nil
	}
	c := committing{State: State{table: s.table, log: s.log, values: s.values, stepLive: s.stepLive}, written: slices.Clip(written)}
	var err error
	for _, u := range updates {
		if u.ChangesMessages() {
			if c.log, err = c.log.Apply(u.Update, ids); err != nil {
				return s, written, &UpdateError{Step: u.step, Err: err}
			}
		}
		for i := range u.State {
			if err := c.write(u.State[i]); err != nil {
				return s, written, &UpdateError{Step: u.step, Field: u.State[i].Key, Err: err}
			}
		}
	}
	if partial {
		return &c.State, c.written, nil
	}
	c.endStep()
	return &c.State, nil, nil
}

// committing is a state that is being made.
type committing struct {
	State
	owned   bool  // values is a copy of its own
	written []int // slots that this step has written, of fields without a reducer or with the lifetime Step
}

func (c *committing) own() {
	if !c.owned {
		c.values, c.owned = slices.Clone(c.values), true
	}
}

// endStep clears the fields with the lifetime Step that the step before has written, and this one has not.
func (c *committing) endStep() {
	if !c.stepLive {
		return
	}
	c.stepLive = false
	for slot := range c.table.fields {
		f := &c.table.fields[slot]
		switch {
		case f.Lifetime != Step:
		case slices.Contains(c.written, slot):
			c.stepLive = true
		default:
			c.own()
			c.values[slot] = f.Reducer.Initial
		}
	}
}

func (c *committing) write(p wire.Pair) error {
	slot, ok := c.table.slots[p.Key]
	if !ok {
		return errUndeclared
	}
	f := &c.table.fields[slot]
	if err := f.fits(p.Value); err != nil {
		return err
	}
	first := !slices.Contains(c.written, slot)
	if first && (f.Reducer.Reduce == nil || f.Lifetime == Step) {
		c.written = append(c.written, slot)
	}
	value := p.Value
	switch {
	case f.Reducer.Reduce == nil && !first:
		return fmt.Errorf("%w, and the reducer is %q; declare one that joins them", ErrTwoUpdates, f.Reducer.name())
	case f.Reducer.Reduce != nil:
		present := c.values[slot]
		if first && f.Lifetime == Step { // what it holds is of the step before
			present = f.Reducer.Initial
		}
		reduced, err := f.Reducer.Reduce(present, p.Value)
		if err != nil {
			return err
		}
		value = reduced
	}
	c.own()
	c.values[slot] = value
	c.stepLive = c.stepLive || f.Lifetime == Step
	return nil
}
