package history

import (
	"iter"

	"github.com/agenthost/agenthost/abi"
)

// Answer returns the tool message after index ai that answers a call, or nil if there is none. Call ids may repeat in a
// history: only a message after the AI message of the call answers it.
func (l List) Answer(ai int, callID string) *abi.Message {
	for _, e := range l.entries[ai+1:] {
		if m := &e.message; m.Role == abi.RoleTool && m.ToolCallID == callID {
			return m
		}
	}
	return nil
}

// OpenCalls yields the unanswered tool calls of the AI message at index ai, in their order. It yields none if ai is negative.
func (l List) OpenCalls(ai int) iter.Seq[*abi.ToolCall] {
	return func(yield func(*abi.ToolCall) bool) {
		if ai < 0 {
			return
		}
		calls := l.entries[ai].message.ToolCalls
		for i := range calls {
			if l.Answer(ai, calls[i].ID) == nil && !yield(&calls[i]) {
				return
			}
		}
	}
}
