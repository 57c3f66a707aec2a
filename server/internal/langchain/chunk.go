package langchain

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// chunk is a piece of an AI message.
type chunk struct {
	answer

	ToolCallChunks []callChunk `json:"tool_call_chunks"`
	Position       *string     `json:"chunk_position"`
}

type callChunk struct {
	Name  *string `json:"name"`
	Args  *string `json:"args"`
	ID    *string `json:"id"`
	Index int     `json:"index"`
	Type  string  `json:"type"`
}

func newChunk(id string) chunk {
	return chunk{
		answer: answer{
			message: message{
				Content: json.RawMessage(`""`), AdditionalKwargs: json.RawMessage("{}"), Type: "AIMessageChunk", ID: text(id),
			},
			ToolCalls: []toolCall{}, InvalidToolCalls: []invalidToolCall{},
		},
		ToolCallChunks: []callChunk{},
	}
}

// TextChunk returns a piece of an answer's text.
func TextChunk(id, said string) json.RawMessage {
	c := newChunk(id)
	c.Content = encode(said)
	return encode(c)
}

// ReasoningChunk returns a piece of a model's reasoning, as a block.
func ReasoningChunk(id, reasoning string) json.RawMessage {
	c := newChunk(id)
	c.Content = encode([]map[string]any{{"type": abi.BlockReasoning, "reasoning": reasoning, "index": 0}})
	return encode(c)
}

// CallChunk returns a piece of a tool call. As in LangChain, one with a name is also a call with no arguments yet, and another one an invalid call.
func CallChunk(id string, piece *model.CallPiece) json.RawMessage {
	c := newChunk(id)
	part := callChunk{Name: text(piece.Name), ID: text(piece.ID), Args: &piece.Args, Index: piece.Index, Type: "tool_call_chunk"}
	c.ToolCallChunks = append(c.ToolCallChunks, part)
	if piece.Name != "" {
		c.ToolCalls = append(c.ToolCalls, toolCall{Name: piece.Name, Args: json.RawMessage("{}"), ID: text(piece.ID), Type: "tool_call"})
	} else {
		c.InvalidToolCalls = append(c.InvalidToolCalls, invalidToolCall{Args: &piece.Args, ID: text(piece.ID), Type: "invalid_tool_call"})
	}
	return encode(c)
}

// LastChunk returns the last piece of an answer, with what is known when it is complete. calls says that its tool calls were not sent in pieces.
func LastChunk(m *abi.Message, id string, calls bool) json.RawMessage {
	c := newChunk(id)
	c.ResponseMetadata, c.UsageMetadata = commonOf(m, "").ResponseMetadata, usageOf(m.Usage)
	if calls {
		c.ToolCalls, c.InvalidToolCalls = callsOf(m), invalidOf(m)
		for i := range m.ToolCalls {
			args := m.ToolCalls[i].Args.JSON()
			c.ToolCallChunks = append(c.ToolCallChunks, callChunk{
				Name: text(m.ToolCalls[i].Name), Args: &args, ID: text(m.ToolCalls[i].ID), Index: i, Type: "tool_call_chunk",
			})
		}
	}
	last := "last"
	c.Position = &last
	if c.ResponseMetadata == nil {
		c.ResponseMetadata = wire.Map{}
	}
	return encode(c)
}
