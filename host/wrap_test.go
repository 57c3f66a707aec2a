package host_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// retry is a wrap_model_call hook that calls next up to n times until it succeeds.
func retry(n int) host.WrapModelFunc {
	return func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (resp *model.Response, _ *host.Update, err error) {
		for range n {
			if resp, err = next(ctx, req); err == nil {
				break
			}
		}
		return resp, nil, err
	}
}

// adding is a wrap_model_call hook whose update appends its name to the field "names" and a message.
func adding(name string) host.Middleware {
	return host.WrapModelCall(name, passing(func(*host.Runtime) *host.Update {
		u := setting("names", []any{name})
		u.Messages = []abi.Message{abi.Human("from " + name)}
		return u
	}))
}

var namesField = host.Field{Name: "names", Reducer: host.Append()}

func TestUpdatesOfWrapsFollowTheResponseInnerOnesFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).use(adding("outer"), adding("middle"), adding("inner"))
	b.State = []host.Field{namesField}

	result := b.mustRun()

	require.Equal(t, []string{"human: hi", "ai: done", "human: from inner", "human: from middle", "human: from outer"}, lines(result.Messages))
	require.Equal(t, `{"names":["inner","middle","outer"]}`, stateOf(result))
}

func TestARepeatedNextDropsTheUpdatesOfTheOneBefore(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("first"), scripted.Say("second"))
	b.State = []host.Field{namesField}
	b.use(host.WrapModelCall("twice", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		_, err := next(ctx, req)
		require.NoError(t, err)
		resp, err := next(ctx, req)
		return resp, nil, err
	}), adding("inner"))

	result := b.mustRun()

	require.Equal(t, []string{"human: hi", "ai: second", "human: from inner"}, lines(result.Messages))
	require.Equal(t, `{"names":["inner"]}`, stateOf(result))
}

func TestAFailedNextLeavesNoUpdates(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("first"), scripted.Fail(errors.New("broken")))
	b.State = []host.Field{namesField}
	b.use(host.WrapModelCall("handles", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		first, err := next(ctx, req)
		require.NoError(t, err)
		_, err = next(ctx, req)
		require.Error(t, err)
		return first, nil, nil
	}), adding("inner"))
	require.Equal(t, `{"names":[]}`, stateOf(b.mustRun()))
}

func TestRetry(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	b := setup(t, scripted.Fail(broken), scripted.Fail(broken), scripted.Say("done"))
	b.use(host.WrapModelCall("retry", retry(3)))
	require.Equal(t, []string{"human: hi", "ai: done"}, lines(b.mustRun().Messages))

	b = setup(t, scripted.Fail(broken), scripted.Fail(broken))
	b.use(host.WrapModelCall("retry", retry(2)))
	_, err := b.run()
	require.ErrorIs(t, err, broken)
}

func TestShortCircuit(t *testing.T) {
	t.Parallel()
	cached := model.Reply(abi.AI("cached"))
	b := setup(t).answering("work", "W")
	b.use(host.WrapModelCall("cache", func(
		context.Context, *host.Runtime, *model.Request, host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		return cached, setting("names", []any{"cache"}), nil
	}), host.AfterAgent("again", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.N() > 2 {
			return nil, nil
		}
		return &host.Update{JumpTo: abi.JumpModel}, nil
	}, host.CanJumpTo(abi.JumpModel)))
	b.State = []host.Field{namesField}

	result := b.mustRun()

	require.Equal(t, []string{"human: hi", "ai: cached", "ai: cached", "ai: cached"}, lines(result.Messages),
		"a response that is returned again is a new message")
	require.Empty(t, cached.Messages[0].ID, "what a hook returned is not changed")
	require.Equal(t, `{"names":["cache","cache","cache"]}`, stateOf(result))
}

func TestWrapsChangeRequestAndResponse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Model = &scripted.Echo{}
	b.SystemPrompt = abi.Text("system")
	b.use(host.WrapModelCall("outer", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithSystem(req.System.Append(abi.Text(" outer"))))
		require.NoError(t, err)
		return model.Reply(abi.AI(resp.AI().Content.Text() + "!")), nil, nil
	}), host.WrapModelCall("inner", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithSystem(req.System.Append(abi.Text(" inner"))).WithMessages(history.Of(abi.Human("bye"))))
		return resp, nil, err
	}))
	require.Equal(t, []string{"human: hi", "ai: system outer inner-bye!"}, lines(b.mustRun().Messages))
}

func TestToolWraps(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work", "other"), scripted.Say("done"))
	b.State = []host.Field{namesField}
	b.tool("work", func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		return &host.ToolOutput{Content: abi.Text(call.Args.JSON()), Update: setting("names", []any{"tool"})}, nil
	})
	b.answering("other", "O")
	wrap := func(name string, options ...host.Option) host.Middleware {
		return host.WrapToolCall(name, func(
			ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
		) (*abi.Message, *host.Update, error) {
			require.True(t, req.Known())
			b.notef("%s %s %d", rt.Step(), req.Call.ID, rt.N())
			m, err := next(ctx, req.WithArgs(wire.String(name)))
			require.NoError(t, err)
			changed := *m
			changed.Content = abi.Text(name + "(" + m.Content.Text() + ")")
			return &changed, setting("names", []any{name}), nil
		}, options...)
	}
	b.ToolCalls.Parallel = 1
	b.use(wrap("outer"), wrap("filtered", host.OnlyTools("work")), wrap("inner"))

	result := b.mustRun()

	require.Equal(t, []string{
		"human: hi", "ai: ", `tool 1: outer(filtered(inner("inner")))`, "tool 2: outer(inner(O))", "ai: done",
	}, lines(result.Messages))
	require.Equal(t, `{"names":["tool","inner","filtered","outer","inner","outer"]}`, stateOf(result))
	require.Equal(t, []string{
		"outer.wrap_tool_call 1 1", "filtered.wrap_tool_call 1 1", "inner.wrap_tool_call 1 1",
		"outer.wrap_tool_call 2 2", "inner.wrap_tool_call 2 2", "other",
	}, b.log, "a call that the filter leaves out does not count")
}

func TestAToolWrapCanAnswerItself(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work"), scripted.Say("done")).answering("work", "W")
	b.use(host.WrapToolCall("answers", func(
		context.Context, *host.Runtime, *host.ToolRequest, host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m := abi.AI("no")
		m.ToolCallID = "another"
		return &m, nil, nil
	}))
	result := b.mustRun()
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: no", "ai: done"}, lines(result.Messages), "it answers the call, whatever it says")
	require.Empty(t, b.log)
}

func TestErrorsOfWraps(t *testing.T) {
	t.Parallel()
	broken, own := errors.New("broken"), errors.New("own")
	for _, test := range []struct {
		name string
		hook func(next error) error // what the hook returns when next returned
		want string
	}{
		{"an error from inside passes as it is", func(err error) error { return err }, `model "scripted": broken`},
		{"an error from inside may be wrapped", func(err error) error { return fmt.Errorf("gave up: %w", err) }, `gave up: model "scripted": broken`},
		{"an error of its own names the hook", func(error) error { return own }, `middleware "w": wrap_model_call: own`},
		{"no response is an error", func(error) error { return nil }, `middleware "w": wrap_model_call: returned no response`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Fail(broken)).use(host.WrapModelCall("w", func(
				ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				_, err := next(ctx, req)
				var failed *host.ModelError
				require.ErrorAs(t, err, &failed)
				return nil, nil, test.hook(err)
			}))
			_, err := b.run()
			require.EqualError(t, err, test.want)
		})
	}

	b := setup(t, calls("work")).answering("work", "").use(host.WrapToolCall("w", func(
		context.Context, *host.Runtime, *host.ToolRequest, host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		return nil, nil, nil
	}))
	_, err := b.run()
	require.EqualError(t, err, `middleware "w": wrap_tool_call: returned no tool message`)
}

func TestNextAfterTheHookReturned(t *testing.T) {
	t.Parallel()
	var kept host.ModelHandler
	var request *model.Request
	b := setup(t, scripted.Say("done")).use(host.WrapModelCall("keeps", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		kept, request = next, req
		resp, err := next(ctx, req)
		return resp, nil, err
	}))
	b.mustRun()

	_, err := kept(t.Context(), request)

	require.EqualError(t, err, `middleware "keeps": wrap_model_call: next was called after the hook returned`)
}

// A hook may give the inner layers less time than it has itself, and try again.
func TestADeadlineOfTheHooksOwnCanBeRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.Model = modelFunc(func(ctx context.Context) (*model.Response, error) {
			b.notef("asked")
			if len(b.log) == 1 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return model.Reply(abi.AI("done")), nil
		})
		b.use(host.WrapModelCall("impatient", func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			short, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := next(short, req)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			resp, err := next(ctx, req)
			return resp, nil, err
		}))
		require.Equal(t, []string{"human: hi", "ai: done"}, lines(b.mustRun().Messages))
	})
}

// modelFunc is a model of a function.
type modelFunc func(ctx context.Context) (*model.Response, error)

func (modelFunc) Info() model.Info { return model.Info{Name: "func"} }

func (m modelFunc) Generate(ctx context.Context, _ *model.Request) (*model.Response, error) {
	return m(ctx)
}
