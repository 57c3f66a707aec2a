package main

import (
	"strconv"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sha256"
)

// WrapModelCall answers with a reply to an equal request, or keeps the one that comes.
func (p *cache) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	key, err := p.model.modelKey(c.Request())
	if err != nil {
		return nil, nil, err
	}
	place := p.model.place(&c.Call, c.Request().Model, key)
	kept, age, found, usable := place.find()
	if found {
		if response, ok := readResponse(kept); ok {
			return again(response, newIDs(c.Input(), key)), place.hit(age), nil
		}
	}
	reply, err := c.Next(nil)
	if err != nil || !usable {
		return nil, nil, nil //nolint:nilerr // what Next came to passes on, an error and a reply that is too large to show too
	}
	if reason := unfit(reply.Response()); reason != "" {
		place.skip(reason)
	} else if bare, err := withoutIDs(reply.Response()).MarshalMsg(nil); err == nil {
		place.keep(bare)
	}
	return nil, place.miss(), nil
}

// unfit says why a response is not kept; "" if it is.
func unfit(r *abi.ModelResponse) string {
	switch r.StopReason { // as OpenAI, Anthropic and Google say it
	case "length", "max_tokens", "MAX_TOKENS", "content_filter", "SAFETY", "pause_turn":
		return "the reply is not whole"
	}
	empty := true
	for i := range r.Messages {
		m := &r.Messages[i]
		switch {
		case m.Role != abi.RoleAI && m.Role != abi.RoleTool:
			return "the reply has a message of another role than ai and tool"
		case len(m.InvalidToolCalls) > 0:
			return "the reply has a malformed tool call"
		case m.Role == abi.RoleAI:
			empty = m.Content.IsZero() && len(m.ToolCalls) == 0
		}
		for _, call := range m.ToolCalls {
			if mentions(m.Content, call.ID) {
				return "the reply's content refers to the id of a tool call"
			}
		}
	}
	if empty && r.Structured.IsZero() {
		return "the reply is empty"
	}
	return ""
}

// mentions reports whether a block of the content, which a provider may want back as it is, has an id as a value: the call
// could not be given another one.
func mentions(content sdk.Content, id string) bool {
	if content.IsText() {
		return false
	}
	for _, block := range content.Blocks() {
		if block.Type() != abi.BlockText && holds(block.Fields().Raw(), id) {
			return true
		}
	}
	return false
}

func holds(value sdk.Raw, text string) bool {
	if s, ok := value.AsString(); ok {
		return s == text
	}
	for item := range value.Elements() {
		if holds(item, text) {
			return true
		}
	}
	for _, item := range value.Pairs() {
		if holds(item, text) {
			return true
		}
	}
	return false
}

// withoutIDs returns what is kept of a response: nothing that belongs to this one call alone.
func withoutIDs(r *abi.ModelResponse) *abi.ModelResponse {
	bare := *r
	bare.Messages = append([]sdk.Message(nil), r.Messages...)
	for i := range bare.Messages {
		bare.Messages[i].ID, bare.Messages[i].Usage = "", nil
	}
	return &bare
}

// readResponse decodes a response that was kept. One that would not be kept now is not taken.
func readResponse(kept sdk.Raw) (*abi.ModelResponse, bool) {
	r := &abi.ModelResponse{}
	_, err := r.UnmarshalMsg(kept)
	return r, err == nil && unfit(r) == ""
}

// again makes a response of one that was kept. Its tool calls get new ids, which no other call in the history has.
func again(r *abi.ModelResponse, id func(n int) string) *sdk.ResponseChange {
	var was, is []string
	for i := range r.Messages {
		m := &r.Messages[i]
		m.Meta.Set("cached", sdk.Bool(true))
		for j := range m.ToolCalls {
			was, is = append(was, m.ToolCalls[j].ID), append(is, id(len(is)))
			m.ToolCalls[j].ID = is[len(is)-1]
		}
		for j := len(was) - 1; j >= 0 && m.ToolCallID != ""; j-- {
			if was[j] == m.ToolCallID { // the provider answered the call itself
				m.ToolCallID = is[j]
				break
			}
		}
	}
	change := sdk.Respond(r.Messages...)
	change.Model, change.StopReason, change.Structured = r.Model, r.StopReason, r.Structured
	return change
}

// newIDs makes ids of tool calls that follow from the call of the hook, and so are different in each. Nine letters and digits
// are what all providers take.
func newIDs(in *abi.HookInput, key string) func(n int) string {
	return func(n int) string {
		hash := sha256.New()
		hash.Write([]byte(key + " " + in.Run + " " + strconv.FormatUint(in.Seed, 10) + " " + decimal(n)))
		sum := hash.Sum()
		id := make([]byte, 9)
		for i := range id {
			id[i] = "0123456789abcdefghijklmnopqrstuv"[sum[i]&31]
		}
		return string(id)
	}
}

func decimal(n int) string { return strconv.Itoa(n) }
