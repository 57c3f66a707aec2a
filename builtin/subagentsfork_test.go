package builtin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

const forkRefusal = "You are a subagent and cannot delegate to another subagent. Complete this task yourself instead of calling this tool again."

// adding is middleware that adds a text to the system prompt.
func adding(name, text string) host.Middleware {
	return host.WrapModelCall(name, func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithSystem(req.System.Append(abi.Text("|"+text))))
		return resp, nil, err
	})
}

func TestAForkContinuesTheConversation(t *testing.T) {
	t.Parallel()
	main := newWitness(
		scripted.CallTools(abi.Call("1", "search", nil)), scripted.CallTools(task("2", "helper", "Sum up."), abi.Call("3", "calc", nil)), scripted.Say("done"),
	)
	sub := newWitness(scripted.CallTools(task("a", "helper", "You do it.")), scripted.Say("summed up"))
	agent := newReaderWith(t, host.Config{
		Model: main, Models: map[string]model.Model{"small": sub}, SystemPrompt: abi.Text("Base"), Checkpointer: memory.New(),
	}, adding("style", "agent's style"), adding("tone", "agent's tone"), builtin.Rubric{Model: "small"}, builtin.Subagents{
		SystemPrompt: "Delegate.", GeneralPurpose: new(false),
		Agents: []builtin.Subagent{{
			Name: "helper", Description: "Helps.", Mode: "fork", Model: "small", SystemPrompt: "Be short.",
			Middleware: []host.Middleware{adding("tone", "own tone"), adding("more", "more")},
		}},
	})
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, "summed up", answersByCall(result.Messages)["2"])

	first := sub.asked[0]
	seen := lines(first.Messages)
	require.Equal(t, []string{"human go", "ai search:1", "tool 1 search result "}, seen[:3])
	require.Len(t, seen, 4)
	preamble, description, _ := strings.Cut(seen[3], "Your actual task is below.]\n\n")
	require.True(t, strings.HasPrefix(preamble, "human [The messages above are a prior conversation you are continuing"), preamble)
	require.Equal(t, "Sum up.", description)

	list := "- helper: Helps. (inherits your full conversation and system prompt — no need to restate context here)"
	delegate := "\n\nDelegate.\n\nAvailable subagent types:\n\n" + list
	require.Equal(t, "Base|agent's style|agent's tone"+delegate, main.asked[0].System.Text())
	require.Equal(t, "Base\n\nBe short.|agent's style|own tone"+delegate+"|more", first.System.Text())
	require.Equal(t, main.asked[0].Tools, first.Tools, "the provider's cache serves both")
	require.Contains(t, first.Tools[0].Description, list)
	require.Equal(t, forkRefusal, answersByCall(sub.asked[1].Messages)["a"])
}

// An agent that is there begins with the conversation, and keeps its prompt.
func TestAForkOfAnExistingAgent(t *testing.T) {
	t.Parallel()
	inner := newWitness(scripted.Say("looked"))
	helper := member(t, "helper", host.Config{Model: inner, SystemPrompt: abi.Text("Own")})
	helper.Mode = "fork"
	agent := team(t, host.Config{Model: newWitness(scripted.CallTools(task("1", "helper", "Look.")), scripted.Say("done"))}, helper)
	_, err := agent.Run(t.Context(), start("go"))
	require.NoError(t, err)
	require.Equal(t, "Own", inner.asked[0].System.Text())
	require.Equal(t, 2, inner.asked[0].Messages.Len())
	require.Equal(t, "human go", lines(inner.asked[0].Messages)[0])
}

// A fork has the reviews of the agent, and a question in it reaches a person.
func TestAForkAsksAPerson(t *testing.T) {
	t.Parallel()
	sub := newWitness(scripted.CallTools(abi.Call("a", "calc", nil)), scripted.Say("calculated"))
	agent := newReaderWith(t, host.Config{
		Model:  newWitness(scripted.CallTools(task("1", "helper", "Calculate.")), scripted.Say("done")),
		Models: map[string]model.Model{"small": sub}, Checkpointer: memory.New(),
	}, builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"calc": builtin.AnyDecision()}}, builtin.Subagents{
		GeneralPurpose: new(false), Agents: []builtin.Subagent{{Name: "helper", Description: "Helps.", Mode: "fork", Model: "small"}},
	})
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: decide(approve)}}})
	require.NoError(t, err)
	require.Equal(t, "calculated", answersByCall(result.Messages)["1"])
	require.Equal(t, 2, sub.Calls())
}

func TestModesAreChecked(t *testing.T) {
	t.Parallel()
	for want, agent := range map[string]builtin.Subagent{
		`agents[0].mode: is "forked"; use isolated or fork`:                        {Mode: "forked"},
		"agents[0].skills: a fork has the skills of the agent; leave them out":     {Mode: "fork", Skills: skillSources("/skills")},
		"agents[0].middleware: a fork cannot delegate; leave subagents out":        {Mode: "fork", Middleware: []host.Middleware{&builtin.Subagents{}}},
		"agents[0].permissions: neither the subagent nor the agent has the middle": {Permissions: []builtin.FilePermission{}},
		"agents[0].permissions: its own filesystem has permissions, too; use one of them": {
			Permissions: readOnly, Middleware: []host.Middleware{builtin.Filesystem{Permissions: readOnly}},
		},
		"agents[0].skills: its middleware has skills, too; use one of them": {
			Skills: skillSources("/a"), Middleware: []host.Middleware{builtin.Skills{Sources: skillSources("/b")}},
		},
	} {
		agent.Name, agent.Description = "helper", "Helps."
		_, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{builtin.Subagents{Agents: []builtin.Subagent{agent}}}})
		require.ErrorContains(t, err, want)
	}
}

var readOnly = []builtin.FilePermission{{Operations: []string{"write"}, Paths: []string{"/**"}, Mode: "deny"}}

// Skills and permissions of a subagent are for the agent's files.
func TestSkillsAndPermissionsOfSubagents(t *testing.T) {
	t.Parallel()
	write := abi.Call("a", "write_file", map[string]any{"file_path": "/new.txt", "content": "x"})
	for name, test := range map[string]struct {
		sub    builtin.Subagent
		denied bool
		skills bool
	}{
		"permissions":                       {builtin.Subagent{Permissions: readOnly}, true, false},
		"permissions of its own filesystem": {builtin.Subagent{Permissions: readOnly, Middleware: []host.Middleware{&builtin.Filesystem{}}}, true, false},
		"no permissions in place of some":   {builtin.Subagent{Permissions: []builtin.FilePermission{}}, false, false},
		"skills with the agent's rules":     {builtin.Subagent{Skills: skillSources("/skills")}, true, true},
		"both":                              {builtin.Subagent{Skills: skillSources("/skills"), Permissions: []builtin.FilePermission{}}, false, true},
		"a fork":                            {builtin.Subagent{Mode: "fork"}, true, false},
		"a fork with permissions":           {builtin.Subagent{Mode: "fork", Permissions: []builtin.FilePermission{}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := billing(t)
			sub := newWitness(scripted.CallTools(write), scripted.Say("wrote"))
			test.sub.Name, test.sub.Description, test.sub.Model = "helper", "Helps.", "small"
			for i, m := range test.sub.Middleware {
				if files, ok := m.(*builtin.Filesystem); ok {
					own := *files
					own.Root = root
					test.sub.Middleware[i] = own
				}
			}
			agent := newReader(t, newWitness(scripted.CallTools(task("1", "helper", "Write.")), scripted.Say("done")), sub,
				builtin.Filesystem{Root: root, Permissions: readOnly},
				builtin.Subagents{GeneralPurpose: new(false), Agents: []builtin.Subagent{test.sub}})
			_, err := ask(t, agent, talk("human go"))
			require.NoError(t, err)
			answer := answersByCall(sub.asked[1].Messages)["a"]
			if test.denied {
				require.Contains(t, answer, "permission denied")
			} else {
				require.Equal(t, "Updated file /new.txt", answer)
			}
			require.Equal(t, test.skills, strings.Contains(sub.asked[0].System.Text(), "- **bills**: Writes bills."))
		})
	}
}

// A fork that continues after a summary sees the summary.
func TestAForkSeesTheSummary(t *testing.T) {
	t.Parallel()
	sub := newWitness(scripted.Say("SUMMARY"), scripted.Say("helped"))
	main := newWitness(scripted.CallTools(task("1", "helper", "Help.")), scripted.Say("done"))
	s := summarizing(4, 1)
	agent := newReader(t, main, sub, s, builtin.Subagents{GeneralPurpose: new(false), Agents: []builtin.Subagent{
		{Name: "helper", Description: "Helps.", Mode: "fork", Model: "small"},
	}})
	_, err := ask(t, agent, talk("human 1", "ai: 2", "human 3", "human 4"))
	require.NoError(t, err)
	require.Equal(t, []string{"human " + summaryText + "SUMMARY", "human 4"}, lines(sub.asked[1].Messages)[:2])
}

// The rubric is about the work of the agent, not about that of its subagents.
func TestSubagentsDoNotInheritTheRubric(t *testing.T) {
	t.Parallel()
	var got string
	look := tool.Func("look", "", func(ctx context.Context, _ struct{}) (string, error) {
		got = host.RuntimeOf(ctx).State().Get("rubric").JSON()
		return "looked", nil
	})
	sub := newWitness(scripted.CallTools(abi.Call("a", "look", nil)), scripted.Say("helped"))
	main := newWitness(scripted.CallTools(task("1", "helper", "Help.")), scripted.Say("done"))
	agent, err := host.New(host.Config{
		Model: main, Models: map[string]model.Model{"small": sub}, State: []host.Field{host.NewField[string]("rubric").Field},
		Middleware: []host.Middleware{builtin.Subagents{GeneralPurpose: new(false), Agents: []builtin.Subagent{
			{Name: "helper", Description: "Helps.", Model: "small", Tools: []host.Tool{look}},
		}}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	_, err = agent.Run(t.Context(), host.Input{Messages: history.Of(abi.Human("go")).Messages(), State: map[string]any{"rubric": "Be polite."}})
	require.NoError(t, err)
	require.NotContains(t, got, "polite")
}

// A fork takes over middleware that names tools which the fork lacks. The agent still checks the names.
func TestAForkMayLackGuardedTools(t *testing.T) {
	t.Parallel()
	fork := func(tools ...host.Tool) builtin.Subagents {
		return builtin.Subagents{GeneralPurpose: new(false), Agents: []builtin.Subagent{
			{Name: "helper", Description: "Helps.", Mode: "fork", Tools: tools},
		}}
	}
	named := func(name string) host.Tool {
		return tool.Func(name, "", func(context.Context, struct{}) (string, error) { return "", nil })
	}
	build := func(m host.Middleware) error {
		agent, err := host.New(host.Config{
			Model: scripted.NewTurns(), Models: map[string]model.Model{"small": scripted.NewTurns()},
			Tools: []host.Tool{named("search"), named("calc")}, Middleware: []host.Middleware{m, fork(named("search"))},
		})
		if err != nil {
			return err
		}
		return agent.Close()
	}
	for kind, guarding := range map[string]func(tool string) host.Middleware{
		"auto_mode":       func(tool string) host.Middleware { return builtin.AutoMode{Tools: []string{tool}, Classifier: "small"} },
		"tool_call_limit": func(tool string) host.Middleware { return builtin.ToolCallLimit{ToolName: tool, RunLimit: new(1)} },
		"loop_control": func(tool string) host.Middleware {
			return builtin.LoopControl{MaxContinues: new(0), MaxRepeats: 2, RepeatTools: []string{tool}}
		},
		"harness_profile": func(tool string) host.Middleware {
			return builtin.HarnessProfile{Profiles: map[string]builtin.ModelProfile{"scripted": {ExcludedTools: []string{tool}}}}
		},
		"skills": func(tool string) host.Middleware {
			return builtin.Skills{Sources: skillSources("/skills"), ToolNames: []string{tool}}
		},
	} {
		require.NoError(t, build(guarding("calc")), kind)
		require.ErrorContains(t, build(guarding("clac")), `it guards the tool "clac"`, kind)
	}
}
