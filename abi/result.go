package abi

import "github.com/agenthost/agenthost/abi/wire"

//msgp:tag msgpack

// Result is what a hook or call_tool writes with result_write.
type Result struct {
	Error       *Error          `msgpack:"error,omitempty"`        // the hook fails with this error; other keys are ignored
	Interrupts  []Interrupt     `msgpack:"interrupts,omitempty"`   // the run waits for answers, then this hook runs again; other keys are ignored
	JumpTo      string          `msgpack:"jump_to,omitempty"`      // node hooks: a declared target, "model", "tools" or "end"
	Messages    []Message       `msgpack:"messages,omitempty"`     // appended to the history, or replacing the message of the same id
	Overwrite   bool            `msgpack:"overwrite,omitempty"`    // messages are the whole history from now on
	Patch       []Patch         `msgpack:"patch,omitempty"`        // changes to messages of the history
	Remove      []string        `msgpack:"remove,omitempty"`       // ids of messages to remove from the history
	Response    *ResponseChange `msgpack:"response,omitempty"`     // wrap_model_call
	State       wire.Map        `msgpack:"state,omitzero"`         // new values of declared fields; their reducers apply
	ToolMessage *Patch          `msgpack:"tool_message,omitempty"` // wrap_tool_call, call_tool: the answer, or a change to the last reply
}

// ResponseChange is the response of wrap_model_call. Its messages are the messages of the response, in order. A
// message with the id of one in the last reply changes that message, and a message without an id is new. Messages of
// the reply that are not listed are dropped. If there are no messages, those of the last reply stay.
type ResponseChange struct {
	Messages   []Patch  `msgpack:"messages,omitempty"`
	Model      string   `msgpack:"model,omitempty"`
	StopReason string   `msgpack:"stop_reason,omitempty"`
	Structured wire.Raw `msgpack:"structured,omitzero"`
}

// Interrupt asks the outside world a question.
type Interrupt struct {
	Key   string   `msgpack:"key"` // unique within the execution of the hook; the answer has the same key
	Value wire.Raw `msgpack:"value"`
}

// Error is an ordinary error of a hook, a tool, next or an operation. Unlike a fault, it is part of the
// protocol: the call may be retried, the error may be turned into an answer, and the instance survives.
type Error struct {
	Data      wire.Raw `msgpack:"data,omitzero"`
	Message   string   `msgpack:"message"`
	Retryable bool     `msgpack:"retryable,omitempty"` // trying again may help
	Type      string   `msgpack:"type"`
}

func (e *Error) Error() string {
	if e.Type == "" {
		return e.Message
	}
	return e.Type + ": " + e.Message
}
