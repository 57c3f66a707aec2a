package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
)

// refuseRepeats counts the calls of the AI message at an index, and answers those that were made too often. It also counts
// calls that others have answered, because the model has asked for the same thing.
func (l *loopController) refuseRepeats(messages history.List, at int, state *loopState, update *host.Update) {
	before := state.Repeats
	state.Repeats = nil
	calls := messages.Entry(at).Message().ToolCalls
	var refused, others []*abi.ToolCall
	most := 0
	for i := range calls {
		call := &calls[i]
		n := l.count(call, before, state)
		open := messages.Answer(at, call.ID) == nil
		switch {
		case open && n > l.repeats:
			refused = append(refused, call)
			most = max(most, n)
		case open:
			others = append(others, call)
		}
	}
	if len(refused) == 0 {
		return
	}
	for _, call := range refused {
		update.Messages = append(update.Messages, abi.ToolFailure(*call, fmt.Sprintf(
			"Error: `%s` was called more than %d times in a row with the same arguments, so this call was not executed. "+
				"The result would not be another one. Change your approach: use other arguments or another tool, or answer with what you have.",
			call.Name, l.repeats)))
	}
	if !l.ends {
		return
	}
	for _, call := range others {
		update.Messages = append(update.Messages, abi.ToolFailure(*call, "Execution stopped before this tool call could run because "+
			"another tool call in the same batch was repeated too often."))
	}
	update.JumpTo = abi.JumpEnd
	update.Messages = append(update.Messages, abi.AI(fmt.Sprintf(
		"Stopped: '%s' was called %d times in a row with the same arguments.", refused[0].Name, most)))
}

// count counts a call and returns how often it was made in a row; 0 if calls of its tool are not counted.
func (l *loopController) count(call *abi.ToolCall, before map[string]int, state *loopState) int {
	if len(l.tools) > 0 && !slices.Contains(l.tools, call.Name) {
		return 0
	}
	key := digestOf([]byte(call.Name), []byte{0}, wire.Canonicalized(call.Args))
	if state.Repeats == nil {
		state.Repeats = map[string]int{}
	}
	if state.Repeats[key] == 0 {
		state.Repeats[key] = before[key]
	}
	state.Repeats[key]++
	return state.Repeats[key]
}

// digestOf returns a short key for long texts.
func digestOf(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
