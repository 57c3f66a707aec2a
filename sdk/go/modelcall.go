package sdk

import "github.com/agenthost/agenthost/abi"

// ModelCall is one call of wrap_model_call.
type ModelCall struct{ Call }

// Request is the request as the layers outside of the hook left it.
func (c *ModelCall) Request() *abi.ModelRequest { return c.Input().Request }

// Next lets the inner layers and the model answer; a nil change leaves the request as it is. The error is an [*Error],
// [ErrClosed], or a refusal. Of those [ErrTooBig] says that there is a reply, which cannot be shown: a hook that returns nothing
// then passes it on.
func (c *ModelCall) Next(change *RequestChange) (*ModelReply, error) {
	doc, err := next(&c.Call, change)
	if err != nil {
		return nil, err
	}
	return &ModelReply{document: doc}, nil
}

// ModelReply is what Next of a model call came to.
type ModelReply struct {
	document []byte
	response *ModelResponse // decoded; nil until somebody looks
}

// Response returns the response. It is decoded when a hook first looks: one that only passes it on pays nothing.
func (r *ModelReply) Response() *ModelResponse {
	if r.response == nil {
		r.response = &ModelResponse{}
		_, err := r.response.UnmarshalMsg(r.document)
		understood(err)
	}
	return r.response
}

// Edit makes a change of the reply: all its messages stay, those that a patch names changed by it.
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

// Respond answers in place of the model, or of what it replied: with messages of the role ai, of which the last one is the
// answer. A message with the id of one of the last reply takes its place.
func Respond(messages ...Message) *ResponseChange {
	change := &ResponseChange{Messages: make([]Patch, len(messages))}
	for i := range messages {
		p, err := abi.PatchOf(&messages[i])
		if err != nil {
			panic("sdk.Respond: " + err.Error()) // a message always has a form
		}
		change.Messages[i] = p
	}
	return change
}
