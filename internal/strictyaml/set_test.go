package strictyaml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

const base = `
name: file
model: {provider: openai, name: gpt}
tools: [files]
config: &shared {a: 1, nothing: }
raw: *shared
middleware:
  - patch_tool_calls
  - tool_call_limit: {run_limit: 3}
`

func TestAssignments(t *testing.T) {
	t.Parallel()
	m := decode(t, base, strictyaml.WithSet([]string{
		"name=first",
		"name=Note: be kind, # really",
		"model.name=gpt-5.2",
		"model.max_tokens=100",
		"middleware[1].tool_call_limit.run_limit=9",
		"tools[1]=search",
		`alert["*"]=60`,
		"alert.x=7",
		"limits.memory=1MiB",
		`config.list=[1, {b: "c"}]`,
		"config.nothing.deep[0].deeper=true",
		"config.empty=",
		`config.text="5"`,
		"config.null=null",
		"config.version=1.10",
	}))
	require.Equal(t, "Note: be kind, # really", m.Name, "the last one wins, and is taken as it stands")
	require.Equal(t, &model{Provider: "openai", Name: "gpt-5.2", MaxTokens: 100}, m.Model)
	require.Equal(t, 9, m.Entries[1].Limit.RunLimit)
	require.Equal(t, []string{"files", "search"}, m.Tools)
	require.Equal(t, map[string]int{"*": 60, "x": 7}, m.Alert)
	require.Equal(t, strictyaml.Size(1<<20), m.Limits.Memory)
	require.Equal(t, map[string]any{
		"a": int64(1), "list": []any{int64(1), map[string]any{"b": "c"}},
		"nothing": map[string]any{"deep": []any{map[string]any{"deeper": true}}},
		"empty":   "", "text": "5", "null": nil, "version": 1.1,
	}, m.Config)
	var raw any
	require.NoError(t, m.Raw.Decode(&raw))
	require.Equal(t, map[string]any{"a": int64(1), "nothing": nil}, raw, "the alias of the same anchor is another value")
}

func TestAssignedKeys(t *testing.T) {
	t.Parallel()
	for assignment, want := range map[string][]string{
		"model=x": {"model"}, `["model"].base_url=http://a=b`: {"model", "base_url"}, "a[3].b=": {"a", "[3]", "b"}, "a.b": {"a", "b"}, "a..b=x": nil, "": nil,
	} {
		require.Equal(t, want, strictyaml.AssignedKeys(assignment), assignment)
	}
}

func TestProblemsOfAssignments(t *testing.T) {
	t.Parallel()
	for assignment, want := range map[string]string{
		"modle.name=x":             "--set modle.name=x: unknown key \"modle\"\n  did you mean \"model\"?",
		"model.nam=x":              "--set model.nam=x: model: unknown key \"nam\"\n  did you mean \"name\"?",
		"small=many":               "--set small=many: small: expected an integer, found string \"many\"",
		"small=10k":                "--set small=10k: small: expected an integer, found string \"10k\"\n  write 10000, because this key takes no unit",
		"tools=":                   "--set tools=: tools: expected a list, found string \"\"\n  start every entry with \"- \" on a line of its own, or write [a, b]",
		"exit_behavior=stop":       "--set exit_behavior=stop: exit_behavior: must be continue, end or error, found \"stop\"",
		"limits=null":              "--set limits=null: limits: a value is missing\n  give one, or remove the key",
		"name.first=x":             "--set name.first=x: name: string \"file\" has no key \"first\"",
		"name[0]=x":                "--set name[0]=x: name: string \"file\" has no entry [0]",
		"tools.x=1":                "--set tools.x=1: tools: a list has no key \"x\"; write the number of an entry as tools[0]",
		"middleware[0].x=1":        "--set middleware[0].x=1: middleware[0]: string \"patch_tool_calls\" has no key \"x\"",
		"middleware[3]=x":          "--set middleware[3]=x: middleware: the list has no entry [3]; the next one is [2]",
		"middleware[2]=tool_limit": "--set middleware[2]=tool_limit: middleware[2]: unknown middleware \"tool_limit\"\n  did you mean \"tool_call_limit\"?",
		"name":                     "--set name: \"=\" and a value are missing\n  write path.to.key=value",
		"":                         "--set : a key is missing after \"\"\n  write path.to.key=value",
		"=x":                       "--set =x: a key is missing after \"\"\n  write path.to.key=value",
		".name=x":                  "--set .name=x: \".\" or \"[\" is expected after \"\"\n  write path.to.key=value",
		"model..name=x":            "--set model..name=x: a key is missing after \"model\"\n  write path.to.key=value",
		"tools[x]=a":               "--set tools[x]=a: the index after \"tools\" is not a number in brackets\n  write path.to.key=value",
		"tools[0=a":                "--set tools[0=a: the index after \"tools\" is not a number in brackets\n  write path.to.key=value",
		"tools[0]x=a":              "--set tools[0]x=a: \".\" or \"[\" is expected after \"tools[0]\"\n  write path.to.key=value",
		`alert["a=1`:               "--set alert[\"a=1: the quoted key after \"alert\" does not end with \"]\n  write path.to.key=value",
		"tools=[files":             "--set tools=[files: the closing \"]\" is missing\n  put the value in double quotes if it is a text, in a shell as 'key=\"[text\"'",
		"tools=[files] x":          "--set tools=[files] x: character 9 of the value: this does not belong to the value before it\n  put the value in double quotes if it is a text, in a shell as 'key=\"[text\"'",
		"name=true":                "--set name=true: name: expected a string, found boolean true\n  quote it, in a shell twice: 'name=\"true\"'",
		"name=\xff":                "--set name=\ufffd: the assignment is not UTF-8",
	} {
		requireError(t, decodeError(t, base, strictyaml.WithSet([]string{assignment})), want)
	}
}

func TestAssignmentsAreExpandedAndKeepOtherProblems(t *testing.T) {
	t.Parallel()
	err := decodeError(t, "nam: x\n", withEnvironment(), strictyaml.WithSet([]string{"name=${NAME}", "small=${SECRET}", "tools", "exit_behavior=${UNSET} ${UNSET}"}))
	requireError(t, err, `
agenthost.yaml:1:1: unknown key "nam"
  1 | nam: x
    | ^
  did you mean "name"?
--set tools: "=" and a value are missing
  write path.to.key=value
--set exit_behavior=${UNSET} ${UNSET}: exit_behavior: the variable UNSET is not set
  set it, or give a default: ${UNSET:-default}
--set exit_behavior=${UNSET} ${UNSET}: exit_behavior: the variable UNSET is not set
  set it, or give a default: ${UNSET:-default}
--set small=${SECRET}: small: expected an integer, found string "${SECRET}"
  the value of the variable is not shown`)
	require.Equal(t, "assistant", decode(t, "name: x\n", withEnvironment(), strictyaml.WithSet([]string{"name=${NAME}"})).Name)
}
