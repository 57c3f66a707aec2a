package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/tool"
)

// compactConversation is the name of the tool.
const compactConversation = "compact_conversation"

// These texts are deepagents'.
const (
	compactDescription = "Compact the conversation by summarizing older messages into a concise summary. Use this proactively when the " +
		"conversation is getting long to free up context window space. Use it when moving on to a completely new, unrelated task, or after " +
		"finishing synthesis or extraction when the previous working context is no longer needed. This tool takes no arguments."
	compactDone    = "Conversation compacted. Summarized %d messages into a concise summary."
	compactNothing = "Nothing to compact yet — conversation is within the token budget."
	compactFailed  = "Compaction failed: an error occurred while generating the summary (%s: %s). " +
		"The conversation has not been compacted — no messages were summarized or removed."
)

// compactTool returns the tool with which the model itself asks for a summary.
func (r *summarizer) compactTool() (host.Tool, error) {
	parameters, err := wire.FromJSON([]byte(`{"type": "object", "properties": {}}`), wire.DefaultLimits)
	if err != nil {
		return nil, err
	}
	// It may run again after a crash, because only its result changes the thread.
	spec := abi.ToolSpec{Name: compactConversation, Description: compactDescription, Parameters: parameters, Idempotent: true}
	return tool.Raw(spec, r.compact), nil
}

// compact is the tool.
func (r *summarizer) compact(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	thread := rt.State().Messages()
	shown, asking := r.withoutLongArgs(thread), thread.LastAI()
	if asking < 0 || !r.reached(shown, r.halves()...) || !isFirstCompact(thread.Entry(asking).Message(), call.ID) {
		return host.TextOutput(compactNothing), nil
	}
	cut := min(r.cut(shown), asking) // the call and its answer stay
	if wholeCalls(thread, cut) != cut || !worthSummary(shown.Slice(0, cut)) {
		return host.TextOutput(compactNothing), nil
	}
	text, err := r.summary(ctx, rt, shown.Slice(0, cut))
	switch {
	case err != nil && (host.IsControlFlow(err) || ctx.Err() != nil):
		return nil, err
	case err != nil:
		document := host.ErrorDocument(err)
		out := host.TextOutput(fmt.Sprintf(compactFailed, document.Type, document.Message))
		out.Failed = true
		return out, nil
	}
	ids := make([]string, cut)
	for i := range ids {
		ids[i] = thread.Entry(i).Message().ID
	}
	out := host.TextOutput(fmt.Sprintf(compactDone, cut))
	files := r.openHistory(rt, call.ID)
	out.Update = replaceBySummary(ids, summaryMessage(text, files.add(ctx, thread.Slice(0, cut))))
	out.Update.State, err = files.changes()
	return out, err
}

// halves returns the sizes from which on the tool acts: half of the triggers.
func (r *summarizer) halves() []contextSize {
	halves := make([]contextSize, len(r.triggers))
	for i, size := range r.triggers {
		halves[i] = contextSize{messages: half(size.messages), tokens: half(size.tokens)}
	}
	return halves
}

// half returns half of a number, and at least 1; 0 stays, because it means not set.
func half(n int) int {
	if n == 0 {
		return 0
	}
	return max(1, n/2)
}

// isFirstCompact reports whether a call is the first of its kind in a message: a second one would find the same history. It is
// false for a call that a hook or a tool makes.
func isFirstCompact(m *abi.Message, call string) bool {
	for i := range m.ToolCalls {
		if m.ToolCalls[i].Name == compactConversation {
			return m.ToolCalls[i].ID == call
		}
	}
	return false
}

// compactedAfter reports whether the tool has made a summary after the message at an index. The tokens that the message
// reports are then those of a longer history.
func compactedAfter(messages history.List, at int) bool {
	done, _, _ := strings.Cut(compactDone, "%")
	for _, m := range messages.Slice(at+1, messages.Len()).All() {
		if m.Role == abi.RoleTool && m.Name == compactConversation && strings.HasPrefix(m.Content.Text(), done) {
			return true
		}
	}
	return false
}
