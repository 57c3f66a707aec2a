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
	OpKVGet         = "kv.get"
	OpKVPut         = "kv.put"
	OpKVDelete      = "kv.delete"
	OpKVList        = "kv.list"
	OpHTTPFetch     = "http.fetch"
	OpModelGenerate = "model.generate"
	OpToolCall      = "tool.call"
	OpClockNow      = "clock.now"
	OpRandomBytes   = "random.bytes"
)

// StateQuery asks for messages of the history, or for fields that the hook declared in reads.
type StateQuery struct {
	Count  uint64   `msgpack:"count,omitempty"`  // how many messages at the most
	Fields []string `msgpack:"fields,omitempty"` // then from and count do not count
	From   uint64   `msgpack:"from,omitempty"`   // index of the first message
}

// StateReply answers a StateQuery: items for messages, else state, in which unset fields are absent.
type StateReply struct {
	Items []Message `msgpack:"items,omitempty"`
	State wire.Map  `msgpack:"state,omitzero"`
}

// EventEmit puts an event into the run's stream.
type EventEmit struct {
	Data wire.Raw `msgpack:"data,omitzero"`
	Name string   `msgpack:"name"`
}

// Budget tells what this call of a hook may still use.
type Budget struct {
	HostCalls uint64 `msgpack:"host_calls"` // calls of host_call
	Next      uint64 `msgpack:"next"`       // calls of next
}
