package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func searching() host.Tool {
	type arguments struct {
		Q string `json:"q"`
		N int    `json:"n,omitempty"`
	}
	return tool.Func("search", "Searches.", func(_ context.Context, in arguments) (string, error) { return "found " + in.Q, nil })
}

func TestCallsThatTheModelGotWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		call abi.ToolCall
		want string
	}{
		{"an unknown tool", call("1", "nobody"), "failed 1: Error: nobody is not a valid tool, try one of [search, work]."},
		{
			"a missing argument", abi.Call("1", "search", map[string]any{"n": 1}),
			"failed 1: Error invoking tool 'search' with kwargs {\"n\":1} with error:\n q: Field required\n Please fix the error and try again.",
		},
		{
			"an argument of the wrong type", abi.Call("1", "search", map[string]any{"q": 1}),
			"failed 1: Error invoking tool 'search' with kwargs {\"q\":1} with error:\n" +
				" validating /properties/q: type: 1 has type \"integer\", want \"string\"\n Please fix the error and try again.",
		},
		{
			"an argument too many", abi.Call("1", "search", map[string]any{"q": "x", "z": nil}),
			"failed 1: Error invoking tool 'search' with kwargs {\"q\":\"x\",\"z\":null} with error:\n" +
				" unexpected additional properties [\"z\"]\n Please fix the error and try again.",
		},
		{
			"no arguments",
			abi.ToolCall{ID: "1", Name: "search"},
			"failed 1: Error invoking tool 'search' with kwargs {} with error:\n q: Field required\n Please fix the error and try again.",
		},
		{"nothing", abi.Call("1", "search", map[string]any{"q": "x"}), "tool 1: found x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.CallTools(test.call), scripted.Say("done"))
			b.Tools = append(b.Tools, searching())
			b.answering("work", "worked")

			result := b.mustRun()

			require.Equal(t, []string{"human: hi", "ai: ", test.want, "ai: done"}, lines(result.Messages))
			answer := result.Messages.At(2)
			require.Equal(t, test.call.Name, answer.Name)
			require.NotEmpty(t, answer.ID)
		})
	}
}

func TestUnknownToolOfAnAgentWithoutTools(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("x"), scripted.Say("done"))
	b.use(b.noting("wraps"))
	require.Contains(t, lines(b.mustRun().Messages), "failed 1: Error: x is not a valid tool, try one of [].")
}

func TestToolOutputs(t *testing.T) {
	t.Parallel()
	blocks := abi.Blocks(abi.TextBlock("a"), abi.TextBlock("b"))
	for _, test := range []struct {
		name   string
		output *host.ToolOutput
		want   abi.Message
	}{
		{"a text", host.TextOutput("x"), abi.Message{Content: abi.Text("x"), Status: abi.StatusSuccess}},
		{"nothing", &host.ToolOutput{}, abi.Message{Status: abi.StatusSuccess}},
		{"blocks", &host.ToolOutput{Content: blocks}, abi.Message{Content: blocks, Status: abi.StatusSuccess}},
		{
			"a failure with an artifact", &host.ToolOutput{Content: abi.Text("no"), Failed: true, Artifact: wire.Int(7)},
			abi.Message{Content: abi.Text("no"), Status: abi.StatusError, Artifact: wire.Int(7)},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("work"), scripted.Say("done"))
			b.tool("work", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) { return test.output, nil })

			got := b.mustRun().Messages.At(2)

			test.want.ID, test.want.Role, test.want.Name, test.want.ToolCallID = got.ID, abi.RoleTool, "work", "1"
			require.Equal(t, test.want, got)
		})
	}
}

func TestAToolErrorEndsTheRun(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	typed := &host.ToolError{Tool: "inner", CallID: "9", Err: broken}
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"of any type", broken, `tool "work": call "1": broken`},
		{"that is a ToolError already", typed, `tool "inner": call "9": broken`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("work")).tool("work", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				return host.TextOutput("ignored"), test.err
			})

			result, err := b.run()

			require.EqualError(t, err, test.want)
			require.ErrorIs(t, err, broken)
			var failed *host.ToolError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, host.Failed, result.Status)
			require.Equal(t, []string{"human: hi", "ai: "}, lines(result.Messages))
		})
	}
}

func TestAToolThatReturnsNothingIsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work")).tool("work", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return nil, nil
	})
	_, err := b.run()
	require.EqualError(t, err, `tool "work": call "1": returned neither output nor error`)
}

func TestToolUpdates(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work", "work"), scripted.Say("done"))
	b.State = []host.Field{{Name: "sum", Reducer: host.Add()}}
	b.tool("work", func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		b.notef("%s", show(rt, "sum"))
		u := setting("sum", 2)
		u.Messages = []abi.Message{abi.Human("beside " + call.ID)}
		return &host.ToolOutput{Content: abi.Text(call.ID), Update: u}, nil
	})

	result := b.mustRun()

	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: 1", "human: beside 1", "tool 2: 2", "human: beside 2", "ai: done"}, lines(result.Messages))
	require.Equal(t, `{"sum":4}`, stateOf(result))
	require.Equal(t, []string{"0", "0"}, b.log, "calls of one batch do not see each other's updates")
}

func TestAToolUpdateThatDoesNotApply(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work")).tool("work", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return &host.ToolOutput{Update: setting("x", 1)}, nil
	})
	result, err := b.run()
	var wrong *host.UpdateError
	require.ErrorAs(t, err, &wrong)
	require.EqualError(t, err, `step "tools": field "x": is not declared; declare it in the middleware's fields or the agent's State`)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: "}, lines(result.Messages), "what the tool answered is kept")
}

func TestCallsWithoutAnIDOfTheirOwnGetOne(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(abi.Call("1", "work", nil), abi.Call("1", "work", nil), abi.Call("", "work", nil)), scripted.Say("done")).
		tool("work", func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
			return host.TextOutput("did " + call.ID), nil
		})

	result := b.mustRun()

	seen := map[string]bool{}
	for i, call := range result.Messages.At(1).ToolCalls {
		require.NotEmpty(t, call.ID)
		require.False(t, seen[call.ID])
		seen[call.ID] = true
		answer := result.Messages.At(2 + i)
		require.Equal(t, call.ID, answer.ToolCallID)
		require.Equal(t, "did "+call.ID, answer.Content.Text())
	}
	require.Len(t, seen, 3)
}

func TestToolsThatAWrapOffers(t *testing.T) {
	t.Parallel()
	extra := newTool("extra", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("E"), nil
	})
	offers := host.WrapModelCall("offers", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.AddTools([]abi.ToolSpec{extra.Spec()}))
		return resp, nil, err
	})
	brings := host.WrapToolCall("brings", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		require.False(t, req.Known())
		m, err := next(ctx, req.WithTool(extra))
		return m, nil, err
	})

	b := setup(t, calls("extra"), scripted.Say("done")).answering("work", "").use(offers, brings)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: E", "ai: done"}, lines(b.mustRun().Messages))

	_, err := setup(t, calls("extra")).answering("work", "").use(offers).run()
	require.ErrorContains(t, err, "a middleware offers tools that the agent does not know how to run. Unknown tools: [extra]. Registered tools: [work]")
}

func TestDynamicToolsAreNotOffered(t *testing.T) {
	t.Parallel()
	dynamic := tool.Raw(abi.ToolSpec{Name: "secret", Dynamic: true}, nil)
	b := setup(t, calls("secret"), scripted.Say("done")).answering("work", "")
	b.Tools = append(b.Tools, dynamic)
	require.Contains(t, lines(b.mustRun().Messages), "failed 1: Error: secret is not a valid tool, try one of [work].")
}
