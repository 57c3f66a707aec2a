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
)

// askingTwo asks a and b at once.
func askingTwo() error {
	return &host.InterruptError{Interrupts: []abi.Interrupt{{Key: "a", Value: wire.Int(1)}, {Key: "b", Value: wire.Int(2)}}}
}

// answeredA reports whether a is answered, which is enough for the hooks of these tests.
func answeredA(rt *host.Runtime) bool { return rt.Answers().Has("a") }

// A hook or tool that asked two things and needs only the first is done with it: what it does happens once.
func TestAQuestionThatIsNotAskedAgainIsForgotten(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(b *bundle){
		"node hook": func(b *bundle) {
			b.use(host.BeforeModel("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
				if !answeredA(rt) {
					return nil, askingTwo()
				}
				return setting("sum", 1), nil
			}))
		},
		"model wrap": func(b *bundle) {
			b.use(host.WrapModelCall("x", func(
				ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				if !answeredA(rt) {
					return nil, nil, askingTwo()
				}
				resp, err := next(ctx, req)
				return resp, setting("sum", 1), err
			}))
		},
		"tool": func(b *bundle) {
			b.tool("search", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				if !answeredA(rt) {
					return nil, askingTwo()
				}
				return &host.ToolOutput{Update: setting("sum", 1)}, nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done")).keeps()
			if name == "tool" {
				b = setup(t, calls("search"), scripted.Say("done")).keeps()
			}
			b.State = []host.Field{{Name: "sum", Reducer: host.Add()}}
			use(b)
			agent := b.build()
			ids := interrupted(t, agent, say("hi"))
			require.Len(t, ids, 2)
			result := completed(t, agent, resume(host.Answer{Interrupt: ids[0], Value: "yes"}))
			require.Equal(t, `{"sum":1}`, stateOf(result))
			require.Empty(t, result.Interrupts)
		})
	}
}

func TestAnotherQuestionTakesThePlaceOfThoseThatWait(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	b.use(host.BeforeModel("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		switch {
		case rt.Answers().Has("c"):
			require.True(t, answeredA(rt), "answers stay")
			return nil, nil
		case answeredA(rt):
			_, err := rt.Interrupt("c", wire.Int(3))
			return nil, err
		default:
			return nil, askingTwo()
		}
	}))
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	ids = interrupted(t, agent, resume(host.Answer{Interrupt: ids[0], Value: "yes"}))
	require.Len(t, ids, 1, "only c waits")
	completed(t, agent, resume(host.Answer{Interrupt: ids[0], Value: 1}))
}

func TestAnOuterWrapMayAnswerInPlaceOfOneThatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), scripted.Say("done")).keeps().answering("search", "found")
	tries := 0
	b.use(host.WrapToolCall("outer", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		tries++
		if tries > 1 {
			m := abi.ToolResult(req.Call, "cached")
			return &m, nil, nil
		}
		m, err := next(ctx, req)
		return m, nil, err
	}), host.WrapToolCall("inner", func(
		context.Context, *host.Runtime, *host.ToolRequest, host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		return nil, nil, askingTwo()
	}))
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	result := completed(t, agent, resume(host.Answer{Interrupt: ids[0], Value: 1}))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: cached", "ai: done"}, lines(result.Messages))
}

func TestACallThatASiblingAnswersWaitsNoMore(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask", "cancel"), scripted.Say("done")).keeps().askingTool()
	b.ToolCalls.Parallel = 1
	b.State = []host.Field{{Name: "hint", Lifetime: host.LifetimeStep}}
	b.tool("cancel", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		out := host.TextOutput("cancelled the other")
		out.Update = setting("hint", "h")
		out.Update.Messages = []abi.Message{abi.ToolFailure(call("1", "ask"), "cancelled")}
		return out, nil
	})
	b.use(host.BeforeModel("look", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		b.notef("hint %s", show(rt, "hint"))
		return nil, nil
	}))
	result := completed(t, b.build(), say("hi"))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 2: cancelled the other", "failed 1: cancelled", "ai: done"}, lines(result.Messages))
	require.Equal(t, []string{"hint -", "ask 1", `hint "h"`}, b.log)
}

func TestContinueRepeatsAStepThatFailedWithAPartOfItsAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	tries := 0
	b.use(host.BeforeModel("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if !answeredA(rt) {
			return nil, askingTwo()
		}
		tries++
		if tries == 1 {
			return nil, errors.New("unlucky")
		}
		return nil, nil
	}))
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	_, err := agent.Run(t.Context(), resume(host.Answer{Interrupt: ids[0], Value: "yes"}))
	require.ErrorContains(t, err, "unlucky")
	completed(t, agent, goOn())
	require.Equal(t, 2, tries)
}

func TestInterruptsThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	many := make([]abi.Interrupt, host.MaxInterrupts+1)
	for i := range many {
		many[i].Key = string(rune('a' + i))
	}
	for want, asked := range map[string][]abi.Interrupt{
		`middleware "x": before_model: it asks 65 interrupts at once; at most 64 are allowed`: many,
		`middleware "x": before_model: two interrupts have the key "k"`:                       {{Key: "k"}, {Key: "j"}, {Key: "k"}},
	} {
		b := setup(t).keeps()
		b.use(host.BeforeModel("x", constant(nil, &host.InterruptError{Interrupts: asked})))
		result, err := b.build().Run(t.Context(), say("hi"))
		require.EqualError(t, err, want)
		require.Empty(t, result.Interrupts)
	}
}
