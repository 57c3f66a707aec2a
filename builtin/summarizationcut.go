package builtin

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// cut returns how many messages the summary replaces; 0 means none.
func (r *summarizer) cut(messages history.List) int {
	var at int
	if r.keep.messages > 0 {
		at = max(0, messages.Len()-r.keep.messages)
	} else {
		at = r.cutByTokens(messages)
	}
	if at == 0 {
		return 0
	}
	return wholeCalls(messages, at)
}

// cutByTokens returns the index where the longest end of the messages begins that fits into the tokens to keep, or the
// index of the last message if that does not fit.
func (r *summarizer) cutByTokens(messages history.List) int {
	if r.counter.corrected(messages) <= r.keep.tokens {
		return 0
	}
	tokens := 0
	for i := messages.Len() - 1; i >= 0; i-- {
		if tokens += r.counter.each(messages.Entry(i).Message()); tokens > r.keep.tokens {
			return min(i+1, messages.Len()-1)
		}
	}
	return 0
}

// wholeCalls moves a cut back until no answer after it belongs to a call before it. A cut at answers to no call moves after
// them.
func wholeCalls(messages history.List, at int) int {
	calls := answeredCalls(messages)
	earliest := messages.Len() // the earliest call with a kept answer
	for i := messages.Len() - 1; i > 0 && i >= min(at, earliest); i-- {
		if call := calls[i]; call >= 0 && call < earliest {
			earliest = call
		}
	}
	at = min(at, earliest)
	for at < messages.Len() && messages.Entry(at).Message().Role == abi.RoleTool {
		at++
	}
	return at
}

// answeredCalls returns, for each tool message by index, the index of the AI message whose call it answers: the nearest one
// before it that has an open call of that id, or that has only answers after it. -1 means that the message answers nothing,
// or is not a tool message.
func answeredCalls(messages history.List) []int {
	calls := make([]int, messages.Len())
	open := map[string]int{} // by id of the call
	asking := -1             // the last AI message, if only answers follow it
	for i, m := range messages.All() {
		calls[i] = -1
		switch m.Role {
		case abi.RoleTool:
			if at, ok := open[m.ToolCallID]; ok {
				calls[i] = at
				delete(open, m.ToolCallID)
			} else if asking >= 0 && countCalls(messages.Entry(asking).Message(), m.ToolCallID) > 0 {
				calls[i] = asking
			}
		case abi.RoleAI:
			asking = i
			for j := range m.ToolCalls {
				open[m.ToolCalls[j].ID] = i
			}
			for j := range m.InvalidToolCalls {
				open[m.InvalidToolCalls[j].ID] = i
			}
		case abi.RoleHuman, abi.RoleSystem:
			asking = -1
		}
	}
	return calls
}
