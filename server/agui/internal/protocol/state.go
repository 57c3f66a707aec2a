package protocol

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// state is what a thread holds, as far as clients see it. It never changes: each change makes another one.
type state struct {
	messages []abi.Message
	fields   map[string]json.RawMessage
}

// stateOf returns the state of a snapshot; nil is the empty thread.
func stateOf(s *host.Snapshot, hidden func(field string) bool) state {
	out := state{fields: map[string]json.RawMessage{}}
	if s == nil {
		return out
	}
	out.messages = s.Messages.Messages()
	for _, field := range s.State {
		if !hidden(field.Key) {
			out.fields[field.Key] = json.RawMessage(field.Value.JSON())
		}
	}
	return out
}

// apply returns the state after an event of the type state.
func (s state) apply(e *host.Event, hidden func(field string) bool) state {
	messages := slices.Clip(s.messages)
	if e.Reset {
		messages = nil
	}
	if len(e.Remove) > 0 {
		messages = slices.DeleteFunc(slices.Clone(messages), func(m abi.Message) bool { return slices.Contains(e.Remove, m.ID) })
	}
	if len(e.Patch) > 0 {
		messages = slices.Clone(messages)
		for i := range e.Patch {
			at := slices.IndexFunc(messages, func(m abi.Message) bool { return m.ID == e.Patch[i].ID })
			if at >= 0 {
				messages[at] = e.Patch[i]
			}
		}
	}
	out := state{messages: append(messages, e.Messages...), fields: s.fields}
	if len(e.State) == 0 && len(e.Unset) == 0 {
		return out
	}
	out.fields = maps.Clone(s.fields)
	for _, field := range e.State {
		if !hidden(field.Key) {
			out.fields[field.Key] = json.RawMessage(field.Value.JSON())
		}
	}
	for _, name := range e.Unset {
		delete(out.fields, name)
	}
	return out
}

// message returns a message by its id; nil if there is none.
func (s state) message(id string) *abi.Message {
	for i := range slices.Backward(s.messages) {
		if s.messages[i].ID == id {
			return &s.messages[i]
		}
	}
	return nil
}

// caller returns the message that makes a call; nil if there is none.
func (s state) caller(call string) *abi.Message {
	for i := range slices.Backward(s.messages) {
		m := &s.messages[i]
		if slices.ContainsFunc(m.ToolCalls, func(c abi.ToolCall) bool { return c.ID == call }) ||
			slices.ContainsFunc(m.InvalidToolCalls, func(c abi.InvalidToolCall) bool { return c.ID == call }) {
			return m
		}
	}
	return nil
}
