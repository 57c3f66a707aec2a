package main

import (
	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// WrapToolCall answers with the result of an equal call, or keeps the one that comes.
func (p *cache) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	call := c.ToolCall()
	place := p.tool.place(&c.Call, call.Name, p.tool.toolKey(call))
	kept, age, found, usable := place.find()
	if found {
		if answer, ok := readAnswer(kept); ok {
			return answer, place.hit(age), nil
		}
	}
	reply, err := c.Next(nil)
	if err != nil || !usable {
		return nil, nil, nil //nolint:nilerr // what Next came to passes on, an error and a reply that is too large to show too
	}
	m := reply.Message()
	if m.Failed() {
		place.skip("the tool failed")
		return nil, place.miss(), nil
	}
	bare := sdk.Message{Artifact: m.Artifact, Content: m.Content, Meta: m.Meta, Name: m.Name, Role: abi.RoleTool}
	if b, err := bare.MarshalMsg(nil); err == nil {
		place.keep(b)
	}
	return nil, place.miss(), nil
}

// readAnswer makes an answer of one that was kept. The host fills in which call it answers.
func readAnswer(kept sdk.Raw) (*sdk.Patch, bool) {
	var m sdk.Message
	if _, err := m.UnmarshalMsg(kept); err != nil || m.Role != abi.RoleTool || m.ID != "" || m.ToolCallID != "" || m.Failed() {
		return nil, false
	}
	m.Meta.Set("cached", sdk.Bool(true))
	answer, err := abi.PatchOf(&m)
	return &answer, err == nil
}
