package builtin

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// clearEdit is a checked [ContextEdit] of the type clear_tool_uses.
type clearEdit struct {
	trigger, atLeast, keep int
	inputs                 bool
	exclude                []string
	placeholder            abi.Content
}

// compile checks the edit.
func (c *ContextEdit) compile() (*clearEdit, error) {
	if c.Type != "" && c.Type != clearToolUses {
		return nil, fmt.Errorf("the edit type %q is unknown; use %s", c.Type, clearToolUses)
	}
	out := &clearEdit{
		trigger: clearTrigger, atLeast: c.ClearAtLeast, keep: clearKeep, inputs: c.ClearToolInputs, exclude: c.ExcludeTools,
		placeholder: abi.Text(cmp.Or(c.Placeholder, clearPlaceholder)),
	}
	if c.Trigger != nil {
		out.trigger = *c.Trigger
	}
	if c.Keep != nil {
		out.keep = *c.Keep
	}
	for _, number := range []struct {
		key   string
		value int
	}{{"trigger", out.trigger}, {"clear_at_least", out.atLeast}, {"keep", out.keep}} {
		if number.value < 0 {
			return nil, fmt.Errorf("%s is %d; it must not be negative", number.key, number.value)
		}
	}
	return out, nil
}

// apply clears the oldest results if there are more tokens than the trigger.
func (c *clearEdit) apply(messages *editedMessages) {
	if messages.tokens <= c.trigger {
		return
	}
	results := 0
	for _, m := range messages.list.All() {
		if m.Role == abi.RoleTool {
			results++
		}
	}
	before, asking := messages.tokens, -1
	for i := 0; i < messages.list.Len() && results > c.keep; i++ {
		switch messages.at(i).Role {
		case abi.RoleAI:
			asking = i
		case abi.RoleTool:
			results--
			if c.clear(messages, asking, i) && c.atLeast > 0 && before-messages.tokens >= c.atLeast {
				return
			}
		case abi.RoleHuman, abi.RoleSystem:
		}
	}
}

// clear clears a result of a call of the message at the index asking, and reports whether it did.
func (c *clearEdit) clear(messages *editedMessages, asking, result int) bool {
	if asking < 0 {
		return false
	}
	m := messages.at(result)
	call := askedCall(messages.at(asking), m.ToolCallID)
	if call == nil || isCleared(m) || slices.Contains(c.exclude, cmp.Or(m.Name, call.Name)) {
		return false
	}
	cleared := *m
	cleared.Content = c.placeholder
	cleared.Meta = withEditing(m.Meta, wire.Map{
		{Key: "cleared", Value: wire.Bool(true)}, {Key: "strategy", Value: wire.String(clearToolUses)},
	})
	messages.set(result, &cleared)
	if c.inputs {
		messages.set(asking, withoutInputs(messages.at(asking), m.ToolCallID))
	}
	return true
}

func askedCall(m *abi.Message, id string) *abi.ToolCall {
	for i := range m.ToolCalls {
		if m.ToolCalls[i].ID == id {
			return &m.ToolCalls[i]
		}
	}
	return nil
}

// withoutInputs returns an AI message in which the calls with this id have no arguments. Its Meta lists the ids of these
// calls.
func withoutInputs(m *abi.Message, id string) *abi.Message {
	out := *m
	out.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range out.ToolCalls {
		if out.ToolCalls[i].ID == id {
			out.ToolCalls[i].Args = wire.Map{}.Raw()
		}
	}
	ids := []string{id}
	for earlier := range editingOf(m.Meta).Get("cleared_tool_inputs").Elements() {
		if text, ok := earlier.AsString(); ok {
			ids = append(ids, text)
		}
	}
	slices.Sort(ids)
	list, err := wire.Of(slices.Compact(ids))
	if err == nil {
		out.Meta = withEditing(m.Meta, wire.Map{{Key: "cleared_tool_inputs", Value: list}})
	}
	return &out
}

// editingKey is the key in a message's Meta that describes its edits, as in LangChain.
const editingKey = "context_editing"

func editingOf(meta wire.Map) wire.Map {
	var out wire.Map
	if _, err := out.UnmarshalMsg(meta.Get(editingKey)); err != nil {
		return nil
	}
	return out
}

func withEditing(meta, more wire.Map) wire.Map {
	return meta.With(wire.Map{{Key: editingKey, Value: editingOf(meta).With(more).Raw()}})
}

func isCleared(m *abi.Message) bool {
	is, _ := editingOf(m.Meta).Get("cleared").AsBool()
	return is
}
