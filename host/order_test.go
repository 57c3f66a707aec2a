package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// noting is a middleware with all six hooks, which note when they run.
func (b *bundle) noting(name string) *middleware {
	node := func() host.NodeHook {
		return host.NodeHook{Func: func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			b.notef("%s", rt.Step())
			return nil, nil
		}}
	}
	return &middleware{name: name, hooks: host.Hooks{
		BeforeAgent: node(), BeforeModel: node(), AfterModel: node(), AfterAgent: node(),
		WrapModelCall: host.WrapModelHook{Func: func(
			ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			b.notef("%s {", rt.Step())
			resp, err := next(ctx, req)
			b.notef("} %s", rt.Step())
			return resp, nil, err
		}},
		WrapToolCall: host.WrapToolHook{Func: func(
			ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
		) (*abi.Message, *host.Update, error) {
			b.notef("%s %s {", rt.Step(), req.Call.ID)
			m, err := next(ctx, req)
			b.notef("} %s", rt.Step())
			return m, nil, err
		}},
	}}
}

func TestHooksRunInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work"), scripted.Say("done"))
	b.answering("work", "worked").use(b.noting("A"), b.noting("B"), b.noting("C"))

	result := b.mustRun()

	round := []string{
		"A.before_model", "B.before_model", "C.before_model",
		"A.wrap_model_call {", "B.wrap_model_call {", "C.wrap_model_call {",
		"} C.wrap_model_call", "} B.wrap_model_call", "} A.wrap_model_call",
		"C.after_model", "B.after_model", "A.after_model",
	}
	want := []string{"A.before_agent", "B.before_agent", "C.before_agent"}
	want = append(want, round...)
	want = append(want,
		"A.wrap_tool_call 1 {", "B.wrap_tool_call 1 {", "C.wrap_tool_call 1 {", "work",
		"} C.wrap_tool_call", "} B.wrap_tool_call", "} A.wrap_tool_call")
	want = append(want, round...)
	want = append(want, "C.after_agent", "B.after_agent", "A.after_agent")
	require.Equal(t, want, b.log)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: worked", "ai: done"}, lines(result.Messages))
	require.Equal(t, 3+3+1+3+1+3+1+3+3, result.Steps)
}

func TestEachHookAlone(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]func(h, all *host.Hooks){
		"before_agent":    func(h, all *host.Hooks) { h.BeforeAgent = all.BeforeAgent },
		"before_model":    func(h, all *host.Hooks) { h.BeforeModel = all.BeforeModel },
		"after_model":     func(h, all *host.Hooks) { h.AfterModel = all.AfterModel },
		"after_agent":     func(h, all *host.Hooks) { h.AfterAgent = all.AfterAgent },
		"wrap_model_call": func(h, all *host.Hooks) { h.WrapModelCall = all.WrapModelCall },
		"wrap_tool_call":  func(h, all *host.Hooks) { h.WrapToolCall = all.WrapToolCall },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("work"), scripted.Say("done"))
			all := b.noting("A")
			only := &middleware{name: "A"}
			keep(&only.hooks, &all.hooks)
			b.answering("work", "worked").use(only)
			require.Equal(t, []string{"human: hi", "ai: ", "tool 1: worked", "ai: done"}, lines(b.mustRun().Messages))
		})
	}
}

func TestAHookSeesTheStateOfItsStep(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work"), scripted.Say("done"))
	b.answering("work", "worked")
	look := func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		b.notef("%s %d", rt.Step(), rt.State().Messages().Len())
		return &host.Update{Messages: []abi.Message{abi.System("seen")}}, nil
	}
	b.use(
		host.BeforeAgent("a", look), host.BeforeModel("b", look), host.AfterModel("c", look), host.AfterAgent("d", look),
	)

	b.mustRun()

	require.Equal(t, []string{
		"a.before_agent 1", "b.before_model 2", "c.after_model 4", "work", "b.before_model 6", "c.after_model 8",
		"d.after_agent 9",
	}, b.log)
}
