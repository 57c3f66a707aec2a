package langchain

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// BlockMessage returns the JSON form of a message as LangChain's output version v1 has it: the content of an AI message is a list of blocks, which
// includes its tool calls. Other messages are as [Message] returns them.
func BlockMessage(m *abi.Message) json.RawMessage {
	if m.Role != abi.RoleAI {
		return Message(m)
	}
	common := commonOf(m, string(m.Role))
	common.Content = encode(Blocks(m))
	common.ResponseMetadata = common.ResponseMetadata.With(nil)
	common.ResponseMetadata.Set("output_version", wire.String("v1"))
	return encode(answer{message: common, ToolCalls: callsOf(m), InvalidToolCalls: invalidOf(m), UsageMetadata: usageOf(m.Usage)})
}

// Blocks returns the content of a message as blocks, and its tool calls after that.
func Blocks(m *abi.Message) []json.RawMessage {
	out := []json.RawMessage{}
	switch {
	case !m.Content.IsText():
		for _, block := range m.Content.Blocks() {
			out = append(out, encode(blockOf(block)))
		}
	case m.Content.Text() != "":
		out = append(out, TextBlock(m.Content.Text()))
	}
	for i := range m.ToolCalls {
		out = append(out, CallBlock(&m.ToolCalls[i]))
	}
	for i := range m.InvalidToolCalls {
		out = append(out, InvalidCallBlock(&m.InvalidToolCalls[i]))
	}
	return out
}

// TextBlock returns a block with a text.
func TextBlock(said string) json.RawMessage {
	return encode(map[string]string{"type": abi.BlockText, abi.BlockText: said})
}

// ReasoningBlock returns a block with a model's reasoning.
func ReasoningBlock(reasoning string) json.RawMessage {
	return encode(map[string]string{"type": abi.BlockReasoning, abi.BlockReasoning: reasoning})
}

// CallBlock returns a block with a tool call.
func CallBlock(call *abi.ToolCall) json.RawMessage {
	return encode(toolCall{Name: call.Name, Args: json.RawMessage(call.Args.JSON()), ID: text(call.ID), Type: "tool_call"})
}

// InvalidCallBlock returns a block with a tool call whose arguments cannot be read.
func InvalidCallBlock(call *abi.InvalidToolCall) json.RawMessage {
	return encode(invalidToolCall{Name: text(call.Name), Args: &call.Args, ID: text(call.ID), Error: text(call.Error), Type: "invalid_tool_call"})
}

// Usage returns the tokens of a model call; nil if they are not known.
func Usage(m *abi.Message) json.RawMessage {
	if m.Usage == nil {
		return nil
	}
	return encode(usageOf(m.Usage))
}

// ResponseMetadata returns what a provider said of an answer; an empty object if that is nothing.
func ResponseMetadata(m *abi.Message) json.RawMessage {
	if meta := commonOf(m, "").ResponseMetadata; len(meta) > 0 {
		return encode(meta)
	}
	return json.RawMessage("{}")
}
