package probe

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// ProviderKey is the key of a message's Meta that names the provider whose model made it.
const ProviderKey = "provider"

// Message reads a message object.
func Message(o *strict.Object) abi.Message {
	o.Need("role")
	role := abi.Role(o.OneOf("role", string(abi.RoleHuman), string(abi.RoleAI), string(abi.RoleTool), string(abi.RoleSystem)))
	return message(o, role)
}

// AIMessage reads the object of an AI message that does not say its role.
func AIMessage(o *strict.Object) abi.Message { return message(o, abi.RoleAI) }

func message(o *strict.Object, role abi.Role) abi.Message {
	m := abi.Message{Role: role, ID: o.Text("id"), Name: o.TextOrNull("name"), Content: content(o)}
	switch role {
	case abi.RoleAI:
		readAI(o, &m)
	case abi.RoleTool:
		o.Need("tool_call_id")
		m.ToolCallID = o.TextOrNull("tool_call_id")
		m.Status = o.OneOf("status", abi.StatusSuccess, abi.StatusError)
		if m.Status == "" {
			m.Status = abi.StatusSuccess
		}
	default: // other roles have only content
	}
	_ = o.Done()
	return m
}

func content(o *strict.Object) abi.Content {
	raw := o.Raw("content")
	if raw.IsZero() {
		return abi.Content{}
	}
	var c abi.Content
	if raw.IsNil() {
		o.Fail("content", "must be a text")
	} else if _, err := c.UnmarshalMsg(raw); err != nil {
		o.Fail("content", err.Error())
	}
	return c
}

func readAI(o *strict.Object, m *abi.Message) {
	m.ToolCalls = ToolCalls(o.Objects("tool_calls"))
	for _, call := range o.Objects("invalid_tool_calls") {
		call.Need("id", "name", "args")
		m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{
			ID: call.TextOrNull("id"), Name: call.TextOrNull("name"), Args: call.Text("args"), Error: call.TextOrNull("error"),
		})
		_ = call.Done()
	}
	if usage := o.Object("usage"); usage != nil {
		m.Usage = &abi.Usage{
			InputTokens:  uint64(usage.Int("input_tokens", 0)),
			OutputTokens: uint64(usage.Int("output_tokens", 0)),
			TotalTokens:  uint64(usage.Int("total_tokens", 0)),
		}
		_ = usage.Done()
	}
	if provider := o.Text("provider"); provider != "" {
		m.Meta.Set(ProviderKey, wire.String(provider))
	}
}

// ToolCalls reads the objects of tool calls.
func ToolCalls(objects []*strict.Object) []abi.ToolCall {
	if len(objects) == 0 {
		return nil
	}
	calls := make([]abi.ToolCall, 0, len(objects))
	for _, o := range objects {
		o.Need("id", "name", "args")
		call := abi.ToolCall{ID: o.TextOrNull("id"), Name: o.Text("name"), Args: o.Map("args").Raw()}
		_ = o.Done()
		calls = append(calls, call)
	}
	return calls
}

// ErrorOf reads the object of a scripted error.
func ErrorOf(o *strict.Object) *abi.Error {
	o.Need("type", "message")
	e := &abi.Error{Type: o.Text("type"), Message: o.Text("message")}
	_ = o.Done()
	return e
}
