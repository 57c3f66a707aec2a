package sdk

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// ToolCall is one call of wrap_tool_call, or of a tool of the plugin.
type ToolCall struct {
	Call

	last  *ToolReply // of the last Next
	spare *ToolReply // of an earlier call whose hook did not look at it, so nobody may look at it any more
}

// end ends the call, and makes room for the next one.
func (c *ToolCall) end() {
	spare := c.last
	if spare == nil || c.unread != &spare.document {
		spare = c.spare
	}
	*c = ToolCall{spare: spare}
}

// ToolCall returns the model's call.
func (c *ToolCall) ToolCall() *abi.ToolCall { return c.Input().Call }

// ID returns the id of the call.
func (c *ToolCall) ID() string { return c.Input().Call.ID }

// Name returns the name of the tool.
func (c *ToolCall) Name() string { return c.Input().Call.Name }

// Arg returns an argument of the call; a nil Raw if there is none of that name.
func (c *ToolCall) Arg(name string) Raw { return c.Input().Call.Args.Get(name) }

// Args returns the call's arguments.
func (c *ToolCall) Args() Map {
	var args wire.Map
	_, _ = args.UnmarshalMsg(c.Input().Call.Args) // the host validated the arguments
	return args
}

// Known reports whether the host has a tool of the call's name.
func (c *ToolCall) Known() bool { return c.Input().Known }

// Next calls the inner layers and the tool; a nil change leaves the call unchanged. The error is an [*Error],
// [ErrClosed], or a refusal, as in a model call. Only wrap_tool_call may call Next.
func (c *ToolCall) Next(change *CallChange) (*ToolReply, error) {
	r := c.spare
	if r == nil {
		r = &ToolReply{}
	}
	if err := next(&c.Call, change, &r.document); err != nil {
		return nil, err
	}
	c.last, c.spare = r, nil
	return r, nil
}

// ToolReply is the reply of Next in a tool call. When the hook returns without having looked at it, nobody may look at it any more.
type ToolReply struct {
	document nextReply
	reply    *abi.ToolReply // decoded; nil until the hook first looks
}

// Message returns the tool message that answers the call. It is decoded when a hook first looks at it.
func (r *ToolReply) Message() *Message {
	if r.reply == nil {
		r.reply = &abi.ToolReply{}
		_, err := r.reply.UnmarshalMsg(r.document.raw())
		understood(err)
	}
	return &r.reply.ToolMessage
}

// Text returns the text of that message.
func (r *ToolReply) Text() string { return r.Message().Content.Text() }

// Failed reports whether that message says that the tool failed.
func (r *ToolReply) Failed() bool { return r.Message().Failed() }

// Answer answers a tool call with this text, or replaces the text of the last reply.
func Answer(text string) *Patch { return AnswerContent(Text(text)) }

// AnswerContent is Answer for content that is not a single text.
func AnswerContent(content Content) *Patch {
	p := Patch{}.SetContent(content)
	return &p
}

// Failure answers a tool call that failed, or was not made, with this text and the status error.
func Failure(text string) *Patch {
	p := Answer(text).Set("status", String(abi.StatusError))
	return &p
}
