package sdk

import "github.com/agenthost/agenthost/abi"

// ModelCall is one call of wrap_model_call.
type ModelCall struct {
	Call

	last  *ModelReply // of the last Next
	spare *ModelReply // of an earlier call whose hook did not look at it, so nobody may look at it any more
}

// end ends the call, and makes room for the next one.
func (c *ModelCall) end() {
	spare := c.last
	if spare == nil || c.unread != &spare.document {
		spare = c.spare
	}
	*c = ModelCall{spare: spare}
}

// Request returns the request with the changes of all outer layers.
func (c *ModelCall) Request() *abi.ModelRequest { return c.Input().Request }

// Messages returns the messages of the request that the hook declared in its spec, without the system prompt, or none if it declared none.
func (c *ModelCall) Messages() []Message {
	if view := c.Request().Messages; view != nil {
		return view.Items
	}
	return nil
}

// Model returns the name of the request's model.
func (c *ModelCall) Model() string { return c.Request().Model }

// System returns the system prompt; it is empty if there is none.
func (c *ModelCall) System() Content { return c.Request().System }

// Tools returns the names of the tools that the request offers; see [ModelCall.ToolSpecs].
func (c *ModelCall) Tools() []string { return c.Request().Tools }

// Next calls the inner layers and the model; a nil change leaves the request unchanged. The error is an [*Error], [ErrClosed],
// or a refusal. The refusal [ErrTooBig] means that there is a reply, but it is too large for the hook to see. A hook that then
// returns nothing passes the reply on.
func (c *ModelCall) Next(change *RequestChange) (*ModelReply, error) {
	r := c.spare
	if r == nil {
		r = &ModelReply{}
	}
	if err := next(&c.Call, change, &r.document); err != nil {
		return nil, err
	}
	c.last, c.spare = r, nil
	return r, nil
}

// ModelReply is the reply of Next in a model call. When the hook returns without having looked at it, nobody may look at it any more.
type ModelReply struct {
	document nextReply
	response *ModelResponse // decoded; nil until the hook first looks
}

// Response returns the response. It is decoded when a hook first looks at it, so a hook that only passes it on pays
// nothing.
func (r *ModelReply) Response() *ModelResponse {
	if r.response == nil {
		r.response = &ModelResponse{}
		_, err := r.response.UnmarshalMsg(r.document.raw())
		understood(err)
	}
	return r.response
}

// Answer returns the answer, which is the last message of the model; nil if there is none.
func (r *ModelReply) Answer() *Message {
	messages := r.Response().Messages
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == abi.RoleAI {
			return &messages[i]
		}
	}
	return nil
}

// Text returns the text of the answer; "" if there is none.
func (r *ModelReply) Text() string {
	if answer := r.Answer(); answer != nil {
		return answer.Content.Text()
	}
	return ""
}

// Usage returns the tokens of the reply's model calls together.
func (r *ModelReply) Usage() (sum abi.Usage) {
	for i := range r.Response().Messages {
		if usage := r.Response().Messages[i].Usage; usage != nil {
			sum = sum.Add(*usage)
		}
	}
	return sum
}

// Edit changes the reply. All its messages stay, and each patch changes the message that it names.
func (r *ModelReply) Edit(patches ...Patch) *ResponseChange {
	change := &ResponseChange{}
	for i := range r.Response().Messages {
		edited := NewPatch(r.Response().Messages[i].ID)
		for _, p := range patches {
			if p.ID() != edited.ID() {
				continue
			}
			for _, key := range p.Keys() {
				edited = edited.Set(key.Key, key.Value)
			}
		}
		change.Messages = append(change.Messages, edited)
	}
	return change
}

// Respond answers instead of the model, or replaces the model's reply. The messages have the role ai, and the last one is
// the answer. A message with the id of one in the last reply replaces that message.
func Respond(messages ...Message) *ResponseChange {
	change := &ResponseChange{Messages: make([]Patch, len(messages))}
	for i := range messages {
		p, err := abi.PatchOf(&messages[i])
		if err != nil {
			panic("sdk.Respond: " + err.Error()) // a message can always be encoded
		}
		change.Messages[i] = p
	}
	return change
}
