package builtin

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// cut returns how many messages a summary is to replace; 0: none.
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

// cutByTokens returns where the longest end of the messages begins that has no more tokens than are to be kept; where the
// last message begins if that has more.
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

// wholeCalls moves a cut so that no answer behind it is one to a call before it: back to that call, as often as it takes. A cut
// at answers to nothing moves behind them.
func wholeCalls(messages history.List, at int) int {
	calls := answeredCalls(messages)
	earliest := messages.Len() // of the calls that what is kept answers
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

// answeredCalls finds for each tool message, by index, the index of the AI message whose call it answers: the nearest before it
// that has an open call of that id, or that asked with nothing but answers since. -1: it answers nothing, or is none.
func answeredCalls(messages history.List) []int {
	calls := make([]int, messages.Len())
	open := map[string]int{} // by id of the call
	asking := -1             // the AI message before, if only answers stand behind it
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
