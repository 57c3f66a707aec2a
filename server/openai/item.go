package openai

import (
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi"
)

// inputItem is an item of the input of a response.
type inputItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// inputOf reads the input of a response: a text of the user, or a list of items.
func inputOf(raw json.RawMessage) ([]abi.Message, error) {
	if !given(raw) {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []abi.Message{abi.Human(text)}, nil
	}
	var items []inputItem
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, invalid("input", "input must be a text or a list of items: %v", err)
	}
	var out []abi.Message
	names := map[string]string{} // of tools, by the ids of their calls
	for i := range items {
		var err error
		if out, err = items[i].add(out, fmt.Sprintf("input[%d]", i), names); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add adds an item to messages.
func (item *inputItem) add(to []abi.Message, param string, names map[string]string) ([]abi.Message, error) {
	switch item.Type {
	case "", "message":
		m := chatMessage{Role: item.Role, Content: item.Content}
		if item.Role == "tool" {
			return nil, invalid(param+".role", "%s has the role tool; send an item of the type function_call_output", param)
		}
		message, err := m.message(param, names)
		return append(to, message), err
	case "function_call":
		names[item.CallID] = item.Name
		last := len(to) - 1
		if last < 0 || to[last].Role != abi.RoleAI {
			to, last = append(to, abi.AI("")), last+1
		}
		addCall(&to[last], item.CallID, item.Name, item.Arguments)
		return to, nil
	case "function_call_output":
		content, err := contentOf(item.Output, param+".output")
		m := abi.ToolResult(abi.ToolCall{ID: item.CallID, Name: names[item.CallID]}, "")
		m.Content = content
		return append(to, m), err
	case "reasoning": // what the agent thought is its own matter
		return to, nil
	default:
		return nil, invalid(param+".type", "%s has the type %.64q; use message, function_call or function_call_output", param, item.Type)
	}
}
