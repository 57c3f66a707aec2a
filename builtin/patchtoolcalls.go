package builtin

import (
	"cmp"
	"context"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
)

// PatchToolCalls makes the history valid for a provider when a run starts: after it, each AI message is followed by exactly
// one answer to each of its calls, and by no other answers. A failed run, an abandoned review, a jump or the caller's input
// can leave a history in another state.
//
//   - An open call gets an error as its answer, directly after its message and before existing answers.
//   - A malformed call is answered too, with a text of its own.
//   - An answer further down, for example after a later human message, moves to its call.
//   - An answer to no call, or a second answer, is removed, with a warning.
//
// An answer belongs to the nearest message before it that has a call of its id: ids may repeat over turns. A call without an
// id cannot be answered and stays. A valid history is not written again.
//
// Texts, and the position of new answers, are those of deepagents 0.7.32's PatchToolCallsMiddleware. The
// original accepts an answer anywhere in the history, and neither moves nor removes answers.
type PatchToolCalls struct {
	// Content is the answer to an open call, with {tool} and {id}. "": the text of the reference.
	Content string `yaml:"content"`
	// InvalidContent is the answer to a malformed call, with {tool}, {id} and {error}, the reason why the call could not be
	// parsed.
	InvalidContent string `yaml:"invalid_content"`
}

var patchToolCallsEntry = Entry{
	Name:    "patch_tool_calls",
	Summary: "repairs tool calls that a failed or abandoned run left open",
	Example: `- patch_tool_calls
`,
	New: func() host.Middleware { return &PatchToolCalls{} },
}

// The texts of the reference.
const (
	openCallText = "Tool call {tool} with id {id} did not complete - no result was recorded. " +
		"It may have been cancelled or interrupted."
	malformedCallText = "Tool call {tool} with id {id} could not be executed - arguments were malformed or truncated."
)

// Name returns "patch_tool_calls".
func (p PatchToolCalls) Name() string { return "patch_tool_calls" }

// Hooks checks the templates.
func (p PatchToolCalls) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	var patch patcher
	var err error
	if patch.open, err = newTemplate("content", cmp.Or(p.Content, openCallText), "{tool}", "{id}"); err != nil {
		return nil, err
	}
	patch.malformed, err = newTemplate("invalid_content", cmp.Or(p.InvalidContent, malformedCallText), "{tool}", "{id}", "{error}")
	if err != nil {
		return nil, err
	}
	return &host.Hooks{BeforeAgent: host.NodeHook{Func: patch.repair, View: abi.ViewAll()}}, nil
}

// patcher repairs histories with these texts.
type patcher struct{ open, malformed template }

func (p *patcher) repair(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.View().Items
	if inOrder(messages) {
		return nil, nil
	}
	answers, removed := assignAnswers(messages)
	update := &host.Update{Overwrite: true, Messages: make([]abi.Message, 0, messages.Len())}
	for i, m := range messages.All() {
		if m.Role == abi.RoleTool {
			continue // answers are added after their calls
		}
		update.Messages = append(update.Messages, *m)
		if m.Role == abi.RoleAI {
			update.Messages = p.appendMissing(update.Messages, m, answers[i])
			for _, answer := range answers[i] {
				update.Messages = append(update.Messages, *answer)
			}
		}
	}
	if len(removed) > 0 {
		rt.Warn("patch_tool_calls: removed tool messages that answer no open call from the history; their tool_call_ids: " +
			strings.Join(removed, ", "))
	}
	return update, nil
}

// appendMissing appends answers to the calls of m that have none.
func (p *patcher) appendMissing(to []abi.Message, m *abi.Message, answers []*abi.Message) []abi.Message {
	answered := make(map[string]bool, len(answers))
	for _, answer := range answers {
		answered[answer.ToolCallID] = true
	}
	add := func(call abi.ToolCall, text *template, cause string) {
		if call.ID == "" || answered[call.ID] {
			return
		}
		answered[call.ID] = true
		call.Name = cmp.Or(call.Name, "unknown")
		values := []string{call.Name, call.ID, cause}
		to = append(to, abi.ToolFailure(call, text.fill(values[:len(text.words)]...)))
	}
	for i := range m.ToolCalls {
		add(m.ToolCalls[i], &p.open, "")
	}
	for _, call := range m.InvalidToolCalls {
		add(abi.ToolCall{ID: call.ID, Name: call.Name}, &p.malformed, call.Error)
	}
	return to
}

// inOrder reports whether each AI message is directly followed by exactly one answer to each of its calls, and whether
// there are no other tool messages.
func inOrder(messages history.List) bool {
	for i := 0; i < messages.Len(); {
		m := messages.Entry(i).Message()
		if m.Role == abi.RoleTool {
			return false
		}
		i++
		if m.Role != abi.RoleAI {
			continue
		}
		from := i
		for i < messages.Len() && messages.Entry(i).Message().Role == abi.RoleTool {
			i++
		}
		if !answersAre(m, messages, from, i) {
			return false
		}
	}
	return true
}

// answersAre reports whether the tool messages at the indexes [from, to) are exactly the answers
// to the calls of m.
func answersAre(m *abi.Message, messages history.List, from, to int) bool {
	for i := from; i < to; i++ {
		id := messages.Entry(i).Message().ToolCallID
		if countAnswers(messages, from, i, id) >= countCalls(m, id) {
			return false
		}
	}
	open := func(id string) bool { return id != "" && countAnswers(messages, from, to, id) == 0 }
	for i := range m.ToolCalls {
		if open(m.ToolCalls[i].ID) {
			return false
		}
	}
	for i := range m.InvalidToolCalls {
		if open(m.InvalidToolCalls[i].ID) {
			return false
		}
	}
	return true
}

// assignAnswers returns, for each AI message by index, the tool messages that answer its calls. Removed has the
// tool_call_ids of the other tool messages.
func assignAnswers(messages history.List) (answers map[int][]*abi.Message, removed []string) {
	answers = map[int][]*abi.Message{}
	asked := map[string]int{} // by id, the index of the nearest message with such a call
	left := map[string]int{}  // by id, how many more answers that message may have
	for i, m := range messages.All() {
		switch m.Role {
		case abi.RoleAI:
			for j := range m.ToolCalls {
				asked[m.ToolCalls[j].ID], left[m.ToolCalls[j].ID] = i, countCalls(m, m.ToolCalls[j].ID)
			}
			for j := range m.InvalidToolCalls {
				asked[m.InvalidToolCalls[j].ID], left[m.InvalidToolCalls[j].ID] = i, countCalls(m, m.InvalidToolCalls[j].ID)
			}
		case abi.RoleTool:
			if left[m.ToolCallID] == 0 {
				removed = append(removed, m.ToolCallID)
				continue
			}
			left[m.ToolCallID]--
			at := asked[m.ToolCallID]
			answers[at] = append(answers[at], m)
		case abi.RoleHuman, abi.RoleSystem:
		}
	}
	return answers, removed
}

// countCalls returns the number of calls of a message, malformed ones included, that have this id.
func countCalls(m *abi.Message, callID string) int {
	n := 0
	for i := range m.ToolCalls {
		if m.ToolCalls[i].ID == callID {
			n++
		}
	}
	for i := range m.InvalidToolCalls {
		if m.InvalidToolCalls[i].ID == callID {
			n++
		}
	}
	return n
}

// countAnswers returns the number of tool messages at the indexes [from, to) that answer this
// call.
func countAnswers(messages history.List, from, to int, callID string) int {
	n := 0
	for i := from; i < to; i++ {
		if m := messages.Entry(i).Message(); m.Role == abi.RoleTool && m.ToolCallID == callID {
			n++
		}
	}
	return n
}
