package langchain

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// message has the members that all messages have. Clients expect those without a value to be there.
type message struct {
	Content          json.RawMessage `json:"content"`
	AdditionalKwargs json.RawMessage `json:"additional_kwargs"`
	ResponseMetadata wire.Map        `json:"response_metadata"`
	Type             string          `json:"type"`
	Name             *string         `json:"name"`
	ID               *string         `json:"id"`
}

// answer has the further members of an AI message.
type answer struct {
	message

	ToolCalls        []toolCall        `json:"tool_calls"`
	InvalidToolCalls []invalidToolCall `json:"invalid_tool_calls"`
	UsageMetadata    *usage            `json:"usage_metadata"`
}

// toolAnswer has the further members of a tool message.
type toolAnswer struct {
	message

	ToolCallID string   `json:"tool_call_id"`
	Artifact   wire.Raw `json:"artifact"`
	Status     string   `json:"status"`
}

type toolCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	ID   *string         `json:"id"`
	Type string          `json:"type"`
}

type invalidToolCall struct {
	Name  *string `json:"name"`
	Args  *string `json:"args"`
	ID    *string `json:"id"`
	Error *string `json:"error"`
	Type  string  `json:"type"`
}

type usage struct {
	InputTokens        uint64         `json:"input_tokens"`
	OutputTokens       uint64         `json:"output_tokens"`
	TotalTokens        uint64         `json:"total_tokens"`
	InputTokenDetails  *inputDetails  `json:"input_token_details,omitempty"`
	OutputTokenDetails *outputDetails `json:"output_token_details,omitempty"`
}

type inputDetails struct {
	CacheCreation uint64 `json:"cache_creation,omitempty"`
	CacheRead     uint64 `json:"cache_read,omitempty"`
}

type outputDetails struct {
	Reasoning uint64 `json:"reasoning"`
}

// additionalKey is the key of a message's meta that holds what clients call additional_kwargs. The rest of the meta is their
// response_metadata.
const additionalKey = "additional_kwargs"

// Message returns the JSON form of a message.
func Message(m *abi.Message) json.RawMessage {
	common := commonOf(m, string(m.Role))
	switch m.Role {
	case abi.RoleAI:
		return encode(answer{message: common, ToolCalls: callsOf(m), InvalidToolCalls: invalidOf(m), UsageMetadata: usageOf(m.Usage)})
	case abi.RoleTool:
		out := toolAnswer{message: common, ToolCallID: m.ToolCallID, Artifact: m.Artifact, Status: m.Status}
		if out.Status == "" {
			out.Status = "success"
		}
		return encode(out)
	default:
		return encode(common)
	}
}

// Messages returns the JSON forms of messages.
func Messages(all []abi.Message) []json.RawMessage {
	out := make([]json.RawMessage, len(all))
	for i := range all {
		out[i] = Message(&all[i])
	}
	return out
}

func commonOf(m *abi.Message, kind string) message {
	out := message{
		Content: contentOf(m.Content), AdditionalKwargs: json.RawMessage("{}"), ResponseMetadata: m.Meta, Type: kind, Name: text(m.Name), ID: text(m.ID),
	}
	if extra := m.Meta.Get(additionalKey); !extra.IsZero() {
		out.AdditionalKwargs = json.RawMessage(extra.JSON())
		rest := m.Meta.With(nil)
		rest.Delete(additionalKey)
		out.ResponseMetadata = rest
	}
	return out
}

func callsOf(m *abi.Message) []toolCall {
	out := make([]toolCall, len(m.ToolCalls))
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		out[i] = toolCall{Name: call.Name, Args: json.RawMessage(call.Args.JSON()), ID: text(call.ID), Type: "tool_call"}
	}
	return out
}

func invalidOf(m *abi.Message) []invalidToolCall {
	out := make([]invalidToolCall, len(m.InvalidToolCalls))
	for i := range m.InvalidToolCalls {
		call := &m.InvalidToolCalls[i]
		out[i] = invalidToolCall{Name: text(call.Name), Args: &call.Args, ID: text(call.ID), Error: text(call.Error), Type: "invalid_tool_call"}
	}
	return out
}

func usageOf(u *abi.Usage) *usage {
	if u == nil {
		return nil
	}
	out := &usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, TotalTokens: u.TotalTokens}
	if u.CacheCreationTokens > 0 || u.CacheReadTokens > 0 {
		out.InputTokenDetails = &inputDetails{CacheCreation: u.CacheCreationTokens, CacheRead: u.CacheReadTokens}
	}
	if u.ReasoningTokens > 0 {
		out.OutputTokenDetails = &outputDetails{Reasoning: u.ReasoningTokens}
	}
	return out
}

// text returns a text as JSON has it: null without one.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// encode returns the JSON form of a value that has one.
func encode(value any) json.RawMessage {
	out, err := json.Marshal(value)
	if err != nil { // a message that a guest wrote was checked when it came in
		panic("langchain: " + err.Error())
	}
	return out
}
