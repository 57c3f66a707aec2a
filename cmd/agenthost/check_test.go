package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// check runs the command with the bundle's manifest.
func (b *bundle) check(source string, args ...string) int {
	return b.run(append([]string{"check", source}, args...)...)
}

// checkedRecording returns a directory with an agent, and the recording of a run.
func checkedRecording(t *testing.T) (b *bundle, recording string) {
	t.Helper()
	b = setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, rules: rules.yaml}
system_prompt: You keep notes.
tools: [{files: {root: notes}}]
checkpoint: sqlite:agent.db
middleware:
  - plugin: mask.js
    config: {word: blue}
  - model_call_limit: {run_limit: 5}
`)
	b.write("rules.yaml", "rules: [{from: human, when: '', call: [{name: read_file, args: {path: sky.md}}]}, {when: '', say: done}]\n")
	b.write("notes/sky.md", "blue and grey")
	b.write("mask.js", maskScript("***"))
	require.Equal(t, exitOK, b.run("run", "--output", "jsonl", "--thread", "ada", "which color?"), &b.err)
	b.write("run.jsonl", b.out.String())
	return b, filepath.Join(b.dir, "run.jsonl")
}

// maskScript is a plugin that replaces a word in results of tools.
func maskScript(by string) string {
	return `import { plugin } from "agenthost"
export default plugin({
	name: "mask",
	version: "1.0.0",
	configSchema: { type: "object", properties: { word: { type: "string" } } },
	wrapToolCall(call) {
		const answer = call.next()
		return { content: String(answer.content).replaceAll(call.config.word, "` + by + `") }
	},
})
`
}

func TestAChangeThatDoesNothing(t *testing.T) {
	t.Parallel()
	b, recording := checkedRecording(t)
	require.Equal(t, exitOK, b.check(recording, "--set", "middleware[1].model_call_limit.run_limit=6", "--all"), b.out.String(), &b.err)
	require.Contains(t, b.out.String(), "turn 1, message 2 (tool read_file): same")
	require.Contains(t, b.out.String(), "3 messages and 2 requests compared, 0 different")
}

func TestAChangedPlugin(t *testing.T) {
	t.Parallel()
	b, recording := checkedRecording(t)
	b.write("new.js", maskScript("[color]"))
	require.Equal(t, exitFailed, b.check(recording, "--plugin", filepath.Join(b.dir, "new.js"), "--real", "read_file"), b.out.String(), &b.err)
	require.Contains(t, b.out.String(), "turn 1, message 2 (tool read_file): DIFFERENT\n  content: \"*** and grey\" → \"[color] and grey\"")
	require.Contains(t, b.out.String(), "request 2 to the model: DIFFERENT")
	require.Contains(t, b.out.String(), "3 messages and 2 requests compared, 2 different")
	require.Equal(t, exitOK, b.check(recording, "--plugin", "mask="+filepath.Join(b.dir, "new.js")), "the recorded result has no such word")
}

func TestAChangedManifest(t *testing.T) {
	t.Parallel()
	b, recording := checkedRecording(t)
	b.write("new.yaml", `apiVersion: agenthost/v1
model: {provider: scripted, echo: true}
system_prompt: Be brief.
tools: [{files: {root: notes}}]
middleware: [{model_call_limit: {run_limit: 1, exit_behavior: error}}]
`)
	require.Equal(t, exitFailed, b.check("ada", "--against", filepath.Join(b.dir, "new.yaml"), "--json"), b.out.String(), &b.err)
	var report checkReport
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &report))
	require.False(t, report.Same)
	require.Contains(t, report.Turns[0].Status, "completed → failed")
	require.Empty(t, report.Turns[0].Messages[0].Differences)
	require.Equal(t, []string{`- ai: "done"`}, report.Turns[0].Messages[2].Differences)
	require.Equal(t, []string{`system: "You keep notes." → "Be brief."`}, report.Requests[0].Differences)
	require.Equal(t, exitFailed, b.check(recording, "--set", "system_prompt=Be kind."))
}

func TestChecksThatCannotBegin(t *testing.T) {
	t.Parallel()
	b, recording := checkedRecording(t)
	b.write("other.txt", "hello\n")
	for _, test := range []struct {
		args    []string
		message string
	}{
		{[]string{recording}, "nothing is changed; add --plugin, --against or --set"},
		{[]string{filepath.Join(b.dir, "other.txt"), "--set", "recursion_limit=9"}, "line 1 is not an event"},
		{[]string{"gone.jsonl", "--set", "recursion_limit=9"}, "gone.jsonl"},
		{[]string{"nobody", "--set", "recursion_limit=9"}, "nobody"},
		{[]string{recording, "--plugin", "zzz=a.js"}, `the manifest has no plugin "zzz", only mask; write NAME=FILE`},
		{[]string{recording, "--plugin", "gone.js"}, "gone.js"},
		{[]string{recording, "--against", "gone.yaml"}, "gone.yaml is not there"},
		{[]string{recording, "--set", "recursion=9"}, "recursion"},
	} {
		require.Equal(t, exitUsage, b.check(test.args[0], test.args[1:]...), test.args)
		require.Contains(t, b.err.String(), test.message)
	}
}
