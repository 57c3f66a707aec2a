package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const greeting = `apiVersion: agenthost/v1
model: {provider: scripted, echo: true}
checkpoint: sqlite:agent.db
context_schema:
  type: object
  required: [user]
  additionalProperties: false
  properties:
    user: {type: object, required: [name], properties: {name: {type: string}}}
    limit: {type: integer, default: 3}
middleware:
  - dynamic_prompt: {template: "{{.context.user.name}} may ask {{.context.limit}} times"}
`

func TestTheContextOfARun(t *testing.T) {
	t.Parallel()
	b := setup(t, greeting)
	b.write("context.json", `{"user": {"name": "Ada"}, "limit": 7}`)
	for _, test := range []struct {
		context []string
		code    int
		says    string
	}{
		{[]string{"user.name=Ada"}, exitOK, "Ada may ask 3 times"},
		{[]string{`{"user": {"name": "Ada"}}`, "limit=5"}, exitOK, "Ada may ask 5 times"},
		{[]string{"@" + b.path("context.json"), "user.name=Eve"}, exitOK, "Eve may ask 7 times"},
		{nil, exitUsage, "the run's context does not fit the agent's context_schema: user: Field required"},
		{[]string{"user.name=7"}, exitUsage, "/user/name: "},
		{[]string{"user.name=Ada", "limt=5"}, exitUsage, `/limt: the schema has no such property; did you mean "limit"?`},
		{[]string{"user"}, exitUsage, `--context "user": write KEY=VALUE, a JSON object, or @FILE`},
		{[]string{"@" + b.path("gone")}, exitUsage, "--context: " + b.path("gone") + ": there is no such file"},
		{[]string{"{user"}, exitUsage, "--context:1:"},
		{[]string{"a[=x"}, exitUsage, "--context a[=x: "},
	} {
		args := []string{"run", "--dry-run", "hi"}
		for _, given := range test.context {
			args = append(args, "--context", given)
		}
		require.Equal(t, test.code, b.run(args...), "%q: %s", test.context, &b.err)
		require.Contains(t, b.out.String()+b.err.String(), test.says)
	}
	require.Equal(t, exitOK, b.run("run", "-q", "--context", "user.name=Ada", "hi"), &b.err)
	require.Contains(t, b.out.String(), "Ada may ask 3 times")
	require.Equal(t, exitOK, b.says("hi\nhi\n", "--context", "user.name=Ada"), &b.err)
	require.Contains(t, b.out.String(), "Ada may ask 3 times")
	require.Equal(t, exitUsage, b.says("hi\n"))
	require.Contains(t, b.err.String(), "context_schema: user")
}

// A run that goes on needs its context again, so the command that is printed has it.
func TestTheCommandThatContinuesHasTheContext(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, turns: [{tool_calls: [{name: write_file, args: {path: a, content: one}}]}, {content: done}]}
checkpoint: sqlite:agent.db
context_schema: {type: object, required: [user]}
tools: [files: {root: data, write: true}]
middleware: [human_in_the_loop: {interrupt_on: {write_file: true}}]
`)
	b.write("data/x", "")
	require.Equal(t, exitWaiting, b.run("run", "--thread", "ada", "--context", "user=Ada", "--context", "api_key=x", "hi"), &b.err)
	require.Contains(t, b.err.String(), "agenthost resume ada -f "+b.path("agenthost.yaml")+" --context user=Ada --context api_key=SECRET --approve call-1-1")
	require.Contains(t, b.err.String(), "put yours in place of SECRET")
	require.Equal(t, exitUsage, b.run("resume", "ada", "--approve", "call-1-1"))
	require.Contains(t, b.err.String(), "context_schema: user")
	require.Equal(t, exitOK, b.run("resume", "ada", "--approve", "call-1-1", "--context", "user=Ada"), &b.err)
	require.Equal(t, "done\n", b.out.String())
}

func TestTheStateOfARun(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, echo: true}
models:
  grader:
    provider: scripted
    turns: [{tool_calls: [{name: GraderResponse, args: {result: satisfied, explanation: Good., criteria: [{name: brief, passed: true}]}}]}]
checkpoint: sqlite:agent.db
middleware: [{rubric: {model: grader}}]
`)
	require.Equal(t, exitOK, b.run("run", "--state", "rubric=Be brief.", "hi"), &b.err)
	require.Contains(t, b.err.String(), `rubric_evaluation_end {"criteria":[{"name":"brief","passed":true}]`)
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.NotContains(t, b.err.String(), "rubric_evaluation")
	for text, flags := range map[string][]string{
		`field "rubrik": is not declared; did you mean "rubric"?`:    {"--state", "rubrik=x", "hi"},
		`--state "rubric": write KEY=VALUE, a JSON object, or @FILE`: {"--state", "rubric", "hi"},
		"--continue takes no --state":                                {"--thread", "t", "--continue", "--state", "rubric=x"},
	} {
		require.Equal(t, exitUsage, b.run(append([]string{"run"}, flags...)...), &b.err)
		require.Contains(t, b.err.String(), text)
	}
}
