package host

import (
	"bytes"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// EventRequest is a request to a model as events show it: what a hook changed in it, or for the step of the model all that the agent asks for
// by itself, apart from the messages, which are those of the state.
type EventRequest struct {
	Model      string          `json:"model,omitempty"`      // name of the model
	System     *abi.Content    `json:"system,omitempty"`     // the whole system prompt
	Tools      []OfferedTool   `json:"tools,omitempty"`      // those that are new, or other than before
	ToolNames  []string        `json:"tool_names,omitzero"`  // the names of all tools that are offered, in their order
	ToolChoice *string         `json:"tool_choice,omitzero"` // see [model.Request]
	Settings   wire.Map        `json:"settings,omitempty"`   // all settings
	Messages   []EventMessages `json:"messages,omitzero"`    // all messages
}

// EventMessages is a part of the messages of a request: those from one place to another of the request before, or a message that was not there.
type EventMessages struct {
	From    int          `json:"from"`
	To      int          `json:"to"` // the place after the last one
	Message *abi.Message `json:"message,omitempty"`
}

// OfferedTool is the definition of a tool that a model is offered.
type OfferedTool struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Parameters  wire.Raw `json:"parameters,omitempty"` // JSON Schema
}

// isZero reports whether nothing changed.
func (e *EventRequest) isZero() bool {
	return e.Model == "" && e.System == nil && e.ToolNames == nil && e.ToolChoice == nil && e.Settings == nil && e.Messages == nil
}

// tellsRequests reports whether the run tells what its models are sent.
func (r *run) tellsRequests() bool { return r.sink != nil && r.input.Requests }

// tellRequest tells what the agent asks for by itself, once.
func (r *run) tellRequest(req *model.Request) {
	if !r.tellsRequests() || r.sink.asked {
		return
	}
	r.sink.asked = true
	asks := requestChange(&model.Request{Messages: req.Messages}, req)
	r.events().send(&Event{Type: EventModelRequest, Step: ModelStep, Request: asks})
}

// passed tells what a hook made of a request that it passes on.
func (c *modelCall) passed(hook string, before, after *model.Request) {
	if before == after || after == nil || !c.run.tellsRequests() {
		return
	}
	if change := requestChange(before, after); !change.isZero() {
		c.run.events().send(&Event{Type: EventModelRequest, Step: hook, Request: change})
	}
}

// passed does nothing: the event of a tool call has the call as it ran.
func (*toolCall) passed(string, *ToolRequest, *ToolRequest) {}

// requestChange returns what differs between two requests.
func requestChange(before, after *model.Request) *EventRequest {
	out := &EventRequest{}
	if name := nameOf(after.Model); name != nameOf(before.Model) {
		out.Model = name
	}
	if !sameContent(before.System, after.System) {
		out.System = &after.System
	}
	out.Tools, out.ToolNames = toolChange(before.Tools, after.Tools)
	if before.ToolChoice != after.ToolChoice {
		out.ToolChoice = &after.ToolChoice
	}
	if !before.Settings.Raw().Equal(after.Settings.Raw()) {
		out.Settings = after.Settings
	}
	out.Messages = messageChange(before.Messages, after.Messages)
	return out
}

func nameOf(m model.Model) string {
	if m == nil {
		return ""
	}
	return m.Info().Name
}

func sameContent(a, b abi.Content) bool {
	if a.IsText() && b.IsText() {
		return a.Text() == b.Text()
	}
	x, errX := a.MarshalMsg(nil)
	y, errY := b.MarshalMsg(nil)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// toolChange returns the tools that are new or other than before, and the names of all if anything changed.
func toolChange(before, after []abi.ToolSpec) (changed []OfferedTool, names []string) {
	known := make(map[string]*abi.ToolSpec, len(before))
	for i := range before {
		known[before[i].Name] = &before[i]
	}
	names = make([]string, 0, len(after))
	for i := range after {
		t := &after[i]
		names = append(names, t.Name)
		was := known[t.Name]
		if was == nil || was.Description != t.Description || !was.Parameters.Equal(t.Parameters) {
			changed = append(changed, OfferedTool{t.Name, t.Description, t.Parameters})
		}
	}
	same := func(a abi.ToolSpec, b string) bool { return a.Name == b }
	if changed == nil && slices.EqualFunc(before, names, same) {
		return nil, nil
	}
	return changed, names
}

// messageChange returns the messages of a request by those of the one before; nil if they are the same.
func messageChange(before, after history.List) []EventMessages {
	places := make(map[*history.Entry]int, before.Len())
	for i := range before.Len() {
		places[before.Entry(i)] = i
	}
	out := []EventMessages{}
	for i := range after.Len() {
		entry := after.Entry(i)
		at, known := places[entry]
		switch last := len(out) - 1; {
		case !known:
			out = append(out, EventMessages{Message: entry.Message()})
		case last >= 0 && out[last].Message == nil && out[last].To == at:
			out[last].To++
		default:
			out = append(out, EventMessages{From: at, To: at + 1})
		}
	}
	if len(out) == 1 && out[0] == (EventMessages{To: before.Len()}) || len(out) == 0 && before.Len() == 0 {
		return nil
	}
	return out
}
