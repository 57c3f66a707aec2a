package host_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// swallowing is a middleware whose wraps turn every error into an answer, after a second try.
func swallowing(b *bundle) *middleware {
	return &middleware{name: "swallows", hooks: host.Hooks{
		WrapModelCall: host.WrapModelHook{Func: func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			_, first := next(ctx, req)
			resp, second := next(ctx, req)
			if second == nil {
				return resp, nil, nil
			}
			b.notef("same error %v", errors.Is(second, first))
			return model.Reply(abi.AI("swallowed")), nil, nil
		}},
		WrapToolCall: host.WrapToolHook{Func: func(
			ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
		) (*abi.Message, *host.Update, error) {
			if m, err := next(ctx, req); err == nil {
				return m, nil, nil
			}
			m := abi.ToolFailure(req.Call, "swallowed")
			return &m, nil, errors.New("instead")
		}},
	}}
}

func warnings(events []host.Event) (out []string) {
	for i := range events {
		if events[i].Type == host.EventWarn {
			out = append(out, events[i].Step+": "+events[i].Text)
		}
	}
	return out
}

func TestAnInterruptPassesThroughAWrapThatSwallowsIt(t *testing.T) {
	t.Parallel()
	asks := host.WrapModelCall("asks", func(
		_ context.Context, rt *host.Runtime, _ *model.Request, _ host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		_, err := rt.Interrupt("key", wire.String("may I?"))
		return nil, nil, fmt.Errorf("wrapped: %w", err)
	})
	b := setup(t)
	b.use(swallowing(b), asks)

	result, err := b.run()

	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, []host.Interrupt{{ID: "ask-2a-2", Step: "asks.wrap_model_call", Key: "key", Value: wire.String("may I?")}}, result.Interrupts)
	require.Equal(t, []string{"human: hi"}, lines(result.Messages))
	require.Equal(t, []string{"same error true"}, b.log, "next has no effect any more")

	events, err := b.stream()
	require.NoError(t, err)
	require.Equal(t, []string{
		"swallows.wrap_model_call: the result of the hook is discarded: interrupted: waiting for an answer to key",
	}, warnings(events))
	require.Equal(t, host.Interrupted, events[len(events)-1].Status)
	require.Equal(t, result.Interrupts, events[len(events)-1].Interrupts)
}

func TestAnInterruptOfAToolPassesThroughAWrapThatSwallowsIt(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask"), calls("ask"))
	b.use(swallowing(b)).tool("ask", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		b.notef("ask")
		_, err := rt.Interrupt("key", wire.Int(1))
		return nil, err
	})
	events, err := b.stream()
	require.NoError(t, err)
	require.Equal(t, []string{
		"swallows.wrap_tool_call: the result of the hook is discarded: interrupted: waiting for an answer to key",
	}, warnings(events))
	require.Equal(t, []host.Interrupt{{ID: "ask-2a-4", Step: "tools", CallID: "1", Key: "key", Value: wire.Int(1)}}, events[len(events)-1].Interrupts)
	require.Equal(t, []string{"ask"}, b.log)
}

func TestACancellationPassesThroughAWrapThatSwallowsIt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := setup(t)
	b.Model = modelFunc(func(ctx context.Context) (*model.Response, error) {
		cancel()
		return nil, fmt.Errorf("the connection broke: %w", ctx.Err())
	})
	b.use(swallowing(b))
	var events []host.Event
	var failure error
	for event, err := range b.build().Stream(ctx, hi()) {
		if err != nil {
			failure = err
			break
		}
		events = append(events, event)
	}
	require.ErrorIs(t, failure, context.Canceled)
	require.Equal(t, []string{
		"swallows.wrap_model_call: the result of the hook is discarded: the connection broke: context canceled",
	}, warnings(events))
	require.Equal(t, host.Cancelled, events[len(events)-1].Status)
}

func TestANodeHookInterrupts(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.use(host.AfterModel("asks", func(context.Context, *host.Runtime) (*host.Update, error) {
		return nil, &host.InterruptError{Interrupts: []abi.Interrupt{{Key: "a", Value: wire.Int(1)}, {Key: "b", Value: wire.Int(2)}}}
	}), host.AfterModel("later", constant(nil, errors.New("not reached"))))
	b.Middleware[0], b.Middleware[1] = b.Middleware[1], b.Middleware[0]

	result, err := b.run()

	require.NoError(t, err)
	require.Equal(t, []host.Interrupt{
		{ID: "ask-2a-3", Step: "asks.after_model", Key: "a", Value: wire.Int(1)},
		{ID: "ask-2a-4", Step: "asks.after_model", Key: "b", Value: wire.Int(2)},
	}, result.Interrupts)
	require.Equal(t, []string{"human: hi", "ai: done"}, lines(result.Messages))
}

func TestAnInterruptThatAsksNothingIsAnError(t *testing.T) {
	t.Parallel()
	nothing := &host.InterruptError{}
	for name, b := range map[string]*bundle{
		"hook": setup(t, scripted.Say("done")).use(host.BeforeAgent("x", constant(nil, nothing))),
		"tool": setup(t, calls("work")).tool("work", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			return nil, nothing
		}),
	} {
		result, err := b.run()
		require.ErrorIs(t, err, nothing, name)
		require.Equal(t, host.Failed, result.Status, name)
	}
}

func TestIsControlFlow(t *testing.T) {
	t.Parallel()
	asks := &host.InterruptError{Interrupts: []abi.Interrupt{{Key: "k"}}}
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("x"), false},
		{context.DeadlineExceeded, false},
		{fmt.Errorf("x: %w", context.Canceled), true},
		{fmt.Errorf("x: %w", asks), true},
	} {
		require.Equal(t, test.want, host.IsControlFlow(test.err), "%v", test.err)
	}
}

func TestACallOfAnAgentWithoutToolsIsAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(abi.Call("1", "note", nil)))
	events, err := b.stream()
	require.NoError(t, err)
	require.Equal(t, []string{`model: the model called the tool "note", but the agent has no tools; give it the tool`}, warnings(events))

	b = setup(t, scripted.Say("done"))
	events, err = b.stream()
	require.NoError(t, err)
	require.Empty(t, warnings(events))
}
