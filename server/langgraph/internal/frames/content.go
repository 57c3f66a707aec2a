package frames

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/internal/langchain"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// Content is the state of a thread as clients see it. It never changes: each change makes another one, which shares what is the same.
type Content struct {
	form     Form
	messages []entry
	fields   map[string]json.RawMessage
}

// Form is the JSON form that messages have in a [Content]; nil is [langchain.Message].
type Form func(m *abi.Message) json.RawMessage

// all returns messages in the form.
func (f Form) all(messages []abi.Message) []json.RawMessage {
	if f == nil {
		return langchain.Messages(messages)
	}
	out := make([]json.RawMessage, len(messages))
	for i := range messages {
		out[i] = f(&messages[i])
	}
	return out
}

type entry struct {
	id   string
	text json.RawMessage
}

// ContentOf returns the content of a snapshot, without the fields that are hidden; nil is the empty content.
func ContentOf(s *host.Snapshot, hidden func(field string) bool) Content {
	return ContentIn(langchain.Message, s, hidden)
}

// ContentIn is ContentOf with another form of messages.
func ContentIn(form Form, s *host.Snapshot, hidden func(field string) bool) Content {
	c := Content{form: form, fields: map[string]json.RawMessage{}}
	if s == nil {
		return c
	}
	for i := range s.Messages.Len() {
		m := s.Messages.Entry(i).Message()
		c.messages = append(c.messages, entry{m.ID, form(m)})
	}
	return c.set(s.State, nil, hidden)
}

// MarshalJSON returns the content as LangGraph's values: the messages and the fields.
func (c Content) MarshalJSON() ([]byte, error) { return json.Marshal(c.With("", nil)) }

// JSONSchema returns the schema of the values.
func (Content) JSONSchema() openapi.Schema {
	return openapi.Schema{
		"type": "object", "description": "Messages and fields of the agent.", "required": []string{"messages"},
		"properties": openapi.Schema{"messages": openapi.Schema{"type": "array", "items": langchain.MessageSchema()}},
	}
}

// With returns the values with a further member.
func (c Content) With(key string, value any) map[string]any {
	out := make(map[string]any, len(c.fields)+2)
	for name, text := range c.fields {
		out[name] = text
	}
	messages := make([]json.RawMessage, len(c.messages))
	for i := range c.messages {
		messages[i] = c.messages[i].text
	}
	out["messages"] = messages
	if key != "" {
		out[key] = value
	}
	return out
}

// calls returns the tool calls of the last message that has some; nil if there is none.
func (c Content) calls() json.RawMessage {
	for _, m := range slices.Backward(c.messages) {
		var answer struct {
			ToolCalls json.RawMessage `json:"tool_calls"`
		}
		if json.Unmarshal(m.text, &answer) == nil && len(answer.ToolCalls) > len("[]") {
			return answer.ToolCalls
		}
	}
	return nil
}

// update is an event of the type state, with its messages as clients see them.
type update struct {
	*host.Event

	patched, added []json.RawMessage
}

func updateOf(e *host.Event, form Form) *update {
	return &update{Event: e, patched: form.all(e.Patch), added: form.all(e.Messages)}
}

// Apply returns the content after an event of the type state.
func (c Content) Apply(e *host.Event, hidden func(field string) bool) Content {
	return c.apply(updateOf(e, c.form), hidden)
}

// Changes returns what an event of the type state changed, as LangGraph shows the update of a step.
func Changes(e *host.Event, form Form, hidden func(field string) bool) map[string]any {
	return updateOf(e, form).result(hidden)
}

// apply returns the content after an update.
func (c Content) apply(u *update, hidden func(string) bool) Content {
	messages := c.messages
	if u.Reset {
		messages = nil
	}
	if len(u.Remove) > 0 {
		messages = slices.DeleteFunc(slices.Clone(messages), func(m entry) bool { return slices.Contains(u.Remove, m.id) })
	}
	if len(u.Patch) > 0 {
		messages = slices.Clone(messages)
		for i, text := range u.patched {
			at := slices.IndexFunc(messages, func(m entry) bool { return m.id == u.Patch[i].ID })
			if at >= 0 {
				messages[at].text = text
			}
		}
	}
	messages = slices.Clip(messages) // another branch of the same content may grow too
	for i, text := range u.added {
		messages = append(messages, entry{u.Messages[i].ID, text})
	}
	return Content{c.form, messages, c.fields}.set(u.State, u.Unset, hidden)
}

// set returns the content with other fields.
func (c Content) set(values wire.Map, unset []string, hidden func(string) bool) Content {
	if len(values) == 0 && len(unset) == 0 {
		return c
	}
	fields := maps.Clone(c.fields)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	for _, field := range values {
		if !hidden(field.Key) {
			fields[field.Key] = json.RawMessage(field.Value.JSON())
		}
	}
	for _, name := range unset {
		delete(fields, name)
	}
	return Content{c.form, c.messages, fields}
}

// result returns what an update changed, as LangGraph shows the update of a step.
func (u *update) result(hidden func(string) bool) map[string]any {
	out := map[string]any{}
	var messages []json.RawMessage
	if u.Reset {
		messages = append(messages, removal(langchain.RemoveAll))
	}
	for _, id := range u.Remove {
		messages = append(messages, removal(id))
	}
	messages = append(messages, u.patched...)
	messages = append(messages, u.added...)
	if messages != nil {
		out["messages"] = messages
	}
	for _, field := range u.State {
		if !hidden(field.Key) {
			out[field.Key] = json.RawMessage(field.Value.JSON())
		}
	}
	for _, name := range u.Unset {
		if !hidden(name) {
			out[name] = nil
		}
	}
	return out
}

// removal returns the message that stands for the removal of another one.
func removal(id string) json.RawMessage {
	out, _ := json.Marshal(map[string]any{ //nolint:errchkjson // they are texts
		"content": "", "additional_kwargs": struct{}{}, "response_metadata": struct{}{}, "type": "remove", "name": nil, "id": id,
	})
	return out
}
