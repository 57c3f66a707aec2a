package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/eventdoc"
	"github.com/agenthost/agenthost/internal/schema"
)

// strictly returns the schema of events, which allows only the keys that it lists, except in blocks.
func strictly(t *testing.T) *schema.Schema {
	t.Helper()
	document := eventdoc.Schema()
	document["additionalProperties"] = false
	parts, ok := document["$defs"].(map[string]any)
	require.True(t, ok)
	for name, part := range parts {
		if part, ok := part.(map[string]any); ok && name != "block" {
			part["additionalProperties"] = false
		}
	}
	text, err := json.Marshal(document)
	require.NoError(t, err)
	raw, err := wire.FromJSON(text, wire.Limits{})
	require.NoError(t, err)
	compiled, err := schema.Compile(raw)
	require.NoError(t, err)
	return compiled
}

func TestEventsFollowTheirSchema(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	follows := strictly(t)
	kinds, seen, keys := map[string]eventdoc.Kind{}, map[string]bool{}, map[string]bool{}
	for _, kind := range eventdoc.Kinds() {
		kinds[string(kind.Type)] = kind
	}
	// events checks the events of a command.
	events := func(b *bundle, code int, args ...string) {
		require.Equal(t, code, b.run(append([]string{args[0], "-o", "jsonl"}, args[1:]...)...), &b.err)
		first := true
		for line := range strings.Lines(b.out.String()) {
			raw, err := wire.FromJSON([]byte(line), wire.Limits{})
			require.NoError(t, err)
			require.NoError(t, follows.Validate(raw), line)
			var event map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &event))
			require.Equal(t, first, event["version"] == 1.0, line)
			require.True(t, !first || event["type"] == "run", line)
			first = false
			name, _ := event["type"].(string)
			kind := kinds[name]
			require.Subset(t, slices.Concat(eventdoc.Common, kind.Required, kind.Optional), slices.Collect(maps.Keys(event)), line)
			seen[string(kind.Type)] = true
			for key := range event {
				keys[key] = true
			}
		}
		require.False(t, first, "there are events")
	}

	b := threads(t, noting+"name: scribe\ntool_calls: {alert: {write_file: 1}}\n")
	events(b, exitWaiting, "run", "--thread", "ada", "note a b")
	events(b, exitOK, "resume", "ada", "--approve", "call-1", "--approve", "call-2")
	events(b, exitOK, "run", "--thread", "bob", "hi")

	b = setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, turns: [{tool_calls: [{name: helper, args: {prompt: x}}]}, {content: half, stop_reason: length, usage: {input_tokens: 1, output_tokens: 2, total_tokens: 3}}]}
tools: [{agent: {file: helper.yaml, name: helper, description: Helps.}}]
middleware: [{model_call_limit: {run_limit: 9}}, todo_list]
`)
	b.write("helper.yaml", say)
	events(b, exitOK, "run", "hi")
	for how, code := range map[string]int{"error": exitFailed, "ask": exitWaiting, "": exitOK} {
		b = setup(t, say+"middleware:\n  - plugin: "+module+"\n    config: {how: \""+how+"\"}\n")
		events(b, code, "run", "hi")
	}
	b = setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{error: down}]}\n")
	events(b, exitProvider, "run", "hi")

	delete(kinds, "request") // the command does not ask for them
	require.ElementsMatch(t, slices.Collect(maps.Keys(kinds)), slices.Collect(maps.Keys(seen)))
	require.Subset(t, slices.Collect(maps.Keys(keys)), []string{
		"call", "messages", "state", "update", "text", "name", "data", "interrupts", "answers", "error", "status",
		"next", "duration", "fuel", "memory", "digest", "instance", "agent", "thread",
	})
}

func TestTheSchemaOfEventsIsPrintedAndCommitted(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "schema", "events"), &b.err)
	committed, err := os.ReadFile("../../docs/events.schema.json")
	require.NoError(t, err)
	require.Equal(t, string(committed), b.out.String(), "run make generate")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "schema", "event"))
	require.Contains(t, b.err.String(), `did you mean "events"?`)
}
