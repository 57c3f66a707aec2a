package provider

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// AddCall adds a tool call to the model's message, with the arguments as the model wrote them. The call is valid if they are a
// JSON object, or empty: some models write nothing for a tool without parameters.
func AddCall(m *abi.Message, id, name, args string) {
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	raw, err := wire.FromJSON([]byte(args), wire.Limits{})
	switch {
	case err != nil:
		m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{ID: id, Name: name, Args: args, Error: err.Error()})
	case !raw.IsMap():
		m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{ID: id, Name: name, Args: args, Error: "the arguments are not a JSON object"})
	default:
		m.ToolCalls = append(m.ToolCalls, abi.ToolCall{ID: id, Name: name, Args: raw})
	}
}

// Structured returns the answer as a JSON value, or zero if the answer calls tools or is not JSON.
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
