package langgraph

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// schemasDocument has JSON Schemas of what goes into an agent and comes out of it.
type schemasDocument struct {
	GraphID string         `json:"graph_id"`
	Input   map[string]any `json:"input_schema"`
	Output  map[string]any `json:"output_schema"`
	State   map[string]any `json:"state_schema"`
	Config  objectText     `json:"config_schema"`
	Context *objectText    `json:"context_schema"`
}

// assistantSchemas answers with JSON Schemas of what goes into the agent and comes out of it.
func (h *Handler) assistantSchemas(c *call) error {
	agent, err := h.agent(c)
	if err != nil {
		return err
	}
	fields := agent.Fields()
	return c.Answer(schemasDocument{
		GraphID: agent.Name,
		Input:   stateSchema(agent.Name+"_input", fields, func(f *host.Field) bool { return !f.HideInput && !f.Sealed }),
		Output:  stateSchema(agent.Name+"_output", fields, func(f *host.Field) bool { return !f.HideOutput }),
		State:   stateSchema(agent.Name+"_state", fields, func(f *host.Field) bool { return !f.HideOutput }),
		Config:  objectText(`{"type":"object","properties":{}}`),
		Context: contextSchema(agent.Context),
	})
}

func contextSchema(schema wire.Raw) *objectText {
	if schema.IsZero() {
		return nil
	}
	return new(objectText(schema.JSON()))
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
