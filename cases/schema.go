package cases

import (
	"reflect"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// SchemaID is the identity of the JSON Schema of cases.
const SchemaID = "https://agenthost.dev/schema/case.json"

// Schema returns the JSON Schema of cases, for editors. It describes all keys, but not all rules between values that are checked when a
// file is read.
func Schema(comments strictyaml.Comments) (map[string]any, error) {
	schema, err := strictyaml.SchemaOf(reflect.TypeFor[Case](), comments)
	if err != nil {
		return nil, err
	}
	allowNull(schema, "files")
	allowNull(schema, "turns", "expect", "files")
	schema["$schema"], schema["$id"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", SchemaID, "a case for agenthost test"
	return schema, nil
}

// allowNull makes the values of a mapping of files nullable.
func allowNull(schema map[string]any, path ...string) {
	for _, key := range path {
		if items, ok := schema["items"].(map[string]any); ok {
			schema = items
		}
		properties, _ := schema["properties"].(map[string]any)
		schema, _ = properties[key].(map[string]any)
	}
	schema["additionalProperties"] = map[string]any{"anyOf": []any{schema["additionalProperties"], map[string]any{"type": "null"}}}
}
