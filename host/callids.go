package host

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// withCallIDs returns messages in which every call, malformed calls included, has an id that is unique in its message: otherwise
// one answer would count for two calls. It returns the given messages if they already do.
func withCallIDs(messages []abi.Message, newID func() string) []abi.Message {
	var owned []abi.Message
	own := func(i int) *abi.Message {
		if owned == nil {
			owned = slices.Clone(messages)
			messages = owned
		}
		m := &owned[i]
		m.ToolCalls, m.InvalidToolCalls = slices.Clone(m.ToolCalls), slices.Clone(m.InvalidToolCalls)
		return m
	}
	for i := range messages {
		for j := range messages[i].ToolCalls {
			if m := &messages[i]; taken(m, m.ToolCalls[j].ID, j, 0) {
				own(i).ToolCalls[j].ID = newID()
			}
		}
		for j := range messages[i].InvalidToolCalls {
			if m := &messages[i]; taken(m, m.InvalidToolCalls[j].ID, len(m.ToolCalls), j) {
				own(i).InvalidToolCalls[j].ID = newID()
			}
		}
	}
	return messages
}

// taken reports whether an id is empty, or belongs to one of the first calls of a message.
func taken(m *abi.Message, id string, calls, malformed int) bool {
	return id == "" || slices.ContainsFunc(m.ToolCalls[:calls], func(c abi.ToolCall) bool { return c.ID == id }) ||
		slices.ContainsFunc(m.InvalidToolCalls[:malformed], func(c abi.InvalidToolCall) bool { return c.ID == id })
}
