package host

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// distinct returns messages in which every call of one message, malformed ones included, has an id of its own: otherwise one
// answer would stand for two calls. They are the same messages if that is so already.
func distinct(messages []abi.Message, newID func() string) []abi.Message {
	owned := false
	for i := range messages {
		if isDistinct(&messages[i]) {
			continue
		}
		if !owned {
			messages, owned = slices.Clone(messages), true
		}
		makeDistinct(&messages[i], newID)
	}
	return messages
}

// taken reports whether an id is none, or that of one of the first calls of a message.
func taken(m *abi.Message, id string, calls, malformed int) bool {
	return id == "" || slices.ContainsFunc(m.ToolCalls[:calls], func(c abi.ToolCall) bool { return c.ID == id }) ||
		slices.ContainsFunc(m.InvalidToolCalls[:malformed], func(c abi.InvalidToolCall) bool { return c.ID == id })
}

func isDistinct(m *abi.Message) bool {
	for i := range m.ToolCalls {
		if taken(m, m.ToolCalls[i].ID, i, 0) {
			return false
		}
	}
	for i := range m.InvalidToolCalls {
		if taken(m, m.InvalidToolCalls[i].ID, len(m.ToolCalls), i) {
			return false
		}
	}
	return true
}

func makeDistinct(m *abi.Message, newID func() string) {
	m.ToolCalls, m.InvalidToolCalls = slices.Clone(m.ToolCalls), slices.Clone(m.InvalidToolCalls)
	for i := range m.ToolCalls {
		if taken(m, m.ToolCalls[i].ID, i, 0) {
			m.ToolCalls[i].ID = newID()
		}
	}
	for i := range m.InvalidToolCalls {
		if taken(m, m.InvalidToolCalls[i].ID, len(m.ToolCalls), i) {
			m.InvalidToolCalls[i].ID = newID()
		}
	}
}
