package abi

import "github.com/agenthost/agenthost/abi/wire"

//msgp:tag msgpack

// The operations of host_call that need no grant.
const (
	OpStateRead = "state.read" // StateQuery → StateReply
	OpEventEmit = "event.emit" // EventEmit → nothing
	OpBudget    = "budget"     // nothing → Budget

	OpRunInfo     = "run.info"     // 1.1: nothing → RunInfo
	OpModelInfo   = "model.info"   // 1.1: ModelQuery → ModelInfo
	OpToolsRead   = "tools.read"   // 1.1: nothing → ToolList
	OpTokensCount = "tokens.count" // 1.1: TokenQuery → TokenCount
	OpBatch       = "batch"        // 1.1: Batch → BatchReplies
)

// The operations that are capabilities.
const (
	OpKVGet         = "kv.get"         // KVGet → KVEntry
	OpKVPut         = "kv.put"         // KVPut → KVVersion
	OpKVDelete      = "kv.delete"      // KVDelete → nothing
	OpKVList        = "kv.list"        // KVList → KVPage
	OpHTTPFetch     = "http.fetch"     // FetchRequest → FetchResponse
	OpModelGenerate = "model.generate" // GenerateRequest → ModelResponse
	OpToolCall      = "tool.call"      // ToolRequest → ToolReply
	OpClockNow      = "clock.now"      // nothing → Clock
	OpRandomBytes   = "random.bytes"   // RandomRequest → RandomBytes
	OpClockSleep    = "clock.sleep"    // 1.1: SleepRequest → nothing
)

// StateQuery asks for messages of the history, or for fields that the hook declared in reads.
type StateQuery struct {
	Count  uint64   `msgpack:"count,omitempty"`  // maximum number of messages
	Fields []string `msgpack:"fields,omitempty"` // if present, from and count are ignored
	From   uint64   `msgpack:"from,omitempty"`   // index of the first message
}

// StateReply answers a StateQuery: with items for messages, or with state for fields. Unset fields are absent from
// state.
type StateReply struct {
	Items []Message `msgpack:"items,omitempty"`
	State wire.Map  `msgpack:"state,omitzero"`
}

// EventEmit puts an event into the run's stream.
type EventEmit struct {
	Data wire.Raw `msgpack:"data,omitzero"`
	Name string   `msgpack:"name"`
}

// Budget says how much this call of a hook may still use.
type Budget struct {
	HostCalls uint64 `msgpack:"host_calls"` // calls of host_call
	Next      uint64 `msgpack:"next"`       // calls of next
}

// GenerateRequest is a model call of model.generate. No tools are offered, and no hooks run around it.
type GenerateRequest struct {
	Messages []Message `msgpack:"messages"`
	Model    string    `msgpack:"model,omitempty"`   // the name of the granted model; may be absent
	Settings wire.Map  `msgpack:"settings,omitzero"` // settings for the provider, by the provider's own names
	System   Content   `msgpack:"system,omitzero"`   // the system prompt
}

// ToolRequest is a tool call by tool.call. The host gives the call an id.
type ToolRequest struct {
	Args wire.Raw `msgpack:"args"` // a map
	Name string   `msgpack:"name"`
}

// Clock is the real time, as opposed to the virtual clock of a guest.
type Clock struct {
	UnixNS uint64 `msgpack:"unix_ns"` // nanoseconds since 1970-01-01 UTC
}

// MaxRandomBytes is the largest number of bytes that one call of random.bytes returns.
const MaxRandomBytes = 64 << 10

// RandomRequest asks for unpredictable random bytes.
type RandomRequest struct {
	Count uint64 `msgpack:"count"` // at most [MaxRandomBytes]
}

// RandomBytes answers a RandomRequest.
type RandomBytes struct {
	Bytes []byte `msgpack:"bytes"`
}

// RunInfo says which run a hook or tool belongs to, and what it has used.
type RunInfo struct {
	Agent  string `msgpack:"agent,omitempty"`  // the name of the agent
	Parent string `msgpack:"parent,omitempty"` // id of the run whose tool or hook started this run; absent: none
	Usage  Usage  `msgpack:"usage"`            // of all model calls of the run so far, those of model.generate included
}

// ModelQuery asks about a model.
type ModelQuery struct {
	Model string `msgpack:"model,omitempty"` // the name of a configured model; absent: in wrap_model_call the request's model, elsewhere the agent's
}

// ModelInfo is what the host knows about a model. The names of the keys are those of LangChain's model profiles; a key is absent if
// nobody knows.
type ModelInfo struct {
	AudioInputs      *bool  `msgpack:"audio_inputs,omitempty"`
	ImageInputs      *bool  `msgpack:"image_inputs,omitempty"`
	ImageToolMessage *bool  `msgpack:"image_tool_message,omitempty"` // the model accepts images in tool messages
	MaxInputTokens   uint64 `msgpack:"max_input_tokens,omitempty"`
	MaxOutputTokens  uint64 `msgpack:"max_output_tokens,omitempty"`
	Name             string `msgpack:"name"` // the provider's name for the model
	PDFInputs        *bool  `msgpack:"pdf_inputs,omitempty"`
	PDFToolMessage   *bool  `msgpack:"pdf_tool_message,omitempty"`
	Provider         string `msgpack:"provider,omitempty"`          // such as "openai"
	ReasoningOutput  bool   `msgpack:"reasoning_output,omitempty"`  // the model reasons before it answers
	StructuredOutput bool   `msgpack:"structured_output,omitempty"` // the provider enforces a JSON Schema
	VideoInputs      *bool  `msgpack:"video_inputs,omitempty"`
}

// ToolList holds the tools that a model request offers, with descriptions and parameters.
type ToolList struct {
	Tools []ToolSpec `msgpack:"tools"`
}

// TokenQuery asks how many tokens messages have.
type TokenQuery struct {
	Messages []Message `msgpack:"messages"`
	Model    string    `msgpack:"model,omitempty"` // see [ModelQuery]
}

// TokenCount answers a TokenQuery.
type TokenCount struct {
	Tokens uint64 `msgpack:"tokens"`
}

// MaxBatch is the largest number of calls in a batch.
const MaxBatch = 32

// Batch asks for several operations at once. Each counts as a host_call, and needs the grant that it needs alone.
type Batch struct {
	Calls []BatchCall `msgpack:"calls"` // at most [MaxBatch]
}

// BatchCall is an operation of a batch: http.fetch or model.generate.
type BatchCall struct {
	Op      string   `msgpack:"op"`
	Payload wire.Raw `msgpack:"payload,omitzero"`
}

// BatchReplies answers a Batch.
type BatchReplies struct {
	Replies []BatchReply `msgpack:"replies"` // in the order of the calls
}

// BatchReply is how one operation of a batch ended.
type BatchReply struct {
	Reply  wire.Raw `msgpack:"reply,omitzero"`
	Status Status   `msgpack:"status"`
}

// SleepRequest asks to wait.
type SleepRequest struct {
	DurationMS uint64 `msgpack:"duration_ms"`
}
