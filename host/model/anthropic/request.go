package anthropic

import (
	"maps"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// reserved lists the fields of a request that settings cannot set.
var reserved = []string{"messages", "model", "stream", "system"}

// body makes the body of a request.
func (m *Model) body(req *model.Request, stream bool) (object, error) {
	body, err := provider.Settings(Provider, m.Settings, req.Settings, reserved...)
	if err != nil {
		return nil, err
	}
	body["model"] = m.Name
	if err := m.limitOutput(body); err != nil {
		return nil, err
	}
	history := provider.Portable(req.Messages, m.provider(), ownPrefix, privateKeys...).Messages()
	messages := think(body, func(setting any) []turn { return m.messages(history, setting) })
	body["messages"] = messages
	system := system(req)
	if len(system) > 0 {
		body["system"] = system
	}
	tools, err := m.tools(req)
	if err != nil {
		return nil, err
	}
	choice := toolChoice(possibleChoice(req.ToolChoice, body["thinking"]), body["tool_choice"])
	delete(body, "tools")
	delete(body, "tool_choice")
	if len(tools) > 0 {
		body["tools"] = tools
		if choice != nil {
			body["tool_choice"] = choice
		}
	}
	cache(body, tools, system, messages)
	if req.Format != nil {
		body["output_config"] = outputConfig(req.Format, body["output_config"])
	}
	if stream {
		body["stream"] = true
	}
	return body, nil
}

// system returns the system prompt and the system messages of the history: the API has one place for both.
func system(req *model.Request) []object {
	out := prompts(nil, req.System)
	for _, m := range req.Messages.All() {
		if m.Role == abi.RoleSystem {
			out = prompts(out, m.Content)
		}
	}
	return out
}

// prompts adds the texts of content, since nothing else can be sent.
func prompts(out []object, c abi.Content) []object {
	for _, block := range c.Blocks() {
		if text := textBlock(provider.TextOf(block)); text != nil {
			out = append(out, marked(text, block))
		}
	}
	return out
}

// outputConfig returns the setting of this name with the format of the answer added. The API always enforces the format, and
// refuses schemas that it cannot enforce. Unless the format is strict, the schema is reduced to what the API can enforce.
func outputConfig(f *model.Format, setting any) object {
	out := object{}
	if given, ok := setting.(map[string]any); ok {
		maps.Copy(out, given)
	}
	schema := provider.Object(f.Schema)
	if schema != nil && schema["description"] == nil && f.Description != "" {
		schema["description"] = f.Description // there is no other place
	}
	if schema != nil && !f.Strict {
		schema = enforceable(schema)
	}
	out["format"] = object{"type": "json_schema", "schema": schema}
	return out
}
