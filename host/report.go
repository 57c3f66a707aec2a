package host

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// commit applies the updates of a step and reports what changed.
func (r *run) commit(step string, updates []sourcedUpdate) error {
	before := r.state
	state, err := before.commit(updates, &r.ids)
	if err != nil {
		return err
	}
	r.ids.settle()
	r.state = state
	if events := r.events(); events.on() && state != before {
		r.reportState(events, step, before)
	}
	return nil
}

// reportState sends a state event if anything changed: who applies these events one after the other has the state.
func (r *run) reportState(events emitter, step string, before *State) {
	view := r.state.log.View(abi.ViewNew(), before.log.Cursor())
	var changed wire.Map
	var unset []string
	for slot := range r.state.values {
		value, was, name := r.state.values[slot], before.values[slot], r.state.table.fields[slot].Name
		switch {
		case value.IsZero() && !was.IsZero():
			unset = append(unset, name)
		case !value.Equal(was):
			changed.Set(name, value)
		}
	}
	if view.Items.Len() == 0 && view.Patch.Len() == 0 && len(view.Remove) == 0 && !view.Reset && len(changed) == 0 && len(unset) == 0 {
		return
	}
	events.send(&Event{
		Type: EventState, Step: step, Messages: view.Items.Messages(), Patch: view.Patch.Messages(), Remove: view.Remove,
		Reset: view.Reset, State: changed, Unset: unset,
	})
}

func (r *run) events() emitter { return emitter{sink: r.sink} }

// warn logs that something was ignored or discarded, and puts it into the stream.
func (r *run) warn(step, text string) {
	r.agent.logger.Warn(text, "run", r.id, "step", step)
	if events := r.events(); events.on() {
		events.send(&Event{Type: EventWarn, Step: step, Text: text})
	}
}
