//go:build !no_otel

package telemetry

import (
	"encoding/json"

	"go.opentelemetry.io/otel/attribute"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// message is a message in the schema of gen_ai.input.messages and gen_ai.output.messages.
type message struct {
	Role         string `json:"role"`
	Parts        []part `json:"parts"`
	Name         string `json:"name,omitempty"`
	FinishReason string `json:"finish_reason,omitempty"` // of each output message: the schema requires it there
}

// part is a part of a message. Bytes of media are left out.
type part struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  string          `json:"response,omitempty"`
	URI       string          `json:"uri,omitempty"`
	MIMEType  string          `json:"mime_type,omitempty"`
	Modality  string          `json:"modality,omitempty"`
}

// roles are the names of roles in the conventions.
var roles = map[abi.Role]string{abi.RoleHuman: "user", abi.RoleAI: "assistant", abi.RoleTool: "tool", abi.RoleSystem: "system"}

func messageOf(m *abi.Message) message {
	out := message{Role: roles[m.Role], Name: m.Name, Parts: []part{}}
	if m.Role == abi.RoleTool {
		out.Parts = append(out.Parts, part{Type: "tool_call_response", ID: m.ToolCallID, Response: m.Content.Text()})
		return out
	}
	out.Parts = append(out.Parts, partsOf(m.Content)...)
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		out.Parts = append(out.Parts, part{Type: "tool_call", ID: call.ID, Name: call.Name, Arguments: json.RawMessage(call.Args.JSON())})
	}
	return out
}

// answerOf returns a message of a model as output. Without the reason of the provider it has the one that its tool calls suggest: readers such as
// Phoenix drop output without a reason.
func answerOf(m *abi.Message) message {
	out := messageOf(m)
	if out.FinishReason, _ = m.Meta.Get("stop_reason").AsString(); out.FinishReason == "" {
		out.FinishReason = "stop"
		if len(m.ToolCalls) > 0 {
			out.FinishReason = "tool_call"
		}
	}
	return out
}

func partsOf(content abi.Content) []part {
	if content.IsText() {
		if content.Text() == "" {
			return nil
		}
		return []part{{Type: "text", Content: content.Text()}}
	}
	var out []part
	for _, b := range content.Blocks() {
		switch kind := b.Type(); kind {
		case abi.BlockText, abi.BlockReasoning, abi.BlockRefusal:
			out = append(out, part{Type: kind, Content: b.Text()})
		default:
			p := part{Type: kind, MIMEType: b.String("mime_type"), Modality: kind}
			if url := b.String("url"); url != "" {
				p.Type, p.URI = "uri", url
			}
			out = append(out, p)
		}
	}
	return out
}

// text returns the attribute with a value as JSON. An error cannot come: the types are ours.
func text(key string, value any) attribute.KeyValue {
	encoded, _ := json.Marshal(value) //nolint:errchkjson // see above
	return attribute.String(key, string(encoded))
}

func messagesOf(messages []abi.Message) []message {
	out := make([]message, len(messages))
	for i := range messages {
		out[i] = messageOf(&messages[i])
	}
	return out
}

// ofRequest returns what the model is sent.
func ofRequest(r *model.Request, messages []abi.Message) []attribute.KeyValue {
	out := []attribute.KeyValue{text(attrInput, messagesOf(messages))}
	if !r.System.IsZero() {
		out = append(out, text(attrSystem, partsOf(r.System)))
	}
	if len(r.Tools) == 0 {
		return out
	}
	type definition struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
	definitions := make([]definition, len(r.Tools))
	for i := range r.Tools {
		t := &r.Tools[i]
		definitions[i] = definition{Type: "function", Name: t.Name, Description: t.Description}
		if !t.Parameters.IsZero() {
			definitions[i].Parameters = json.RawMessage(t.Parameters.JSON())
		}
	}
	return append(out, text(attrToolDefinitions, definitions))
}

// ofAnswer returns the answer of a model, found by the ids of its messages.
func ofAnswer(messages []abi.Message, ids map[string]bool) ([]attribute.KeyValue, bool) {
	var found []message
	for i := range messages {
		if ids[messages[i].ID] {
			found = append(found, answerOf(&messages[i]))
		}
	}
	if found == nil {
		return nil, false
	}
	return []attribute.KeyValue{text(attrOutput, found)}, true
}

// ofCall returns the arguments and the result of a tool call: the last ones, because the ids of calls are unique only in their message.
func ofCall(messages []abi.Message, call *abi.ToolCall) ([]attribute.KeyValue, bool) {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Role != abi.RoleTool || m.ToolCallID != call.ID {
			continue
		}
		out := []attribute.KeyValue{attribute.String(attrToolResult, m.Content.Text())}
		for j := i - 1; j >= 0; j-- {
			for k := range messages[j].ToolCalls {
				if asked := &messages[j].ToolCalls[k]; asked.ID == call.ID {
					return append(out, attribute.String(attrToolArguments, asked.Args.JSON())), true
				}
			}
		}
		return out, true
	}
	return nil, false
}

// ofRun returns what a run was told and what it answered.
func ofRun(messages []abi.Message) []attribute.KeyValue {
	told, said := []message{}, []message{}
	for i := range messages {
		if m := &messages[i]; m.Role == abi.RoleHuman && len(said) == 0 {
			told = append(told, messageOf(m))
		} else if m.Role == abi.RoleAI && len(m.ToolCalls) == 0 {
			said = []message{answerOf(m)}
		}
	}
	return []attribute.KeyValue{text(attrInput, told), text(attrOutput, said)}
}

// number returns a number of a document.
func number(raw wire.Raw) (float64, bool) {
	var value float64
	if raw.IsZero() || json.Unmarshal([]byte(raw.JSON()), &value) != nil {
		return 0, false
	}
	return value, true
}
