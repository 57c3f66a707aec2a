package manifest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest"
)

// checker compiles the schema of manifests.
func checker(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	document, err := manifest.Schema(nil)
	require.NoError(t, err)
	text, err := json.Marshal(document)
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(text, &schema))
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	require.NoError(t, err)
	return resolved
}

// check checks a manifest against the schema.
func check(t *testing.T, schema *jsonschema.Resolved, text string) error {
	t.Helper()
	var value any
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(text), &value))
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(encoded, &value))
	return schema.Validate(value)
}

func TestSchemaAcceptsTheExamples(t *testing.T) {
	t.Parallel()
	schema := checker(t)
	files, err := filepath.Glob("../examples/*/*.yaml")
	require.NoError(t, err)
	checked := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if !strings.Contains(string(data), "apiVersion:") {
			continue // rules and the like
		}
		require.NoError(t, check(t, schema, string(data)), file)
		checked++
	}
	require.GreaterOrEqual(t, checked, 4)
}

func TestSchemaAcceptsTheExampleOfEveryMiddleware(t *testing.T) {
	t.Parallel()
	schema := checker(t)
	for _, entry := range builtin.Registry() {
		text := head + "model: {provider: scripted, echo: true}\n" + entry.Excerpt()
		require.NoError(t, check(t, schema, text), entry.Name)
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := checker(t)
	const model = "model: {provider: scripted, echo: true}\n"
	for _, good := range []string{
		head + model, head + "model: openai:gpt-5.2\n", head + "model: ${MODEL}\n",
		head + "model: {provider: openai, name: x, temperature: 0, base_url: http://localhost}\n",
		head + model + "recursion_limit: ${LIMIT}\n", head + model + "middleware: [model_call_limit, patch_tool_calls]\n",
		head + model + "middleware: [{model_call_limit: {run_limit: 3}, id: mine}, {plugin: x.wasm, on_failure: open, grant: {kv: true}}]\n",
		head + model + "middleware: [{plugin: {oci: 'ghcr.io/a/b:1', minisign: [RW]}}, {plugin: {https: 'https://a/b', sha256: '00'}}, {plugin: {path: x.ts}}]\n",
		head + model + "system_prompt: {file: x}\ntools: [{files: {root: .}}]\n",
		head + model + "system_prompt: [{type: text, text: x, cache_control: {type: ephemeral}}]\n",
		head + model + "response_format: {schema: {type: object}, handle_errors: [structured_output_validation]}\n",
		head + model + "checkpoint: memory\ndurability: step\ntool_calls: {max_total_tokens: 200k, tool_timeout: 1m30s}\n",
	} {
		require.NoError(t, check(t, schema, good), good)
	}
	for _, bad := range []string{
		model, head, head + model + "midleware: []\n", head + "model: 7\n", head + "model: {provider: nobody, name: x}\n",
		head + model + "recursion_limit: often\n", head + model + "middleware: [nobody]\n",
		head + model + "middleware: [{model_call_limit: {run_limt: 3}}]\n", head + model + "middleware: [{model_call_limit: {run_limit: often}}]\n",
		head + model + "middleware: [{model_call_limit: {}, patch_tool_calls: {}}]\n", head + model + "middleware: [{id: x}]\n",
		head + model + "middleware: [{model_call_limit: {}, on_failure: open}]\n",
		head + model + "middleware: [{plugin: {oci: 'ghcr.io/a/b:1', path: x.wasm}}]\n", head + model + "middleware: [{plugin: {https: 'https://a/b'}}]\n",
		head + model + "middleware: [{plugin: {sha256: '00'}}]\n",
		head + model + "tools: [{fils: {}}]\n", head + model + "tools: [{files: {}}]\n", head + model + "durability: never\n",
		head + model + "response_format: {strategy: magic, schema: {}}\n", head + model + "system_prompt: {path: x}\n",
		head + model + "system_prompt: [{type: text}]\n",
	} {
		require.Error(t, check(t, schema, bad), bad)
	}
}
