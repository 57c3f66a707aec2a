package builtin

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// openCalls returns the tool calls of the last AI message that no message behind it answers, in their order.
func openCalls(messages history.List) []*abi.ToolCall {
	at := messages.LastAI()
	if at < 0 {
		return nil
	}
	calls := messages.Entry(at).Message().ToolCalls
	var open []*abi.ToolCall
	for i := range calls {
		if countAnswers(messages, at+1, messages.Len(), calls[i].ID) == 0 {
			open = append(open, &calls[i])
		}
	}
	return open
}

// countAnswers counts the tool messages from index from up to, not including, index to that answer a call.
func countAnswers(messages history.List, from, to int, callID string) int {
	n := 0
	for i := from; i < to; i++ {
		if m := messages.Entry(i).Message(); m.Role == abi.RoleTool && m.ToolCallID == callID {
			n++
		}
	}
	return n
}
