package host

import (
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// State is what a run knows at one moment: its messages and the values of its fields. A State never changes; a step
// that updates something leads to a new one.
type State struct {
	table    *fieldTable
	log      history.Log
	values   []wire.Raw // by slot; a nil value is unset
	stepLive bool       // a field with lifetime Step is set
}

// Messages returns the history.
func (s *State) Messages() history.List { return s.log.List() }

// Get returns the value of a field; a nil Raw if it is unset or not declared.
func (s *State) Get(field string) wire.Raw {
	slot, ok := s.table.slots[field]
	if !ok {
		return nil
	}
	return s.values[slot]
}

// Fields returns the values of these fields, without those that are unset.
func (s *State) Fields(names []string) wire.Map {
	var out wire.Map
	for _, name := range names {
		if value := s.Get(name); !value.IsZero() {
			out.Set(name, value)
		}
	}
	return out
}

// output returns what a result shows of the fields.
func (s *State) output() wire.Map {
	var out wire.Map
	for slot := range s.table.fields {
		f := &s.table.fields[slot]
		if f.HideOutput || f.Lifetime == Step || s.values[slot].IsZero() {
			continue
		}
		out.Set(f.Name, s.values[slot])
	}
	return out
}
