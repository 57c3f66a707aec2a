package host

import (
	"errors"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

var errUndeclared = errors.New("is not declared; declare it in the middleware's fields or the agent's State")

// State is the state of a run at one moment: its messages and the values of its fields. A State never changes; an update leads to
// a new State.
type State struct {
	table    *fieldTable
	log      history.Log
	values   []wire.Raw // by slot; a nil value is unset
	stepLive bool       // a field with lifetime Step is set
}

// Messages returns the history.
func (s *State) Messages() history.List { return s.log.List() }

// Get returns the value of a field; nil if it is unset or not declared.
func (s *State) Get(field string) wire.Raw {
	slot, ok := s.table.slots[field]
	if !ok {
		return nil
	}
	return s.values[slot]
}

// Fields returns the values of the named fields that are set.
func (s *State) Fields(names []string) wire.Map {
	var out wire.Map
	for _, name := range names {
		if value := s.Get(name); !value.IsZero() {
			out.Set(name, value)
		}
	}
	return out
}

// Check returns the reason why an update of a field with this value would be refused, or nil if the value fits. The agent's
// own declaration of the field overrides that of middleware.
func (s *State) Check(field string, value wire.Raw) error {
	slot, ok := s.table.slots[field]
	if !ok {
		return errUndeclared
	}
	f := &s.table.fields[slot]
	if err := f.fits(value); err != nil || f.Reducer.Reduce == nil {
		return err
	}
	_, err := f.Reducer.Reduce(f.Reducer.Initial, value)
	return err
}

// forNewRun returns the state without the values that live as long as a run or a step.
func (s *State) forNewRun() *State {
	out := *s
	out.values, out.stepLive = slices.Clone(s.values), false
	for slot := range s.table.fields {
		if f := &s.table.fields[slot]; f.Lifetime != LifetimeThread {
			out.values[slot] = f.Reducer.Initial
		}
	}
	return &out
}

// output returns the fields that a result shows, including those that live for the last step, as in LangChain.
func (s *State) output() wire.Map {
	var out wire.Map
	for slot := range s.table.fields {
		f := &s.table.fields[slot]
		if f.HideOutput || s.values[slot].IsZero() {
			continue
		}
		out.Set(f.Name, s.values[slot])
	}
	return out
}
