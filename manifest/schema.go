package manifest

import (
	"maps"
	"reflect"
	"slices"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// SchemaID is the identity of the manifest's JSON Schema.
const SchemaID = "https://agenthost.dev/schema/" + APIVersion + ".json"

// Schema returns the JSON Schema of manifests, for editors. It describes all keys and forms, but fewer rules between values than
// reading a manifest checks. An environment variable may take the place of any value.
func Schema(comments strictyaml.Comments) (map[string]any, error) {
	schema, err := strictyaml.SchemaOf(reflect.TypeFor[Manifest](), comments)
	if err != nil {
		return nil, err
	}
	allowVariables(schema)
	schema["$schema"], schema["$id"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", SchemaID, "agenthost.yaml"
	return schema, nil
}

// allowVariables allows ${NAME} where a schema requires a number or a boolean.
func allowVariables(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if kind, _ := s["type"].(string); kind == "integer" || kind == "number" || kind == "boolean" {
			s["type"], s["pattern"] = []string{kind, "string"}, `\$\{.+\}`
		}
		for key, inner := range s {
			if key != "enum" && key != "default" {
				allowVariables(inner)
			}
		}
	case []any:
		for _, inner := range s {
			allowVariables(inner)
		}
	}
}

func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

// oneOf returns the schema of a value with several forms.
func oneOf(forms ...any) map[string]any { return map[string]any{"anyOf": forms} }

func enum(values ...string) map[string]any { return map[string]any{"type": "string", "enum": values} }

func listOf(item any) map[string]any { return map[string]any{"type": "array", "items": item} }

// JSONSchema returns the schema of a model.
func (modelEntry) JSONSchema() map[string]any {
	settings := map[string]bool{}
	for _, kind := range providers {
		for _, key := range slices.Concat(kind.settings, slices.Collect(maps.Keys(kind.common))) {
			settings[key] = true
		}
	}
	properties := map[string]any{
		"provider": enum(slices.Sorted(maps.Keys(providers))...), "name": text("The model's name, as the provider calls it"),
		"base_url":    text("The address of another server, such as http://localhost:11434/v1"),
		"api_key_env": text("The environment variable with the key"),
		"api":         enum("chat_completions", "responses"), "headers": map[string]any{"type": "object"},
		"profile": reflect.TypeFor[profileEntry](), "settings": map[string]any{"type": "object"},
	}
	for key := range settings {
		properties[key] = map[string]any{}
	}
	provided := map[string]any{
		"type": "object", "required": []string{"provider", "name"}, "properties": properties, "additionalProperties": false,
	}
	return oneOf(
		map[string]any{"type": "string", "pattern": "^[a-z]+:.|\\$\\{", "description": "PROVIDER:NAME"}, reflect.TypeFor[scriptedEntry](), provided,
	)
}

// JSONSchema returns the schema of a prompt.
func (promptEntry) JSONSchema() map[string]any {
	return oneOf(map[string]any{"type": "string"}, reflect.TypeFor[promptFile]())
}

// JSONSchema returns the schema of a tool.
func (toolEntry) JSONSchema() map[string]any {
	properties := map[string]any{}
	for kind, config := range toolKinds {
		properties[kind] = reflect.TypeOf(config())
	}
	return map[string]any{
		"type": "object", "minProperties": 1, "maxProperties": 1, "properties": properties, "additionalProperties": false,
	}
}

// JSONSchema returns the schema of a middleware.
func (middlewareEntry) JSONSchema() map[string]any {
	var names []string
	properties := map[string]any{"id": text("The name of the middleware in steps and events"), "plugin": reflect.TypeFor[pluginSource]()}
	kinds := []any{map[string]any{"required": []string{"plugin"}}}
	for _, entry := range builtin.Registry() {
		for _, name := range append([]string{entry.Name}, entry.Aliases...) {
			names = append(names, name)
			properties[name] = oneOf(configType(&entry), map[string]any{"type": "null"})
			kinds = append(kinds, map[string]any{"required": []string{name}})
		}
	}
	slices.Sort(names)
	dependent := map[string]any{}
	plugin, _ := strictyaml.KeysOf(reflect.TypeFor[pluginEntry](), nil) // tests see an error: their schema has no keys
	for _, key := range plugin {
		if properties[key.Name] == nil {
			properties[key.Name], dependent[key.Name] = key.Schema, []string{"plugin"}
		}
	}
	return oneOf(enum(names...), map[string]any{
		"type": "object", "properties": properties, "additionalProperties": false, "oneOf": kinds, "dependentRequired": dependent,
	})
}

// configType returns the type of a middleware's configuration.
func configType(e *builtin.Entry) reflect.Type { return reflect.TypeOf(e.New()).Elem() }

// JSONForms returns the form of a path alone.
func (pluginSource) JSONForms() []map[string]any {
	return []map[string]any{text("The path of a module")}
}

// JSONSchema returns the schema of one key or several keys.
func (publicKeys) JSONSchema() map[string]any {
	return oneOf(map[string]any{"type": "string"}, listOf(map[string]any{"type": "string"}))
}

// JSONSchema returns the schema of a granted store.
func (kvEntry) JSONSchema() map[string]any {
	return oneOf(map[string]any{"type": "boolean"}, reflect.TypeFor[kvKeys]())
}

// JSONSchema returns the schema of granted requests.
func (fetchEntry) JSONSchema() map[string]any {
	return oneOf(listOf(map[string]any{"type": "string"}), reflect.TypeFor[fetchKeys]())
}

// JSONSchema returns the schema of granted model calls.
func (generateEntry) JSONSchema() map[string]any { return oneOf(reflect.TypeFor[generateKeys]()) }

// JSONSchema returns the schema of a network.
func (network) JSONSchema() map[string]any { return text("A network, such as 10.0.0.0/8") }

// JSONSchema returns the schema of a text.
func (scalarText) JSONSchema() map[string]any {
	return map[string]any{"type": []string{"string", "number", "boolean"}}
}

// JSONSchema returns the schema of a number of tokens.
func (tokenCount) JSONSchema() map[string]any {
	return map[string]any{"type": []string{"integer", "string"}, "pattern": `^-?[0-9]+ ?[kMGT]?$|\$\{`}
}

// JSONSchema returns the schema of an address.
func (checkpointEntry) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "examples": []string{"memory", "sqlite:agent.db", "postgres://localhost/agents"}}
}

// JSONSchema returns the schema of a durability.
func (durabilityEntry) JSONSchema() map[string]any {
	return enum(string(host.DurabilityRound), string(host.DurabilityStep), string(host.DurabilityExit))
}

// JSONSchema returns the schema of a step's name.
func (breakpoint) JSONSchema() map[string]any {
	return text("A step: model, tools, or NAME.HOOK of a middleware, such as todo_list.after_model")
}

// JSONSchema returns the schema of a schema.
func (schemaEntry) JSONSchema() map[string]any {
	return oneOf(text("The path of a JSON file"), map[string]any{"type": "object"})
}

// JSONSchema returns the schema of handle_errors.
func (handleErrorsEntry) JSONSchema() map[string]any {
	return oneOf(map[string]any{"type": "boolean"}, text("The answer"),
		listOf(enum(string(host.StructuredInvalid), string(host.StructuredMultiple))))
}
