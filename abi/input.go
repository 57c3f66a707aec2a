package abi

import "github.com/agenthost/agenthost/abi/wire"

//msgp:tag msgpack

// HookInput is the input of every hook and of call_tool. Which optional keys are present depends on the hook and on
// what the plugin's Description says that the hook reads.
type HookInput struct {
	Answers        wire.Map      `msgpack:"answers,omitzero"`          // after a resume: all answers to this hook's interrupts so far, by key
	Call           *ToolCall     `msgpack:"call,omitempty"`            // wrap_tool_call and call_tool
	Context        wire.Map      `msgpack:"context,omitzero"`          // 1.1: the declared keys of the run's context that the caller gave
	IdempotencyKey string        `msgpack:"idempotency_key,omitempty"` // call_tool: names this execution; a repetition after a crash has the same key
	Known          bool          `msgpack:"known,omitempty"`           // wrap_tool_call: whether the host has a tool of that name
	Large          []string      `msgpack:"large,omitempty"`           // declared fields that are too large for state; read them with state.read
	Messages       *View         `msgpack:"messages,omitempty"`        // node hooks, wrap_tool_call: the declared view of the history
	N              uint64        `msgpack:"n"`                         // counts the calls of this hook since the agent was built, from 1
	Now            uint64        `msgpack:"now"`                       // start of the virtual clock, in nanoseconds since 1970-01-01 UTC
	Request        *ModelRequest `msgpack:"request,omitempty"`         // wrap_model_call
	Run            string        `msgpack:"run"`
	Seed           uint64        `msgpack:"seed"` // seed of WASI's random numbers
	State          wire.Map      `msgpack:"state,omitzero"`
	Step           string        `msgpack:"step"`             // the name of the step, as in events
	Thread         string        `msgpack:"thread,omitempty"` // absent in a run without a thread
}

// View is the part of a list of messages that a hook sees.
type View struct {
	From   uint64    `msgpack:"from"`             // index of the first item in the list
	Items  []Message `msgpack:"items"`            // messages in the order of the list
	Patch  []Message `msgpack:"patch,omitempty"`  // view new: older messages that were replaced, in full
	Remove []string  `msgpack:"remove,omitempty"` // view new: ids of older messages that were removed
	Reset  bool      `msgpack:"reset,omitempty"`  // view new: forget earlier messages; items holds all of them
	Total  uint64    `msgpack:"total"`            // length of the list
}

// ModelRequest is the request of a model call as a wrap_model_call hook sees it, after the changes of all outer layers.
type ModelRequest struct {
	Messages   *View    `msgpack:"messages,omitempty"` // without the system prompt
	Model      string   `msgpack:"model"`              // the name of the model
	Settings   wire.Map `msgpack:"settings,omitzero"`  // settings for the provider
	System     Content  `msgpack:"system,omitzero"`
	ToolChoice string   `msgpack:"tool_choice,omitempty"` // "auto", "none", "any" or the name of a tool
	Tools      []string `msgpack:"tools"`                 // the names of the offered tools
}

// ModelResponse is the reply of next in wrap_model_call.
type ModelResponse struct {
	Messages   []Message `msgpack:"messages"` // the last AI message is the answer; the host gave every message an id
	Model      string    `msgpack:"model,omitempty"`
	StopReason string    `msgpack:"stop_reason,omitempty"`
	Structured wire.Raw  `msgpack:"structured,omitzero"` // the structured answer, if one was asked for
}

// ToolReply is the reply of next in wrap_tool_call.
type ToolReply struct {
	ToolMessage Message `msgpack:"tool_message"`
}
