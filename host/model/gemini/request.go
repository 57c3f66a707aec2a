package gemini

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// reserved lists the fields of a request that settings cannot set. Tools in the settings are Google's own, such as
// {"googleSearch": {}}, and are added to the agent's.
var reserved = []string{"contents", "systemInstruction", "system_instruction", "model", "continuationToken"}

// body makes the body of a request: https://ai.google.dev/api/generate-content.
func (m *Model) body(req *model.Request) (map[string]any, error) {
	body, err := provider.Settings(Provider, m.Settings, nil, reserved...)
	if err != nil {
		return nil, err
	}
	wins, err := provider.Settings(Provider, nil, req.Settings, reserved...)
	if err != nil {
		return nil, err
	}
	provider.Merge(body, wins)
	contents, system := m.contents(req)
	body["contents"] = contents
	if len(system) > 0 {
		body["systemInstruction"] = content{Role: roleUser, Parts: system}
	}
	if err := m.addTools(body, req); err != nil {
		return nil, err
	}
	if f := req.Format; f != nil {
		provider.Merge(body, map[string]any{"generationConfig": map[string]any{
			"responseMimeType": "application/json", "responseJsonSchema": schema(f.Schema),
		}})
	}
	return body, nil
}

// declaration is a tool that the model may call.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema"`
}

// addTools adds the tools and the tool choice.
func (m *Model) addTools(body map[string]any, req *model.Request) error {
	var tools []any
	if len(req.Tools) > 0 {
		declared := make([]declaration, len(req.Tools))
		for i, tool := range req.Tools {
			declared[i] = declaration{tool.Name, tool.Description, schema(tool.Parameters)}
		}
		tools = append(tools, map[string]any{"functionDeclarations": declared})
	}
	served, err := providerTools.Definitions(Provider, slices.Concat(m.ProviderTools, req.ProviderTools))
	if err != nil {
		return err
	}
	for _, definition := range served {
		tools = append(tools, definition)
	}
	switch own := body["tools"].(type) {
	case nil:
	case []any:
		tools = append(tools, own...)
	default:
		return provider.Unsendable(Provider, &model.SettingError{Setting: "tools", Problem: `must be a list, such as [{"googleSearch": {}}]`})
	}
	if len(tools) > 0 {
		body["tools"] = tools
	}
	if len(req.Tools) == 0 {
		return nil // a choice without tools is refused
	}
	if choice := choose(req.ToolChoice); choice != nil {
		provider.Merge(body, map[string]any{"toolConfig": map[string]any{"functionCallingConfig": choice}})
	}
	return nil
}

// choose returns the config of a tool choice; nil if there is none.
func choose(choice string) map[string]any {
	switch choice {
	case "":
		return nil
	case "auto":
		return map[string]any{"mode": "AUTO"}
	case "none":
		return map[string]any{"mode": "NONE"}
	case "any":
		return map[string]any{"mode": "ANY"}
	default:
		return map[string]any{"mode": "ANY", "allowedFunctionNames": []string{choice}}
	}
}

// noParameters is the schema of a tool without parameters.
const noParameters = `{"type":"object","properties":{}}`

// schema returns a JSON Schema unchanged. The API's own schema format supports only a part of JSON Schema.
func schema(s wire.Raw) json.RawMessage { return object(s, noParameters) }

// object returns a map as JSON, or fallback for any other value.
func object(raw wire.Raw, fallback string) json.RawMessage {
	if text := raw.JSON(); raw.IsMap() && text != "null" {
		return json.RawMessage(text)
	}
	return json.RawMessage(fallback)
}

// calls returns the calls of a model's message, malformed ones last. It includes a malformed call only if it has an answer,
// which would otherwise answer nothing.
func calls(m *abi.Message, answered map[string]int) []abi.ToolCall {
	out := make([]abi.ToolCall, 0, len(m.ToolCalls)+len(m.InvalidToolCalls))
	out = append(out, m.ToolCalls...)
	for _, call := range m.InvalidToolCalls {
		if _, ok := answered[call.ID]; !ok {
			continue
		}
		args, err := wire.FromJSON([]byte(call.Args), wire.Limits{})
		if err != nil {
			args = nil
		}
		out = append(out, abi.ToolCall{ID: call.ID, Name: call.Name, Args: args})
	}
	return out
}
