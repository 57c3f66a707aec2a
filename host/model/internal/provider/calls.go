package provider

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// AddCall adds a tool call with the arguments as the model wrote them to its message: a valid one if they are a JSON
// object, or nothing at all, as some models write where a tool has no parameters.
func AddCall(m *abi.Message, id, name, args string) {
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	raw, err := wire.FromJSON([]byte(args), wire.Limits{})
	switch {
	case err != nil:
		m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{ID: id, Name: name, Args: args, Error: err.Error()})
	case !raw.IsMap():
		m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{ID: id, Name: name, Args: args, Error: "the arguments are no JSON object"})
	default:
		m.ToolCalls = append(m.ToolCalls, abi.ToolCall{ID: id, Name: name, Args: raw})
	}
}

// Structured returns the JSON value that an answer is: zero if it asks for tools, or is no JSON.
func Structured(m *abi.Message) wire.Raw {
	if len(m.ToolCalls)+len(m.InvalidToolCalls) > 0 {
		return nil
	}
	raw, err := wire.FromJSON([]byte(m.Content.Text()), wire.Limits{})
	if err != nil {
		return nil
	}
	return raw
}
