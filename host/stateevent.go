package host

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// changesSince returns a state event with what changed since an earlier state; nil if nothing did. Whoever applies these events
// one after the other has the state.
func (s *State) changesSince(before *State) *Event {
	view := s.log.View(abi.ViewNew(), before.log.Cursor())
	var changed wire.Map
	var unset []string
	for slot := range s.values {
		value, was, name := s.values[slot], before.values[slot], s.table.fields[slot].Name
		switch {
		case value.IsZero() && !was.IsZero():
			unset = append(unset, name)
		case !value.Equal(was):
			changed.Set(name, value)
		}
	}
	if view.Items.Len() == 0 && view.Patch.Len() == 0 && len(view.Remove) == 0 && !view.Reset && len(changed) == 0 && len(unset) == 0 {
		return nil
	}
	return &Event{
		Type: EventState, Messages: view.Items.Messages(), Patch: view.Patch.Messages(), Remove: view.Remove,
		Reset: view.Reset, State: changed, Unset: unset,
	}
}
