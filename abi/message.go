package abi

import "github.com/agenthost/agenthost/abi/wire"

//msgp:tag msgpack

// Role says who a message is from.
type Role string

// The roles.
const (
	RoleHuman  Role = "human"
	RoleAI     Role = "ai"
	RoleTool   Role = "tool"
	RoleSystem Role = "system"
)

// The status of a tool message. An absent status means success.
const (
	StatusSuccess = "success"
	StatusError   = "error"
)

// Message is one entry of the history.
type Message struct {
	Artifact         wire.Raw          `msgpack:"artifact,omitzero"` // in a tool message: data for the program, which the model never sees
	Content          Content           `msgpack:"content,omitzero"`
	ID               string            `msgpack:"id,omitempty"`                 // assigned by the host if the message has none
	InvalidToolCalls []InvalidToolCall `msgpack:"invalid_tool_calls,omitempty"` // in an AI message: calls whose arguments could not be parsed
	Meta             wire.Map          `msgpack:"meta,omitzero"`                // data from providers and programs; never sent to a model
	Name             string            `msgpack:"name,omitempty"`               // name of the agent, or of the tool that answered
	Role             Role              `msgpack:"role"`
	Status           string            `msgpack:"status,omitempty"`       // in a tool message: "success" (or absent) or "error"
	ToolCallID       string            `msgpack:"tool_call_id,omitempty"` // in a tool message: the id of the call that it answers
	ToolCalls        []ToolCall        `msgpack:"tool_calls,omitempty"`   // in an AI message: the tools to call
	Usage            *Usage            `msgpack:"usage,omitempty"`        // in an AI message: the tokens of its model call
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	Args wire.Raw `msgpack:"args"` // a map
	ID   string   `msgpack:"id"`   // unique within its message
	Name string   `msgpack:"name"`
}

// InvalidToolCall is a tool call whose arguments are not a JSON object.
type InvalidToolCall struct {
	Args  string `msgpack:"args"`            // the text that the model wrote
	Error string `msgpack:"error,omitempty"` // why it could not be parsed
	ID    string `msgpack:"id"`
	Name  string `msgpack:"name"`
}

// Usage counts the tokens of one model call.
type Usage struct {
	CacheCreationTokens uint64 `msgpack:"cache_creation_tokens,omitempty"` // input tokens that were written to the provider's cache
	CacheReadTokens     uint64 `msgpack:"cache_read_tokens,omitempty"`     // input tokens that were read from the provider's cache
	InputTokens         uint64 `msgpack:"input_tokens"`
	OutputTokens        uint64 `msgpack:"output_tokens"`
	ReasoningTokens     uint64 `msgpack:"reasoning_tokens,omitempty"` // output tokens that were spent on reasoning
	TotalTokens         uint64 `msgpack:"total_tokens"`
}

// Add returns the sum of two counts.
func (u Usage) Add(other Usage) Usage {
	u.CacheCreationTokens += other.CacheCreationTokens
	u.CacheReadTokens += other.CacheReadTokens
	u.InputTokens += other.InputTokens
	u.OutputTokens += other.OutputTokens
	u.ReasoningTokens += other.ReasoningTokens
	u.TotalTokens += other.TotalTokens
	return u
}
