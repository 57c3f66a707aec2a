package openai

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// parametersOf returns the JSON Schema of a tool's parameters. The API refuses an object schema without properties.
func parametersOf(tool *abi.ToolSpec) object {
	parameters := provider.Object(tool.Parameters)
	if len(parameters) == 0 {
		return object{"type": "object", "properties": object{}}
	}
	if _, ok := parameters["properties"]; !ok && parameters["type"] == "object" {
		parameters["properties"] = object{}
	}
	return parameters
}

// function returns a tool in the format of both APIs.
func function(tool *abi.ToolSpec) object {
	out := object{"name": tool.Name, "parameters": parametersOf(tool)}
	if tool.Description != "" {
		out["description"] = tool.Description
	}
	return out
}

// extras are the extras of a tool that the Responses API knows, as in langchain-openai 1.7.4. Chat Completions knows none.
var extras = []string{"defer_loading", "async"}

// addTools adds the tools to a request whose settings may already have some, and the tool choice.
func (m *Model) addTools(body object, tools []object, choice any) error {
	switch own := body["tools"].(type) {
	case nil:
	case []any:
		for _, entry := range own {
			entry, ok := entry.(object)
			if !ok {
				return m.refused(&model.SettingError{Setting: "tools", Problem: "must be a list of mappings"})
			}
			tools = joined(tools, entry)
		}
	default:
		return m.refused(&model.SettingError{Setting: "tools", Problem: "must be a list of mappings"})
	}
	delete(body, "tools")
	if len(tools) == 0 { // a choice without tools is refused
		delete(body, "tool_choice")
		return nil
	}
	body["tools"] = tools
	if choice != nil {
		body["tool_choice"] = choice
	}
	return nil
}

// joined adds the fields of an entry to the tool of the same name, or else adds the entry as another tool.
func joined(tools []object, entry object) []object {
	if name := nameOf(entry); name != "" {
		for _, tool := range tools {
			if nameOf(tool) == name {
				provider.Merge(tool, entry)
				return tools
			}
		}
	}
	return append(tools, entry)
}

// nameOf returns the name of a tool in the format of either API.
func nameOf(tool object) string {
	if inner, ok := tool["function"].(object); ok {
		tool = inner
	}
	name, _ := tool["name"].(string)
	return name
}

// chosen returns a tool choice; nil if there is none. The two APIs name a tool in different ways.
func chosen(choice string, named func(name string) object) any {
	switch choice {
	case "":
		return nil
	case "any":
		return "required"
	case "auto", "none":
		return choice
	default:
		return named(choice)
	}
}

// schemaOf returns the format of an answer for either API.
func schemaOf(f *model.Format) object {
	out := object{"name": f.Name}
	if schema := provider.Object(f.Schema); schema != nil {
		out["schema"] = schema
	}
	if f.Description != "" {
		out["description"] = f.Description
	}
	if f.Strict {
		out["strict"] = true
	}
	return out
}

// rename moves a setting to the API's present name. A setting that already has that name wins.
func rename(body object, old, name string) {
	value, ok := body[old]
	delete(body, old)
	if _, given := body[name]; ok && !given {
		body[name] = value
	}
}
