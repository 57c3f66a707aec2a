package abi

import "github.com/agenthost/agenthost/abi/wire"

// Human makes a message from the user.
func Human(text string) Message { return Message{Role: RoleHuman, Content: Text(text)} }

// AI makes a message from the model.
func AI(text string, calls ...ToolCall) Message {
	return Message{Role: RoleAI, Content: Text(text), ToolCalls: calls}
}

// System makes a system message.
func System(text string) Message { return Message{Role: RoleSystem, Content: Text(text)} }

// ToolResult makes the successful answer to a tool call.
func ToolResult(call ToolCall, text string) Message {
	return Message{Role: RoleTool, Content: Text(text), Name: call.Name, ToolCallID: call.ID, Status: StatusSuccess}
}

// ToolFailure makes the answer to a tool call that failed or did not run.
func ToolFailure(call ToolCall, text string) Message {
	m := ToolResult(call, text)
	m.Status = StatusError
	return m
}

// Call makes a tool call. Its arguments must be values that [wire.AppendValue] knows. Call panics on other values, so
// use it only in tests and demos, where the arguments are literals.
func Call(id, name string, args map[string]any) ToolCall {
	raw, err := wire.MapOf(args)
	if err != nil {
		panic("abi.Call: " + err.Error())
	}
	return ToolCall{ID: id, Name: name, Args: raw.Raw()}
}

// Failed reports whether m is a tool message with the status error.
func (m *Message) Failed() bool { return m.Role == RoleTool && m.Status == StatusError }
