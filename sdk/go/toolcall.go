package sdk

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// ToolCall is one call of wrap_tool_call, or of a tool of the plugin.
type ToolCall struct{ Call }

// ToolCall returns the model's call.
func (c *ToolCall) ToolCall() *abi.ToolCall { return c.Input().Call }

// Args returns the call's arguments.
func (c *ToolCall) Args() Map {
	var args wire.Map
	_, _ = args.UnmarshalMsg(c.Input().Call.Args) // the host validated it
	return args
}

// Known reports whether the host has a tool of the call's name.
func (c *ToolCall) Known() bool { return c.Input().Known }

// Next lets the inner layers and the tool perform the call; a nil change leaves it as it is. The error is an [*Error],
// [ErrClosed], or a refusal, as that of a model call. It is for wrap_tool_call only.
func (c *ToolCall) Next(change *CallChange) (*ToolReply, error) {
	doc, err := next(&c.Call, change)
	if err != nil {
		return nil, err
	}
	return &ToolReply{document: doc}, nil
}

// ToolReply is what Next of a tool call came to.
type ToolReply struct {
	document []byte
	reply    *abi.ToolReply // decoded; nil until somebody looks
}

// Message returns the tool message that answers the call. It is decoded when a hook first looks.
func (r *ToolReply) Message() *Message {
	if r.reply == nil {
		r.reply = &abi.ToolReply{}
		_, err := r.reply.UnmarshalMsg(r.document)
		understood(err)
	}
	return &r.reply.ToolMessage
}

// Answer is the answer to a tool call, or changes that of the last reply: it says this text.
func Answer(text string) *Patch { return AnswerContent(Text(text)) }

// AnswerContent is Answer for what is not one text.
func AnswerContent(content Content) *Patch {
	p := Patch{}.SetContent(content)
	return &p
}

// Failure is the answer to a tool call that failed, or was not made: it says this text, with status error.
func Failure(text string) *Patch {
	p := Answer(text).Set("status", String(abi.StatusError))
	return &p
}
