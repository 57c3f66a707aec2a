package sdktest

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// apply applies the update of a call as the host does. It fails the test if the host would refuse the update.
func (h *Host) apply(c *call) {
	h.t.Helper()
	r := &c.out.Result
	if r.Error != nil {
		return
	}
	if r.JumpTo != "" && !slices.Contains(c.spec.CanJumpTo, r.JumpTo) {
		h.t.Fatalf("sdktest: %s jumps to %q, which its can_jump_to does not list: %v", c.export, r.JumpTo, c.spec.CanJumpTo)
	}
	if r.Overwrite {
		h.Messages = nil
	}
	for _, id := range r.Remove {
		i := h.index(c, id)
		if !slices.ContainsFunc(r.Messages, func(m sdk.Message) bool { return m.ID == id }) {
			h.Messages = slices.Delete(slices.Clone(h.Messages), i, i+1)
		}
	}
	for _, p := range r.Patch {
		i := h.index(c, p.ID())
		changed, err := p.Apply(&h.Messages[i])
		if err != nil {
			h.t.Fatalf("sdktest: %s: %v", c.export, err)
		}
		h.Messages = slices.Clone(h.Messages)
		h.Messages[i] = changed
	}
	for _, m := range r.Messages {
		if i := slices.IndexFunc(h.Messages, func(old sdk.Message) bool { return old.ID == m.ID }); m.ID != "" && i >= 0 {
			h.Messages[i] = m
			continue
		}
		h.Say(m)
	}
	for _, field := range r.State {
		h.set(c, field.Key, field.Value)
	}
}

func (h *Host) index(c *call, id string) int {
	h.t.Helper()
	i := slices.IndexFunc(h.Messages, func(m sdk.Message) bool { return m.ID == id })
	if i < 0 {
		h.t.Fatalf("sdktest: %s changes or removes the message %q, which is not in the history", c.export, id)
	}
	return i
}

// field returns the declaration of a field of the plugin.
func (h *Host) field(name string) *sdk.FieldSpec {
	for i := range h.description.Fields {
		if h.description.Fields[i].Name == name {
			return &h.description.Fields[i]
		}
	}
	return nil
}

func (h *Host) checkField(c *call, name string) {
	h.t.Helper()
	if h.field(name) == nil && !slices.Contains(c.spec.Writes, name) {
		h.t.Fatalf("sdktest: %s writes the field %q, which the Description neither declares nor lists in writes", c.export, name)
	}
}

// set puts a value into a field, through its reducer.
func (h *Host) set(c *call, name string, value sdk.Raw) {
	h.t.Helper()
	h.checkField(c, name)
	reducer := ""
	if spec := h.field(name); spec != nil {
		reducer = spec.Reducer
	}
	was := h.State.Get(name)
	switch {
	case reducer == sdk.ReduceAdd && !was.IsZero():
		value = h.sum(c, name, was, value)
	case reducer == sdk.ReduceAppend && !was.IsZero():
		joined := wire.AppendArrayHeader(nil, was.Len()+value.Len())
		value = append(append(joined, was.Tail()...), value.Tail()...)
	}
	h.State.Set(name, value)
}

func (h *Host) sum(c *call, name string, a, b sdk.Raw) sdk.Raw {
	h.t.Helper()
	x, okX := a.AsInt()
	y, okY := b.AsInt()
	if okX && okY {
		return wire.Int(x + y)
	}
	f, okF := a.AsFloat()
	g, okG := b.AsFloat()
	if !okF || !okG {
		h.t.Fatalf("sdktest: %s: the field %q has the reducer add, and %s is added to %s", c.export, name, b.JSON(), a.JSON())
	}
	return wire.Float(f + g)
}

// responded returns the response after the changes of a hook.
func (h *Host) responded(c *call, change *sdk.ResponseChange) []sdk.Message {
	h.t.Helper()
	if change.Messages == nil {
		return c.replies
	}
	var messages []sdk.Message
	for _, p := range change.Messages {
		i := slices.IndexFunc(c.replies, func(m sdk.Message) bool { return m.ID == p.ID() })
		if p.ID() == "" || i < 0 {
			m, err := p.Message()
			if err != nil {
				h.t.Fatalf("sdktest: %s: %v", c.export, err)
			}
			messages = append(messages, h.named(m))
			continue
		}
		m, err := p.Apply(&c.replies[i])
		if err != nil {
			h.t.Fatalf("sdktest: %s: %v", c.export, err)
		}
		messages = append(messages, m)
	}
	return messages
}

// answered sets the answer to a tool call: the last reply with the changes of the hook.
func (h *Host) answered(c *call, made abi.ToolCall) {
	h.t.Helper()
	if c.out.Error != nil {
		return
	}
	answer := abi.ToolResult(made, "")
	if c.last != nil && c.last.Error == nil {
		answer = c.last.Messages[0]
		answer.Role, answer.ToolCallID = abi.RoleTool, made.ID
		if answer.Name == "" {
			answer.Name = made.Name
		}
	}
	if p := c.out.ToolMessage; p != nil {
		changed, err := p.Apply(&answer)
		if err != nil {
			h.t.Fatalf("sdktest: %s: %v", c.export, err)
		}
		answer = changed
	}
	c.out.Answer = &answer
}
