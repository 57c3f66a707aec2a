package history

import (
	"iter"

	"github.com/agenthost/agenthost/abi"
)

// Answer returns the tool message behind the index ai that answers a call; nil if there is none. Ids of calls may repeat
// over the turns of a history: only what stands behind its AI message answers a call.
func (l List) Answer(ai int, callID string) *abi.Message {
	for _, e := range l.entries[ai+1:] {
		if m := &e.message; m.Role == abi.RoleTool && m.ToolCallID == callID {
			return m
		}
	}
	return nil
}

// OpenCalls yields the tool calls of the AI message at the index ai that nothing answers, in their order; none if ai is
// negative.
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
