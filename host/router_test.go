package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func TestTheLoopEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		script []scripted.Turn
		tools  bool
		want   []string
	}{
		{"when the model asks for no tool", []scripted.Turn{scripted.Say("done")}, true, []string{"human: hi", "ai: done"}},
		{"after one call where there are no tools", []scripted.Turn{calls("work")}, false, []string{"human: hi", "ai: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, test.script...)
			if test.tools {
				b.answering("work", "worked")
			}
			require.Equal(t, test.want, lines(b.mustRun().Messages))
		})
	}
}

func TestCallsThatHooksAnsweredGoBackToTheModel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		answer []abi.ToolCall
		ran    []string
		want   []string
	}{
		{"all", []abi.ToolCall{call("2", "b"), call("1", "a")}, nil, []string{"human: hi", "ai: ", "tool 2: no", "tool 1: no", "ai: done"}},
		{"some", []abi.ToolCall{call("1", "a")}, []string{"b"}, []string{"human: hi", "ai: ", "tool 1: no", "tool 2: B", "ai: done"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("a", "b"), scripted.Say("done")).answering("a", "A").answering("b", "B")
			b.use(host.AfterModel("answers", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
				if rt.N() > 1 {
					return nil, nil
				}
				u := &host.Update{}
				for _, c := range test.answer {
					u.Messages = append(u.Messages, abi.ToolResult(c, "no"))
				}
				return u, nil
			}))
			require.Equal(t, test.want, lines(b.mustRun().Messages))
			require.Equal(t, test.ran, b.log)
		})
	}
}

// An answer counts only behind the AI message that asked: ids come again.
func TestAnOldAnswerDoesNotAnswerANewCall(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work"), calls("work"), scripted.Say("done")).answering("work", "worked")
	require.Equal(t, []string{
		"human: hi", "ai: ", "tool 1: worked", "ai: ", "tool 1: worked", "ai: done",
	}, lines(b.mustRun().Messages))
}

func TestReturnDirect(t *testing.T) {
	t.Parallel()
	strict := tool.Func("strict", "", func(context.Context, struct {
		N int `json:"n"`
	},
	) (string, error) {
		return "ran", nil
	}, tool.ReturnDirect())
	for _, test := range []struct {
		name  string
		calls []string
		ends  bool
	}{
		{"ends the run", []string{"direct"}, true},
		{"ends the run if all calls return directly", []string{"direct", "other"}, true},
		{"goes on beside a tool that does not", []string{"direct", "work"}, false},
		{"goes on beside a tool that does not, in any order", []string{"work", "direct"}, false},
		{"ends the run beside an unknown tool", []string{"direct", "nobody"}, true},
		{"goes on after an unknown tool alone", []string{"nobody"}, false},
		{"ends the run although the arguments are invalid", []string{"strict"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls(test.calls...), scripted.Say("done"))
			b.answering("direct", "D", tool.ReturnDirect()).answering("other", "O", tool.ReturnDirect()).answering("work", "W")
			b.Tools = append(b.Tools, strict)
			last, _ := b.mustRun().Messages.Last()
			if test.ends {
				require.Equal(t, abi.RoleTool, last.Role)
			} else {
				require.Equal(t, "done", last.Content.Text())
			}
		})
	}
}

func TestReturnDirectRunsAfterAgentHooks(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("direct")).answering("direct", "D", tool.ReturnDirect())
	b.use(host.AfterAgent("after", constant(&host.Update{Messages: []abi.Message{abi.AI("bye")}}, nil)))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: D", "ai: bye"}, lines(b.mustRun().Messages))
}

// A wrap may let another tool run under its own name: that one's return_direct counts.
func TestReturnDirectOfARedirectedCall(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work"), scripted.Say("done")).answering("work", "W")
	direct := newTool("direct", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("D"), nil
	}, tool.ReturnDirect())
	b.Tools = append(b.Tools, direct)
	b.use(host.WrapToolCall("redirects", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req.WithTool(direct).WithName("direct"))
		return m, nil, err
	}))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: D"}, lines(b.mustRun().Messages))
}

func TestTheModelIsAsked(t *testing.T) {
	t.Parallel()
	var seen []*model.Request
	b := setup(t, calls("b"), scripted.Say("done")).answering("b", "B").answering("a", "A")
	b.SystemPrompt = abi.Text("be kind")
	b.use(host.WrapModelCall("looks", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		seen = append(seen, req)
		resp, err := next(ctx, req.WithSettings(wire.Map{{Key: "x", Value: wire.Int(1)}}))
		return resp, nil, err
	}, host.PassesTokens()), host.BeforeAgent("brings tools", constant(nil, nil),
		host.WithTools(newTool("c", nil), newTool("a", nil))))

	b.mustRun()

	require.Len(t, seen, 2)
	var names []string
	for _, spec := range seen[0].Tools {
		names = append(names, spec.Name)
	}
	require.Equal(t, []string{"c", "a", "b"}, names, "tools of middleware first; a later one of a name takes the place of the first")
	require.Equal(t, "be kind", seen[0].System.Text())
	require.Same(t, b.Model, seen[0].Model)
	require.Equal(t, []string{"human: hi"}, lines(seen[0].Messages))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: B"}, lines(seen[1].Messages))
	require.Empty(t, seen[1].Settings)
}
