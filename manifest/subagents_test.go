package manifest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/manifest"
)

const handsOn = `model: {provider: scripted, turns: [{tool_calls: [{id: "1", name: task, args: {description: list, subagent_type: clerk}}]}, {content: done}]}
models:
  clerk: {provider: scripted, turns: [{tool_calls: [{id: a, name: list_files, args: {}}]}, {content: I have a list.}]}
`

// report runs an agent of these files and returns what its first task came back with.
func report(t *testing.T, files ...[2]string) string {
	t.Helper()
	agent, err := built(t, folder(t, files...))
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("Go.")}})
	require.NoError(t, err)
	require.Equal(t, "done", result.Text())
	m := result.Messages.At(2)
	require.False(t, m.Failed(), m.Content.Text())
	return m.Content.Text()
}

func TestSubagentsOfAManifest(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"tools of their own": `middleware:
  - subagents:
      general_purpose: false
      default_middleware: [patch_tool_calls]
      agents:
        - {name: clerk, description: Lists., model: clerk, tools: [{files: {root: .}}], middleware: [{model_call_limit: {run_limit: 2}}]}
`,
		"the agent's tools": `tools: [{files: {root: .}}]
middleware: [{subagents: {agents: [{name: clerk, description: Lists., model: clerk}]}}]
`,
		"one of the agent's tools": `tools: [{files: {root: .}}]
middleware: [{id: staff, subagents: {agents: [{name: clerk, description: Lists., model: clerk, tools: [list_files]}]}}]
`,
		"a fork": `tools: [{files: {root: .}}]
middleware: [todo_list, {subagents: {agents: [{name: clerk, description: Lists., model: clerk, mode: fork, middleware: [{model_call_limit: {run_limit: 2}}]}]}}]
`,
		"skills and permissions": `tools: [{files: {root: .}}]
middleware:
  - filesystem: {root: .}
  - subagents:
      agents:
        - name: clerk
          description: Lists.
          model: clerk
          skills: [{path: /skills, label: Team}]
          permissions: [{operations: [write], paths: ["/**"], mode: deny}]
`,
		"an alias": `tools: [{files: {root: .}}]
middleware: [{sub_agent: {agents: [{name: clerk, description: Lists., model: clerk}]}}]
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, "I have a list.", report(t, [2]string{"agenthost.yaml", handsOn + text}))
		})
	}
}

func TestASubagentOfAManifestAnswersWithAValue(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"metres": 40}`, report(t, [2]string{"agenthost.yaml", `model: {provider: scripted, turns: [{tool_calls: [{id: "1", name: task, args: {description: x, subagent_type: a}}]}, {content: done}]}
models: {m: {provider: scripted, turns: [{tool_calls: [{id: v, name: Depth, args: {metres: 40}}]}]}}
middleware:
  - subagents:
      agents:
        - name: a
          description: Measures.
          model: m
          response_format: {schema: {title: Depth, type: object, properties: {metres: {type: integer}}, required: [metres]}}
`}))
}

// The manifest of another agent says who it is, unless the entry does.
func TestASubagentOfAnotherManifest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string][2]string{
		"by its own name": {"{file: ./inner.yaml}", "name: clerk\ndescription: Lists.\n"},
		"by another":      {"{file: ./inner.yaml, name: clerk, description: Lists.}", "name: other\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, "I am another.", report(t,
				[2]string{"agenthost.yaml", handsOn + "middleware: [{subagents: {agents: [" + test[0] + "]}}]\n"},
				[2]string{"inner.yaml", test[1] + "model: {provider: scripted, turns: [{content: I am another.}]}\n"}))
		})
	}
}

// The general-purpose subagent is there without any key, also inside of another subagent; tasks go down two levels.
func TestSubagentsOfSubagentsOfAManifest(t *testing.T) {
	t.Parallel()
	require.Equal(t, "I have asked.", report(t, [2]string{"agenthost.yaml", `model: {provider: scripted, turns: [{tool_calls: [{id: "1", name: task, args: {description: x, subagent_type: chief}}]}, {content: done}]}
models:
  chief: {provider: scripted, turns: [{tool_calls: [{id: a, name: task, args: {description: y, subagent_type: general-purpose}}]}, {content: I am the one.}, {content: I have asked.}]}
middleware:
  - subagents: {agents: [{name: chief, description: Asks., model: chief, middleware: [subagents]}], general_purpose: false}
`}))
}

// A subagent asks in the run's thread, and goes on in another process; the review is that of the agent.
func TestASubagentOfAManifestAsks(t *testing.T) {
	t.Parallel()
	path := folder(t, [2]string{"agenthost.yaml", `model: {provider: scripted, rules: outer.yaml}
models: {inner: {provider: scripted, rules: inner.yaml}}
tools: [{files: {root: .}}]
middleware:
  - id: review
    human_in_the_loop: {interrupt_on: {list_files: true}}
  - subagents: {agents: [{name: clerk, description: Lists., model: inner}]}
checkpoint: sqlite:threads.db
`})
	for name, rules := range map[string]string{
		"outer.yaml": "rules: [{from: human, when: '', call: [{name: task, args: {description: list, subagent_type: clerk}}]}, {when: '', say: done}]",
		"inner.yaml": "rules: [{from: human, when: '', call: [{name: list_files, args: {}}]}, {when: '', say: There is nothing.}]",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(rules), 0o600))
	}
	names := func(agent *manifest.Agent) (out []string) {
		for info, err := range checkpoint.AllThreads(t.Context(), agent.Threads, checkpoint.Query{}) {
			require.NoError(t, err)
			name, _, _ := strings.Cut(info.Thread, "-")
			out = append(out, name)
		}
		return out
	}
	agent, err := built(t, path)
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Go.")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Contains(t, result.Interrupts[0].Value.JSON(), "list_files")
	require.Equal(t, []string{"clerk", "t"}, names(agent))

	again, err := built(t, path) // another process
	require.NoError(t, err)
	result, err = again.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: map[string]any{"decisions": []any{map[string]any{"type": "approve"}}}}}})
	require.NoError(t, err)
	answer := result.Messages.At(2)
	require.Equal(t, "There is nothing.", answer.Content.Text())
	require.Equal(t, []string{"t"}, names(again))
}

func TestSubagentsThatAManifestCannotHave(t *testing.T) {
	t.Parallel()
	const model = "model: {provider: scripted, echo: true}\n"
	other := [2]string{"other.yaml", "model: {provider: scripted, echo: true}\n"}
	for name, test := range map[string]struct {
		text string
		says []string
	}{
		"unknown key":          {"{agents: [{name: a, description: b, promt: c}]}", []string{"agenthost.yaml:3:62", `unknown key "promt"`}},
		"unknown tool":         {"{agents: [{name: a, description: b, tools: [{fles: {root: .}}]}]}", []string{"agenthost.yaml:3:71", `unknown tool "fles"`, `did you mean "files"?`}},
		"no such tool":         {"{agents: [{name: a, description: b, tools: [serch]}]}", []string{"agenthost.yaml:3:70", `unknown tool of the agent "serch"`}},
		"empty tool":           {"{agents: [{name: a, description: b, tools: ['']}]}", []string{"agenthost.yaml:3:70", "must be the name of a tool"}},
		"tools are not a list": {"{agents: [{name: a, description: b, tools: files}]}", []string{"agenthost.yaml:3:69", "expected a list"}},
		"no such folder":       {"{agents: [{name: a, description: b, tools: [{files: {root: ./none}}]}]}", []string{"agenthost.yaml:3:85"}},
		"unknown middleware":   {"{agents: [{name: a, description: b, middleware: [tool_eror]}]}", []string{"agenthost.yaml:3:75", `did you mean "tool_error"?`}},
		"bad middleware":       {"{agents: [{name: a, description: b, middleware: [{tool_error: {}}]}]}", []string{"agenthost.yaml:3:75", "on_error.format is missing"}},
		"bad default":          {"{default_middleware: [{tool_call_limit: {}}]}", []string{"agenthost.yaml:3:48", "at least one limit"}},
		"unknown model":        {"{agents: [{name: a, description: b, model: big}]}", []string{"agenthost.yaml:3:69", `there is no model "big"`}},
		"no name":              {"{agents: [{description: b}]}", []string{"agenthost.yaml:3:36", `the key "name" is missing`}},
		"two of a name":        {"{agents: [{name: a, description: b}, {name: a, description: b}]}", []string{"agenthost.yaml:3:70", `two subagents "a"`}},
		"bad review":           {"{agents: [{name: a, description: b, interrupt_on: {x: 1}}]}", []string{"agenthost.yaml:3:80", "a policy must be true, false"}},
		"bad format":           {"{agents: [{name: a, description: b, response_format: {}}]}", []string{"agenthost.yaml:3:79", "either schema or schemas"}},
		"bad schema": {
			"{agents: [{name: a, description: b, response_format: {schema: none.json}}]}", []string{"agenthost.yaml:3:88", "none.json"},
		},
		"format that cannot be": {
			"{agents: [{name: a, description: b, response_format: {schema: {type: 1}}}]}", []string{"agenthost.yaml:3:36", "ResponseFormat"},
		},
		"none":              {"{general_purpose: false}", []string{"agenthost.yaml:3:14", "At least one subagent must be specified"}},
		"missing file":      {"{agents: [{file: ./none.yaml}]}", []string{"agenthost.yaml:3:43", "there is no such file"}},
		"file without name": {"{agents: [{file: ./other.yaml, description: b}]}", []string{"agenthost.yaml:3:36", `the key "name" is missing`}},
		"file and prompt":   {"{agents: [{file: ./other.yaml, name: a, description: b, system_prompt: c}]}", []string{"agenthost.yaml:3:97", "leave it out"}},
		"itself":            {"{agents: [{file: ./agenthost.yaml, name: a, description: b}]}", []string{"agenthost.yaml:3:43", "in a circle"}},
		"two mistakes": {
			"{default_middleware: [a], agents: [{name: a, description: b, tools: [{c: {}}], middleware: [d]}]}",
			[]string{`unknown middleware "a"`, `unknown tool "c"`, `unknown middleware "d"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := built(t, folder(t, [2]string{"agenthost.yaml", model + "middleware: [{subagents: " + test.text + "}]" + "\n"}, other))
			for _, text := range test.says {
				require.ErrorContains(t, err, text)
			}
		})
	}
}

// An agent that is only looked at has the tools of servers that nobody started by the names that subagents use.
func TestSubagentsOfAnAgentThatIsLookedAt(t *testing.T) {
	t.Parallel()
	path := folder(t, [2]string{"agenthost.yaml", `model: {provider: scripted, echo: true}
tools: [{mcp: {command: [./nothing]}}]
middleware: [{subagents: {agents: [{name: a, description: b, tools: [search, {mcp: {command: [./nothing], prefix: x_}}]}]}}]
`})
	m, err := manifest.Load(path, manifest.Options{InMemory: true})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	require.NoError(t, agent.Close())
}

// The registry's example is one that works.
func TestTheExampleOfSubagents(t *testing.T) {
	t.Parallel()
	entry, ok := builtin.Lookup("subagents")
	require.True(t, ok)
	path := folder(t, [2]string{"agenthost.yaml", `model: {provider: scripted, echo: true}
models: {small: {provider: scripted, turns: [{content: It is salty.}]}}
middleware:
` + entry.Example})
	m, err := manifest.Load(path, manifest.Options{})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, func(config *host.Config) {
		config.Model = scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "task", map[string]any{"description": "the sea", "subagent_type": "researcher"})), scripted.Say("done"),
		)
		config.Tools = append(config.Tools, tool.Func("search", "", func(context.Context, struct{}) (string, error) { return "", nil }))
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("Go.")}})
	require.NoError(t, err)
	answer := result.Messages.At(2)
	require.Equal(t, "It is salty.", answer.Content.Text())
}
