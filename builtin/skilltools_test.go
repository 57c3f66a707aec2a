package builtin_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// billing is a directory with a skill that brings tools.
func billing(t *testing.T) string {
	t.Helper()
	return writeFiles(t, map[string]string{
		"skills/bills/SKILL.md": skillFile("bills", "Writes bills.", "metadata:", "  include_tools: search bill nothing"),
		"skills/notes/SKILL.md": skillFile("notes", "Takes notes."),
	})
}

// readSkill is a call that reads a skill.
func readSkill(id, path string) abi.ToolCall {
	return abi.Call(id, "read_file", map[string]any{"file_path": path})
}

// skilled makes an agent whose tool search depends on a skill, as does a tool bill of the middleware.
func skilled(t *testing.T, main model.Model, root string, more ...host.Middleware) *host.Agent {
	t.Helper()
	bill := tool.Func("bill", "Writes a bill.", func(context.Context, struct{}) (string, error) { return "billed", nil })
	return newReaderWith(t, host.Config{Model: main, Checkpointer: memory.New()}, append([]host.Middleware{
		builtin.Skills{Sources: skillSources("/skills"), Root: root, ToolNames: []string{"search"}, Tools: []host.Tool{bill}},
		builtin.Filesystem{Root: root, Tools: builtin.FilesystemTools{"read_file"}},
	}, more...)...)
}

// offered returns the names of the tools of each request.
func (w *witness) offered() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]string, len(w.asked))
	for i, req := range w.asked {
		names := make([]string, len(req.Tools))
		for j := range req.Tools {
			names[j] = req.Tools[j].Name
		}
		out[i] = strings.Join(names, " ")
	}
	return out
}

// answersByCall returns the texts of the tool messages by call.
func answersByCall(messages history.List) map[string]string {
	out := map[string]string{}
	for _, m := range messages.All() {
		if m.Role == abi.RoleTool {
			out[m.ToolCallID] = m.Content.Text()
		}
	}
	return out
}

func TestSkillToolsComeWithTheirSkill(t *testing.T) {
	t.Parallel()
	main := newWitness(
		scripted.CallTools(abi.Call("1", "search", nil), abi.Call("2", "bill", nil), readSkill("3", "/skills/notes/SKILL.md")),
		scripted.CallTools(readSkill("4", "skills/./bills/SKILL.md"), abi.Call("5", "bill", nil)),
		scripted.CallTools(abi.Call("6", "search", nil), abi.Call("7", "bill", nil)), scripted.Say("done"),
	)
	agent := skilled(t, main, billing(t))
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, []string{"read_file calc", "read_file calc", "read_file search calc bill", "read_file search calc bill"}, main.offered())
	for _, spec := range main.asked[2].Tools {
		require.False(t, spec.Dynamic)
	}
	got := answersByCall(result.Messages)
	require.Equal(t, "Error: search is not a valid tool, try one of [read_file, calc].", got["1"])
	require.Equal(t, "Error: bill is not a valid tool, try one of [read_file, calc].", got["2"])
	require.Equal(t, "Error: bill is not a valid tool, try one of [read_file, calc].", got["5"], "the model had not seen it yet")
	require.Equal(t, "search result ", got["6"])
	require.Equal(t, "billed", got["7"])
	require.False(t, result.State.Has("skill_tools_disclosed"))
}

// Without its SKILL.md in the context, a tool is unknown again. A cleared result still counts.
func TestSkillToolsGoWithTheirSkill(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		middleware host.Middleware
		want       string
	}{
		"cleared":    {builtin.ContextEditing{Edits: []builtin.ContextEdit{{Trigger: new(1), Keep: new(0)}}}, "read_file search calc bill"},
		"summarized": {summarizing(5, 1), "read_file calc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main := newWitness(scripted.CallTools(readSkill("1", "/skills/bills/SKILL.md")), scripted.Say("read"), scripted.CallTools(abi.Call("2", "bill", nil)), scripted.Say("done"))
			root := billing(t)
			agent := newReaderWith(t, host.Config{Model: main, Models: map[string]model.Model{"small": newWitness(scripted.Say("SUMMARY"))}, Checkpointer: memory.New()},
				test.middleware, builtin.Skills{
					Sources: skillSources("/skills"), Root: root, ToolNames: []string{"search"},
					Tools: []host.Tool{tool.Func("bill", "", func(context.Context, struct{}) (string, error) { return "billed", nil })},
				}, builtin.Filesystem{Root: root, Tools: builtin.FilesystemTools{"read_file"}})
			for _, text := range []string{"go", "again"} {
				result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human(text)}})
				require.NoError(t, err)
				if text == "again" {
					require.Equal(t, name == "cleared", answersByCall(result.Messages)["2"] == "billed")
				}
			}
			require.Equal(t, test.want, main.offered()[2])
		})
	}
}

// A call that failed, and one of another tool, is not a reading.
func TestWhatReadsASkill(t *testing.T) {
	t.Parallel()
	given := talk("human 1", "ai read_file:1 search:2", "tool 1 Error", "tool 2 text", "human 5")
	given[1].ToolCalls[0].Args = readSkill("1", "/skills/bills/SKILL.md").Args
	given[1].ToolCalls[1].Args = given[1].ToolCalls[0].Args
	given[2].Status = abi.StatusError
	main := newWitness(scripted.Say("done"))
	agent := skilled(t, main, billing(t))
	_, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: given})
	require.NoError(t, err)
	require.Equal(t, []string{"read_file calc"}, main.offered())
}

// A pinned skill brings its tools, too, and other middleware may call them whenever it wants.
func TestPinnedSkillsBringTools(t *testing.T) {
	t.Parallel()
	var called string
	calling := host.BeforeAgent("calling", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		m, err := rt.CallTool(ctx, "search", nil)
		if err == nil {
			called = m.Content.Text()
		}
		return nil, err
	})
	main := newWitness(scripted.CallTools(abi.Call("1", "bill", nil)), scripted.Say("done"))
	agent := skilled(t, main, billing(t), calling)
	result, err := agent.Run(t.Context(), host.Input{
		Thread: "t", Messages: []abi.Message{abi.Human("go")}, State: map[string]any{"pinned_skills": []string{"bills"}},
	})
	require.NoError(t, err)
	require.Equal(t, "search result ", called)
	require.Equal(t, "billed", answersByCall(result.Messages)["1"])
}

// A subagent that takes the tools of its agent does not get around the skills. Its own skills may have the tools.
func TestSkillToolsOfSubagents(t *testing.T) {
	t.Parallel()
	root := billing(t)
	own := builtin.Skills{Sources: skillSources("/skills"), Root: root, ToolNames: []string{"search"}}
	for want, middleware := range map[string][]host.Middleware{
		"calc": nil, "read_file search calc": {own, builtin.Filesystem{Root: root, Tools: builtin.FilesystemTools{"read_file"}}},
	} {
		sub := newWitness(scripted.CallTools(readSkill("1", "/skills/bills/SKILL.md")), scripted.Say("helped"))
		main := newWitness(scripted.CallTools(abi.Call("1", "task", map[string]any{"description": "x", "subagent_type": "helper"})), scripted.Say("done"))
		agent := newReader(t, main, sub, builtin.Skills{Sources: skillSources("/skills"), Root: root, ToolNames: []string{"search"}},
			builtin.Subagents{GeneralPurpose: new(false), Agents: []builtin.Subagent{{
				Name: "helper", Description: "helps", Model: "small", Middleware: middleware,
			}}})
		_, err := ask(t, agent, talk("human go"))
		require.NoError(t, err)
		require.Equal(t, want, sub.offered()[1])
	}
}

// A tool that the model would have to look for is shown with its skill.
func TestSkillsShowDeferredTools(t *testing.T) {
	t.Parallel()
	deferring := host.WrapModelCall("deferring", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		tools := slices.Clone(req.Tools)
		for i := range tools {
			tools[i].Extras = wire.Map{{Key: "defer_loading", Value: wire.Bool(true)}, {Key: "strict", Value: wire.Bool(true)}}
		}
		resp, err := next(ctx, req.WithTools(tools))
		return resp, nil, err
	})
	main := newWitness(scripted.Say("done"))
	agent := newReader(t, main, newWitness(), deferring, builtin.Skills{Sources: skillSources("/skills"), Root: billing(t), SystemPrompt: new("")})
	in := pinned("bills")
	_, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, `{"strict":true}`, main.asked[0].Tools[0].Extras.Raw().JSON(), "search")
	require.Equal(t, `{"defer_loading":true,"strict":true}`, main.asked[0].Tools[1].Extras.Raw().JSON(), "calc")
}

func TestSkillToolsAreRefused(t *testing.T) {
	t.Parallel()
	bill := tool.Func("bill", "", func(context.Context, struct{}) (string, error) { return "", nil })
	for want, skills := range map[string]builtin.Skills{
		`it guards the tool "serch", which the agent does not have; did you mean "search"?`: {ToolNames: []string{"serch"}},
		`tools[1]: the tool "search" is listed twice`:                                       {ToolNames: []string{"search", "search"}},
		`tools[0] is empty`:                    {ToolNames: []string{""}},
		`two skill tools have the name "bill"`: {Tools: []host.Tool{bill, bill}},
		`a tool of Tools is nil`:               {Tools: []host.Tool{nil}},
	} {
		skills.Sources = skillSources("/skills")
		l := newListener([]host.Middleware{skills})
		_, err := host.New(l.config)
		require.ErrorContains(t, err, want)
	}
}
