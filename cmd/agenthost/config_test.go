package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

const configured = `apiVersion: agenthost/v1
model: {provider: openai, name: "${MODEL:-gpt}", headers: {X-Api-Key: hunter2hunter2}}
models: {}
tools:
  - mcp: {name: a, command: [x, "1"], env: {TOKEN: hunter2hunter2}}
middleware:
  - pii: {pii_type: email}
  - plugin: a.wasm
    config: {password: hunter2hunter2}
checkpoint: postgres://u:hunter2hunter2@h/db
system_prompt: |
  Two
  lines.
`

func TestConfigShowListsTheValues(t *testing.T) {
	t.Parallel()
	b := setup(t, configured)
	require.Equal(t, exitOK, b.run("config", "show"), &b.err) // -f comes after config
	require.Equal(t, `apiVersion=agenthost/v1
model.provider=openai
model.name=${MODEL:-gpt}
model.headers.X-Api-Key=***
models={}
tools[0].mcp.name=a
tools[0].mcp.command[0]=x
tools[0].mcp.command[1]="1"
tools[0].mcp.env.TOKEN=***
middleware[0].pii.pii_type=email
middleware[1].plugin=a.wasm
middleware[1].config.password=***
checkpoint=postgres://u:***@h/db
system_prompt="Two\nlines.\n"
`, b.out.String())
}

func TestConfigShowHidesTheSecretsOfANetwork(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: x, proxy: 'http://me:hunter2hunter2@p:1', ca_file: ca.pem, client_key: hunter2hunter2}\n")
	require.Equal(t, exitOK, b.run("config", "show"), &b.err)
	require.Contains(t, b.out.String(), "model.proxy=http://me:***@p:1\nmodel.ca_file=ca.pem\nmodel.client_key=***\n")
	for _, args := range [][]string{{"validate"}, {"doctor"}} {
		require.NotEqual(t, exitOK, b.run(args...))
		require.Contains(t, b.out.String()+b.err.String(), "ca.pem: there is no such file")
		require.NotContains(t, b.out.String()+b.err.String(), "hunter2")
	}
}

func TestConfigShowTellsWhereValuesComeFrom(t *testing.T) {
	t.Parallel()
	b := setup(t, configured)
	file := b.path("agenthost.yaml")
	require.Equal(t, exitOK, b.run("config", "show", "--resolved", "--origin", "--model", "anthropic:claude",
		"--set", "middleware[0].pii.strategy=mask", "--set", "tools[0].mcp.env.TOKEN=hunter3hunter3"), &b.err)
	lines := strings.Split(b.out.String(), "\n")
	for _, line := range []string{
		"apiVersion=agenthost/v1  # " + file + ":1:13",
		"model=anthropic:claude  # --set model=anthropic:claude",
		"tools[0].mcp.env.TOKEN=***  # --set tools[0].mcp.env.TOKEN=***",
		"middleware[0].pii.strategy=mask  # --set middleware[0].pii.strategy=mask",
		"middleware[0].pii.apply_to_input=true  # default",
		"middleware[1].isolation=pool  # default",
		"recursion_limit=10000  # default",
		"tool_calls.max_loops=10  # default",
		"durability=round  # default",
	} {
		require.Contains(t, lines, line)
	}
	require.NotContains(t, b.out.String(), "hunter")
	require.NotContains(t, b.out.String(), "middleware[0].isolation", "the entry is not a plugin")
	require.NotContains(t, b.out.String(), "response_format", "answers are texts")

	require.Equal(t, exitOK, b.run("config", "show", "--json"), &b.err)
	var values []manifest.Value
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &values))
	require.Equal(t, manifest.Value{Key: "apiVersion", Value: "agenthost/v1", Origin: file + ":1:13"}, values[0])
}

// A tool is of one kind, an MCP server cannot sample unless the manifest says so, and only a scripted model has an end.
func TestConfigShowHasOnlyDefaultsThatHold(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: ollama, name: a, timeout: 1m}
tools: [{files: {root: .}}, {mcp: {name: s, command: [x]}}]
middleware: [{summarization: {model: ollama:a}}]
`)
	require.Equal(t, exitOK, b.run("config", "show", "--resolved"), &b.err)
	for _, key := range []string{"tools[0].mcp", "sampling", "after_end", "truncate_args_settings"} {
		require.NotContains(t, b.out.String(), key)
	}
	require.Contains(t, b.out.String(), "tool_calls.max_loops=10\n")
}

func TestConfigShowHidesTheSecretArgumentsOfCommands(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"tools: [{mcp: {name: s, command: [x, --api-key, flag-12345, --token=equal-12345, -H, 'Authorization: Bearer head-12345', --verbose, '1']}}]\n")
	require.Equal(t, exitOK, b.run("config", "show", "--origin", "--set", "tools[0].mcp.command[2]=given-12345"), &b.err)
	require.NotContains(t, b.out.String(), "12345")
	for _, line := range []string{"command[0]=x ", "command[1]=--api-key ", "command[2]=*** ", "command[3]=--token=*** ", "command[6]=--verbose ", `command[7]="1" `} {
		require.Contains(t, b.out.String(), "tools[0].mcp."+line)
	}
}

// The list has the limits that hold for each model, and the names of variables with keys.
func TestConfigShowTellsTheLimitsOfModels(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: openai, name: a, base_url: "http://h/v1", api_key_env: LLM_KEY, timeout: 5m, max_retries: 0}
models:
  short: {provider: openai, name: d}
  unstreamed: {provider: anthropic, name: b, api_key_env: gsk_hunter2hunter2, stream: false, on_cut_off: continue}
  background: {provider: openai, name: c, api: responses, background: true}
  script: {provider: scripted, echo: true}
checkpoint: memory
`)
	require.Equal(t, exitOK, b.run("config", "show", "--resolved"), &b.err)
	require.Contains(t, b.out.String(), `model.provider=openai
model.name=a
model.base_url=http://h/v1
model.api_key_env=LLM_KEY
model.timeout=5m
model.max_retries=0
model.on_cut_off=warn
model.stream=true
model.first_token_timeout=2m
model.idle_timeout=1m
models.short.provider=openai
models.short.name=d
models.short.base_url=https://api.openai.com/v1
models.short.on_cut_off=warn
models.short.stream=true
models.short.timeout=10m
models.short.first_token_timeout=2m
models.short.idle_timeout=1m
models.short.max_retries=2
models.unstreamed.provider=anthropic
models.unstreamed.name=b
models.unstreamed.api_key_env=***
models.unstreamed.stream=false
models.unstreamed.on_cut_off=continue
models.unstreamed.base_url=https://api.anthropic.com
models.unstreamed.max_continuations=3
models.unstreamed.timeout=10m
models.unstreamed.max_retries=2
models.background.provider=openai
models.background.name=c
models.background.api=responses
models.background.background=true
models.background.base_url=https://api.openai.com/v1
models.background.on_cut_off=warn
models.background.timeout=1h
models.background.max_retries=2
models.script.provider=scripted
models.script.echo=true
checkpoint=memory
`)
}

// What config show prints can be given to --set, and gives the same list.
func TestConfigShowPrintsAssignments(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: \"true\"}, {content: \"[x\"}, {content: \"\"}, {content: \"a\\n\\\"b\\\"\"}]}\n")
	require.Equal(t, exitOK, b.run("config", "show"), &b.err)
	want := b.out.String()
	b.write("agenthost.yaml", "apiVersion: agenthost/v1\n")
	args := []string{"config", "show"}
	for line := range strings.Lines(want) {
		args = append(args, "--set", strings.TrimSuffix(line, "\n"))
	}
	require.Equal(t, exitOK, b.run(args...), &b.err)
	require.Equal(t, want, b.out.String())
}

// The defaults that the schema, and so config show, tells are those that the agent has.
func TestDefaultsOfTheSchemaAreTheDefaults(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"checkpoint: memory\n")
	require.Equal(t, exitOK, b.run("config", "show", "--resolved"), &b.err)
	var assignments []string
	for line := range strings.Lines(b.out.String()) {
		assignments = append(assignments, "--set", strings.TrimSuffix(line, "\n"))
	}
	var without, with host.Config
	for set, into := range map[*host.Config][]string{&without: nil, &with: assignments} {
		a := &app{file: b.path("agenthost.yaml"), streams: streams{err: &b.err}}
		for i := 1; i < len(into); i += 2 {
			a.set = append(a.set, into[i])
		}
		agent, err := a.load(t.Context(), manifest.Options{InMemory: true}, func(c *host.Config) { *set = *c })
		require.NoError(t, err)
		require.NoError(t, agent.Close())
	}
	if without.Durability == "" {
		without.Durability = host.DurabilityRound
	}
	if without.RecursionLimit == 0 {
		without.RecursionLimit = host.DefaultRecursionLimit
	}
	require.Equal(t, without.ToolCalls, with.ToolCalls)
	require.Equal(t, without.Durability, with.Durability)
	require.Equal(t, without.RecursionLimit, with.RecursionLimit)
}
