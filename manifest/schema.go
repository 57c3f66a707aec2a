package manifest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// SchemaID is the identity of the manifest's JSON Schema.
const SchemaID = "https://agenthost.dev/schema/" + APIVersion + ".json"

// Schema returns the JSON Schema of manifests, for editors. It describes all keys and forms, but not all rules between values
// that are checked when a manifest is read. An environment variable may take the place of any value.
func Schema(comments strictyaml.Comments) (map[string]any, error) {
	schema, err := strictyaml.SchemaOf(reflect.TypeFor[Manifest](), comments)
	if err != nil {
		return nil, err
	}
	strictyaml.AllowVariables(schema)
	schema["$schema"], schema["$id"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", SchemaID, "agenthost.yaml"
	return schema, nil
}

func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

// describedAs adds a description to a schema.
func describedAs(description string, schema map[string]any) map[string]any {
	schema["description"] = description
	return schema
}

// oneOf returns the schema of a value with several forms.
func oneOf(forms ...any) map[string]any { return map[string]any{"anyOf": forms} }

func enum(values ...string) map[string]any { return map[string]any{"type": "string", "enum": values} }

func listOf(item any) map[string]any { return map[string]any{"type": "array", "items": item} }

// modelProperties returns the schemas of the keys of a provider's model.
func modelProperties() map[string]any {
	properties := map[string]any{
		"provider":    describedAs("The provider of the model", enum(slices.Sorted(maps.Keys(providers))...)),
		"name":        text("The model's name, as the provider calls it"),
		"base_url":    text("The address of another server, such as http://localhost:11434/v1"),
		"api_key_env": text("The environment variable with the key for base_url; default: the provider's own variable, which is only sent to the provider"),
		"api":         describedAs("The API of openai and azure_openai; default chat_completions", enum("chat_completions", "responses", decisionsAPI)),
		"region":      text("The region of AWS, such as eu-central-1, for bedrock only; default: AWS_REGION, AWS_DEFAULT_REGION or the profile's"),
		"project": text("The project of Google Cloud, for google_vertexai and google_anthropic_vertex only; default: " +
			"GOOGLE_CLOUD_PROJECT or the credentials'"),
		"location": text("The location, such as europe-west4, for google_vertexai and google_anthropic_vertex only; default: " +
			"GOOGLE_CLOUD_LOCATION or global"),
		"api_version": text("The version of the API, such as 2025-04-01-preview, for azure_openai only; default: OPENAI_API_VERSION or v1"),
		keyTrust: describedAs("Models on clouds only: base_url gets the cloud's credentials, whatever it is; default false",
			map[string]any{"type": "boolean"}),
		"use_previous_response_id": describedAs(
			"With api: responses, the id of the last answer is sent in place of the history up to it, which OpenAI stores; default false",
			map[string]any{"type": "boolean"}),
		"background": describedAs("With api: responses, OpenAI answers in the background, for answers that take long; default false",
			map[string]any{"type": "boolean"}),
		"headers": describedAs("Headers of the requests", map[string]any{
			"type": "object", "additionalProperties": map[string]any{"type": "string"},
		}),
		"profile":  strictyaml.Described{Type: reflect.TypeFor[profileEntry]()},
		"settings": describedAs("Further settings of requests, by the provider's names", map[string]any{"type": "object"}),
		"on_cut_off": describedAs("What happens to an answer that reached the limit of output tokens: warn (the default), fail, or continue, "+
			"which asks the model to go on", enum("warn", "fail", "continue")),
		"max_continuations": describedAs("How often the model is asked to go on with one answer; default 3",
			map[string]any{"type": "integer", "minimum": 1, "maximum": maxContinuations}),
		"provider_tools": describedAs("Tools that the provider runs itself, such as web_search; no middleware can review or stop their calls",
			listOf(providerTool{}.JSONSchema())),
		"proxy": text("The address of a proxy for all requests of the model, such as http://proxy.example:3128; its scheme is http, https, socks5 or " +
			"socks5h. Default: HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment"),
		"ca_file":     text("The path of a PEM file, relative to the manifest, with authorities that are trusted as well as those of the system"),
		"client_cert": text("The path of a PEM file with the certificate that the server demands of its clients, relative to the manifest"),
		"client_key":  text("The path of a PEM file with the private key of client_cert; default: it is in the file of client_cert"),
		"rate_limit":  strictyaml.Described{Type: reflect.TypeFor[rateLimitEntry]()},
		"stream": describedAs("Whether answers are streamed; false: each answer is asked for at once, also while the run streams. Default true",
			map[string]any{"type": "boolean"}),
		"timeout":             text("The longest time of a call with its retries, such as 5m; default 10m; 0s: no limit"),
		"first_token_timeout": text("The longest time until the first token of a streamed answer; default 2m; 0s: no limit"),
		"idle_timeout":        text("The longest pause between the tokens of a streamed answer; default 60s; 0s: no limit"),
		"max_retries": describedAs("How often a request is sent again that failed for a reason that may pass; default 2",
			map[string]any{"type": "integer", "minimum": 0, "maximum": maxRetries}),
	}
	for _, kind := range providers {
		for _, key := range kind.settingNames() {
			properties[key] = describedAs(describeSetting(key), settingSchema(key))
		}
	}
	return properties
}

// JSONSchema returns the schema of a model.
func (modelEntry) JSONSchema() map[string]any {
	provided := map[string]any{
		"type": "object", "required": []string{"provider", "name"}, "properties": modelProperties(), "additionalProperties": false,
	}
	return oneOf(
		map[string]any{"type": "string", "pattern": "^[a-z_]+:.|\\$\\{", "description": "PROVIDER:NAME"}, reflect.TypeFor[scriptedEntry](), provided,
	)
}

// settingSchema returns the schema of a setting, with a form for each type that a provider gives it. An empty schema accepts anything.
func settingSchema(key string) map[string]any {
	forms := []any{map[string]any{"type": "null"}}
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		of, _, ok := providers[name].setting(key)
		switch {
		case !ok || slices.ContainsFunc(forms, func(form any) bool { return reflect.DeepEqual(form, any(of.schema)) }):
		case of.schema == nil:
			return map[string]any{}
		default:
			forms = append(forms, maps.Clone(of.schema)) // a description may be added to it
		}
	}
	return oneOf(forms...)
}

// describeSetting names the providers that accept a setting, and the keys of their own that it sets.
func describeSetting(key string) string {
	var of []string
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		_, path, ok := providers[name].setting(key)
		switch {
		case !ok, providers[name].alias:
		case len(path) == 1 && path[0] == key:
			of = append(of, name)
		default:
			of = append(of, fmt.Sprintf("%s (as %s)", name, strings.Join(path, ".")))
		}
	}
	return "A setting of requests to " + strings.Join(of, ", ")
}

// JSONSchema returns the schema of a tool.
func (toolEntry) JSONSchema() map[string]any {
	properties := map[string]any{}
	for kind, config := range toolKinds {
		properties[kind] = strictyaml.Described{Type: reflect.TypeOf(config())}
	}
	return map[string]any{
		"type": "object", "minProperties": 1, "maxProperties": 1, "properties": properties, "additionalProperties": false,
	}
}

// JSONSchema returns the schema of a middleware.
func (middlewareEntry) JSONSchema() map[string]any {
	var names []string
	properties := map[string]any{"id": text("The name of the middleware in steps and events")}
	kinds := []any{map[string]any{"required": []string{"plugin"}}}
	for _, entry := range builtin.Registry() {
		for _, name := range append([]string{entry.Name}, entry.Aliases...) {
			names = append(names, name)
			properties[name] = describedAs("Middleware that "+entry.Summary, oneOf(configType(&entry), map[string]any{"type": "null"}))
			kinds = append(kinds, map[string]any{"required": []string{name}})
		}
	}
	slices.Sort(names)
	dependent := map[string]any{}
	plugin := reflect.TypeFor[pluginEntry]()
	keys, _ := strictyaml.KeysOf(plugin, nil) // tests see an error: their schema has no keys
	for _, key := range keys {
		if properties[key.Name] != nil {
			continue
		}
		properties[key.Name] = strictyaml.KeySchema{Struct: plugin, Key: key.Name}
		if key.Name != "plugin" {
			dependent[key.Name] = []string{"plugin"}
		}
	}
	return oneOf(enum(names...), map[string]any{
		"type": "object", "properties": properties, "additionalProperties": false, "oneOf": kinds, "dependentRequired": dependent,
	})
}

// configType returns the type of a middleware's configuration.
func configType(e *builtin.Entry) reflect.Type { return reflect.TypeOf(e.New()).Elem() }

// JSONSchema returns the schema of a path, or of a mapping with exactly one place.
func (pluginSource) JSONSchema() map[string]any {
	properties := map[string]any{}
	for _, key := range []string{"path", "oci", "https", "sha256", "minisign"} {
		properties[key] = strictyaml.KeySchema{Struct: reflect.TypeFor[pluginSource](), Key: key}
	}
	places := []any{
		map[string]any{"required": []string{"path"}}, map[string]any{"required": []string{"oci"}}, map[string]any{"required": []string{"https", "sha256"}},
	}
	return oneOf(text("The path of a module or a script"), map[string]any{
		"type": "object", "properties": properties, "additionalProperties": false, "oneOf": places,
	})
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
	schema := enum(string(host.DurabilityRound), string(host.DurabilityStep), string(host.DurabilityExit))
	schema["default"] = string(host.DurabilityRound)
	return schema
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
