package openai

import (
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// chatMessage is a message of a chat completion.
type chatMessage struct {
	Role         string          `json:"role" enum:"system,developer,user,assistant,tool"`
	Content      json.RawMessage `json:"content" type:"string,array,null"`
	Name         *string         `json:"name"`
	Refusal      *string         `json:"refusal"`
	ToolCalls    []chatCall      `json:"tool_calls"`
	ToolCallID   *string         `json:"tool_call_id"`
	FunctionCall json.RawMessage `json:"function_call" type:"object,null" jsonschema:"An earlier form of tool_calls, which is refused."`
}

// chatCall is a call of a tool of the client.
type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments" jsonschema:"An object in JSON."`
}

// messagesOf reads messages.
func messagesOf(all []chatMessage) ([]abi.Message, error) {
	if len(all) == 0 {
		return nil, invalid("messages", "messages is empty; send at least one message")
	}
	out := make([]abi.Message, len(all))
	names := map[string]string{} // of tools, by the ids of their calls
	for i := range all {
		m, err := all[i].message(fmt.Sprintf("messages[%d]", i), names)
		if err != nil {
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

func (m *chatMessage) message(param string, names map[string]string) (out abi.Message, err error) {
	if given(m.FunctionCall) {
		return out, invalid(param, "%s has function_call; use tool_calls", param)
	}
	if out.Content, err = contentOf(m.Content, param+".content"); err != nil {
		return out, err
	}
	if m.Name != nil {
		out.Name = *m.Name
	}
	switch m.Role {
	case "system", "developer":
		out.Role = abi.RoleSystem
	case "user":
		out.Role = abi.RoleHuman
	case "assistant":
		out.Role = abi.RoleAI
		if m.Refusal != nil && *m.Refusal != "" {
			out.Content = abi.Blocks(append(out.Content.Blocks(), abi.RefusalBlock(*m.Refusal, ""))...)
		}
		for _, call := range m.ToolCalls {
			addCall(&out, call.ID, call.Function.Name, call.Function.Arguments)
			names[call.ID] = call.Function.Name
		}
	case "tool":
		if m.ToolCallID == nil {
			return out, invalid(param, "%s has the role tool and needs the tool_call_id of the call that it answers", param)
		}
		out.Role, out.ToolCallID, out.Status, out.Name = abi.RoleTool, *m.ToolCallID, abi.StatusSuccess, names[*m.ToolCallID]
	default:
		return out, invalid(param+".role", "%s has the role %.64q; use system, developer, user, assistant or tool", param, m.Role)
	}
	return out, nil
}

// addCall adds a call of a tool to a message of the agent. What is not an object in JSON is kept as the model wrote it.
func addCall(m *abi.Message, id, name, arguments string) {
	args, err := wire.FromJSON([]byte(arguments), wire.Limits{})
	if err != nil || !args.IsMap() {
		reason := "it is not an object"
		if err != nil {
			reason = err.Error()
		}
		m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{ID: id, Name: name, Args: arguments, Error: reason})
		return
	}
	m.ToolCalls = append(m.ToolCalls, abi.ToolCall{ID: id, Name: name, Args: args})
}
