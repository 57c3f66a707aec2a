package eventdoc

import "fmt"

// SchemaID is the identity of the schema.
var SchemaID = fmt.Sprintf("https://agenthost.dev/schema/events/v%d.json", Version)

// object is a part of a JSON Schema.
type object = map[string]any

// Schema returns the JSON Schema of a line of --output jsonl. It allows keys and types of events that it does not list, because a later
// release may add them.
func Schema() map[string]any {
	types, rules := make([]any, 0, len(kinds)+1), make([]any, 0, len(kinds))
	for _, kind := range kinds {
		types = append(types, object{"const": string(kind.Type), "description": kind.About})
		rules = append(rules, object{
			"if":   object{"properties": object{"type": object{"const": string(kind.Type)}}},
			"then": object{"required": kind.Required},
		})
	}
	properties := object{
		"version": object{"const": Version, "description": "The version of the form of events; only the first line of an output has it"},
		"type": object{"description": "What the event reports; ignore an event of a type that you do not know", "anyOf": append(types,
			object{"type": "string"})},
	}
	for key, value := range keys() {
		properties[key] = value
	}
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SchemaID, "title": "An event of agenthost",
		"description": "A line of the output of 'agenthost run --output jsonl'",
		"type":        "object", "properties": properties, "required": []string{"type", "seq", "time", "run"}, "allOf": rules, "$defs": definitions(),
	}
}

func text(about string) object { return object{"type": "string", "description": about} }

// count is a number from 0.
func count(about string) object { return object{"type": "integer", "minimum": 0, "description": about} }

func listOf(item object, about string) object {
	return object{"type": "array", "items": item, "description": about}
}

// mapOf is an object with any keys.
func mapOf(about string) object { return object{"type": "object", "description": about} }

func reference(name string) object { return object{"$ref": "#/$defs/" + name} }

// record is an object with these properties.
func record(about string, properties object, required ...string) object {
	if required == nil {
		required = []string{}
	}
	return object{"type": "object", "description": about, "properties": properties, "required": required}
}
