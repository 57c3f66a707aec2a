package abi

import "github.com/agenthost/agenthost/abi/wire"

//msgp:tag msgpack

// The operations of host_call that need no grant.
const (
	OpStateRead = "state.read" // StateQuery → StateReply
	OpEventEmit = "event.emit" // EventEmit → nothing
	OpBudget    = "budget"     // nothing → Budget
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
