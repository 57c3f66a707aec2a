package config

import (
	"reflect"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// SchemaID is the identity of the JSON Schema of serve.yaml.
const SchemaID = "https://agenthost.dev/schema/serve.json"

// Schema returns the JSON Schema of serve.yaml, for editors. It describes all keys, but not all rules between values that are checked when a
// file is read. An environment variable may take the place of any value.
func Schema(comments strictyaml.Comments) (map[string]any, error) {
	schema, err := strictyaml.SchemaOf(reflect.TypeFor[Config](), comments)
	if err != nil {
		return nil, err
	}
	strictyaml.AllowVariables(schema)
	schema["$schema"], schema["$id"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", SchemaID, "serve.yaml"
	return schema, nil
}
