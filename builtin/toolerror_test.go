package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

const toolErrorFormat = "{tool} said {type}: {message}"

// callOnce runs an agent whose model calls the tool "work" once and then is done; the tool does what work says.
func callOnce(
	ctx context.Context, t *testing.T, work func(ctx context.Context) (string, error), middleware ...host.Middleware,
) (*host.Result, error) {
	t.Helper()
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "work", nil)), scripted.Say("done")), Middleware: middleware,
		Tools: []host.Tool{
			tool.Func("work", "", func(ctx context.Context, _ struct{}) (string, error) { return work(ctx) }),
			tool.Func("other", "", func(context.Context, struct{}) (string, error) { return "", nil }),
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent.RunEvents(ctx, host.Input{}, func(e host.Event) error {
		require.NotEqual(t, host.EventWarn, e.Type, "nothing is discarded: %s", e.Text)
		return nil
	})
}

// inner is a wrap_tool_call hook that fails with what fn makes of the tool's error.
func inner(fn func(err error) error) host.Middleware {
	return host.WrapToolCall("inner", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		_, err := next(ctx, req)
		return nil, nil, fn(err)
	})
}

var (
	errBoom  = errors.New("boom")
	errValue = &abi.Error{Type: "ValueError", Message: "bad value"}
)

func TestToolErrorAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		err   error
		types []string
		inner func(err error) error // nil: no middleware further inside
		want  string
	}{
		{"a tool's error", errBoom, nil, nil, "work said tool_error: boom"},
		{"an error with a type of its own", errValue, nil, nil, "work said ValueError: bad value"},
		{"a wrapped error with a type", fmt.Errorf("cannot: %w", errValue), nil, nil, "work said ValueError: bad value"},
		{"an error of a listed type", errValue, []string{"KeyError", "ValueError"}, nil, "work said ValueError: bad value"},
		{"a tool's error by its type", errBoom, []string{"tool_error"}, nil, "work said tool_error: boom"},
		{"an error that wraps one of a listed type", errBoom, []string{"error"}, nil, "work said tool_error: boom"},
		{
			"an error that joins one of a listed type", errors.Join(errBoom, &host.ModelError{Model: "m", Err: errBoom}),
			[]string{"model_error"},
			nil,
			"work said tool_error: boom\nmodel \"m\": boom",
		},
		{"the tool's own deadline", context.DeadlineExceeded, nil, nil, "work said tool_error: context deadline exceeded"},
		{
			"a limit of a run inside of the tool", &host.LimitError{Message: "too much"}, nil, nil,
			"work said limit_error: too much",
		},
		{"an error of middleware further inside", nil, nil, func(error) error { return errBoom }, "work said error: boom"},
		{
			"an error that middleware further inside has wrapped", errBoom, nil,
			func(err error) error { return fmt.Errorf("gave up: %w", err) },
			`work said tool_error: gave up: tool "work": call "1": boom`,
		},
		{"an error of a tool without a cause", &host.ToolError{Tool: "x", CallID: "y"}, nil, nil, `work said tool_error: tool "x": call "y": <nil>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			middleware := []host.Middleware{builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: toolErrorFormat, Types: test.types}}}
			if test.inner != nil {
				middleware = append(middleware, inner(test.inner))
			}

			result, err := callOnce(t.Context(), t, func(context.Context) (string, error) { return "", test.err }, middleware...)

			require.NoError(t, err)
			require.Equal(t, "done", result.Text())
			answer := result.Messages.At(1)
			require.Equal(t, test.want, answer.Content.Text())
			require.Equal(t, "work", answer.Name)
			require.Equal(t, "1", answer.ToolCallID)
			require.True(t, answer.Failed())
		})
	}
}

func TestToolErrorAnswersAPanic(t *testing.T) {
	t.Parallel()
	result, err := callOnce(t.Context(), t, func(context.Context) (string, error) { panic("oh no") },
		builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: toolErrorFormat, Types: []string{"panic"}}})
	require.NoError(t, err)
	answer := result.Messages.At(1)
	require.Equal(t, "work said panic: panic: oh no", answer.Content.Text())
}

func TestToolErrorLetsPass(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		err   error
		types []string
		inner func(err error) error
	}{
		{"an error of another type", errValue, []string{"KeyError"}, nil},
		{"a joined error of other types", errors.Join(errBoom, errValue), []string{"KeyError"}, nil},
		{"a cancellation", fmt.Errorf("stopped: %w", context.Canceled), nil, nil},
		{"a limit", nil, nil, func(error) error { return &host.LimitError{Message: "too much"} }},
		{"a jump", nil, nil, func(error) error { return &host.JumpError{Step: "x"} }},
		{"an update", nil, nil, func(error) error { return &host.UpdateError{Step: "x", Err: errors.New("why")} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := test.err
			middleware := []host.Middleware{builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: toolErrorFormat, Types: test.types}}}
			if test.inner != nil {
				want = test.inner(nil)
				middleware = append(middleware, inner(func(error) error { return want }))
			}

			_, err := callOnce(t.Context(), t, func(context.Context) (string, error) { return "", test.err }, middleware...)

			require.ErrorIs(t, err, want)
		})
	}
}

func TestToolErrorLetsAnInterruptPass(t *testing.T) {
	t.Parallel()
	result, err := callOnce(t.Context(), t, func(ctx context.Context) (string, error) {
		_, err := host.RuntimeOf(ctx).Interrupt("ask", wire.String("may I?"))
		return "", err
	}, builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: toolErrorFormat}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, 1, result.Messages.Len(), "the call is not answered")
}

func TestToolErrorLetsTheEndOfTheRunsTimePass(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	expired, end := context.WithCancelCause(t.Context())
	defer end(nil)
	result, err := callOnce(expired, t, func(context.Context) (string, error) {
		end(ctx.Err())
		return "", ctx.Err()
	}, builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: toolErrorFormat}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, 1, result.Messages.Len(), "the call is not answered")
}

func TestToolErrorOfChosenTools(t *testing.T) {
	t.Parallel()
	fails := func(context.Context) (string, error) { return "", errBoom }
	answers := builtin.ToolErrorAnswer{Format: toolErrorFormat}

	_, err := callOnce(t.Context(), t, fails, builtin.ToolError{OnError: answers, Tools: []string{"other", "work"}})
	require.NoError(t, err)

	_, err = callOnce(t.Context(), t, fails, builtin.ToolError{OnError: answers, Tools: []string{"other"}})
	require.ErrorIs(t, err, errBoom)
}

func TestToolErrorLeavesAnswersAlone(t *testing.T) {
	t.Parallel()
	result, err := callOnce(t.Context(), t, func(context.Context) (string, error) { return "fine", nil },
		builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: toolErrorFormat}})
	require.NoError(t, err)
	require.Equal(t, []string{"ai work:1", "tool 1 fine", "ai done"}, lines(result.Messages))
}

func TestToolErrorConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		format string
		want   string
	}{
		{"needs a format", "", `on_error.format is missing; give it a text such as "{tool} failed: {message}"`},
		{"refuses an unknown placeholder", "{error}", "on_error.format has no placeholder {error}; use {tool}, {type}, {message}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: test.format}}.Hooks(t.Context(), host.Env{})
			require.EqualError(t, err, test.want)
		})
	}
}
