package anthropic

import (
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// tools returns the tools that a request offers, including those in the settings of the model and of the request.
func (m *Model) tools(req *model.Request) ([]object, error) {
	out := make([]object, 0, len(req.Tools))
	for i := range req.Tools {
		out = append(out, toolOf(&req.Tools[i]))
	}
	own, err := providerTools.Definitions(Provider, slices.Concat(m.ProviderTools, req.ProviderTools))
	if err != nil {
		return nil, err
	}
	out = append(out, own...)
	for _, settings := range []wire.Map{m.Settings, req.Settings} {
		setting := settings.Get("tools")
		if setting.IsNil() {
			continue
		}
		entries, ok := setting.Items()
		if !ok {
			return nil, provider.Unsendable(Provider, &model.SettingError{Setting: "tools", Problem: "must be a list of mappings"})
		}
		for _, entry := range entries {
			var fields wire.Map
			if _, err := fields.UnmarshalMsg(entry); err != nil || len(fields) == 0 {
				return nil, provider.Unsendable(Provider, &model.SettingError{Setting: "tools", Problem: "must be a list of mappings"})
			}
			out = joined(out, objectOf(fields))
		}
	}
	return out, nil
}

// joined adds the keys of an entry to the tool of the same name, or else adds the entry as another tool.
func joined(tools []object, entry object) []object {
	name, ok := nameOf(entry)
	if !ok {
		return append(tools, entry)
	}
	for _, tool := range tools {
		if of, ok := nameOf(tool); ok && of == name {
			maps.Copy(tool, entry)
			return tools
		}
	}
	return append(tools, entry)
}

func nameOf(tool object) (string, bool) { return textOf(tool, "name") }

// typeOf returns the type of a tool; "" if it has none.
func typeOf(tool object) string {
	of, _ := textOf(tool, "type")
	return of
}

func textOf(tool object, key string) (string, bool) {
	text, ok := tool[key].(string)
	if raw, isRaw := tool[key].(wire.Raw); isRaw {
		return raw.AsString()
	}
	return text, ok
}

// toolOf returns a tool of the agent in the API's format.
func toolOf(spec *abi.ToolSpec) object {
	out := object{"name": spec.Name, "input_schema": schemaOf(spec.Parameters)}
	if spec.Description != "" {
		out["description"] = spec.Description
	}
	provider.AddExtras(out, spec, extras...)
	return out
}

// extras are the extras of a tool that the API knows, as in langchain-anthropic 1.7.10.
var extras = []string{"allowed_callers", "cache_control", "defer_loading", "eager_input_streaming", "input_examples"}

// schemaOf returns the JSON Schema of a tool's parameters.
func schemaOf(parameters wire.Raw) object {
	var fields wire.Map
	if parameters.IsMap() {
		if _, err := fields.UnmarshalMsg(parameters); err != nil {
			fields = nil
		}
	}
	if len(fields) == 0 {
		return object{"type": "object", "properties": object{}}
	}
	out := objectOf(fields)
	if !fields.Has("type") {
		out["type"] = "object" // the API requires it
	}
	return out
}

// possibleChoice returns a choice that the API accepts. A model that thinks cannot be forced to call a tool, so it gets
// "auto".
func possibleChoice(choice string, thinking any) string {
	setting, _ := thinking.(map[string]any)
	kind, _ := setting["type"].(string)
	if kind == "" || kind == thinkingDisabled || choice == "" || choice == "none" {
		return choice
	}
	return "auto"
}

// toolChoice returns the tool choice of a request, merged with the setting; nil if there is none.
func toolChoice(choice string, setting any) any {
	given, ok := setting.(map[string]any)
	switch {
	case choice == "" && !ok:
		return setting
	case choice == "" && given["type"] != nil:
		return given
	case choice == "none":
		return object{"type": "none"} // it has no other keys
	}
	out := object{}
	maps.Copy(out, given)
	delete(out, "name")
	switch choice {
	case "", "auto":
		out["type"] = "auto"
	case "any":
		out["type"] = "any"
	default:
		out["type"], out["name"] = "tool", choice
	}
	return out
}
