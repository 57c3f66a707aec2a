package langgraph

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// assistantSchemas answers with JSON Schemas of what goes into the agent and comes out of it.
func (h *Handler) assistantSchemas(c *call) error {
	agent, err := h.agent(c)
	if err != nil {
		return err
	}
	fields := agent.Fields()
	return c.answer(map[string]any{
		"graph_id":       agent.Name,
		"input_schema":   stateSchema(agent.Name+"_input", fields, func(f *host.Field) bool { return !f.HideInput && !f.Sealed }),
		"output_schema":  stateSchema(agent.Name+"_output", fields, func(f *host.Field) bool { return !f.HideOutput }),
		"state_schema":   stateSchema(agent.Name+"_state", fields, func(f *host.Field) bool { return !f.HideOutput }),
		"config_schema":  json.RawMessage(`{"type":"object","properties":{}}`),
		"context_schema": contextSchema(agent.Context),
	})
}

func contextSchema(schema wire.Raw) any {
	if schema.IsZero() {
		return nil
	}
	return json.RawMessage(schema.JSON())
}

// stateSchema returns the schema of the messages and of the fields that are shown.
func stateSchema(title string, fields []host.Field, shown func(*host.Field) bool) map[string]any {
	properties := map[string]any{"messages": map[string]any{
		"title": "Messages", "type": "array", "items": map[string]any{
			"type": "object", "required": []string{"content", "type"}, "properties": map[string]any{
				"type": map[string]any{"type": "string", "enum": []string{"human", "ai", "system", "tool"}},
				"content": map[string]any{"anyOf": []any{
					map[string]any{"type": "string"}, map[string]any{"type": "array", "items": map[string]any{"type": "object"}},
				}},
				"id":   map[string]any{"type": "string"},
				"name": map[string]any{"type": "string"},
			},
		},
	}}
	for i := range fields {
		if !shown(&fields[i]) {
			continue
		}
		schema := any(struct{}{})
		if !fields[i].Schema.IsZero() {
			schema = json.RawMessage(fields[i].Schema.JSON())
		}
		properties[fields[i].Name] = schema
	}
	return map[string]any{"title": title, "type": "object", "properties": properties, "required": []string{"messages"}}
}
