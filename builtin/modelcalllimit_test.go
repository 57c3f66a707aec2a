package builtin_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

func TestModelCallLimitEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		thread, run *int
		calls       int
		text        string
	}{
		{"at the run limit", nil, new(2), 2, "Model call limits exceeded: run limit (2/2)"},
		{"at the thread limit", new(1), nil, 1, "Model call limits exceeded: thread limit (1/1)"},
		{"at both", new(3), new(3), 3, "Model call limits exceeded: thread limit (3/3), run limit (3/3)"},
		{"at the lower one", new(2), new(5), 2, "Model call limits exceeded: thread limit (2/2)"},
		{"before the first call", nil, new(0), 0, "Model call limits exceeded: run limit (0/0)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, behavior := range []string{"", "end"} {
				b := setup(t, builtin.ModelCallLimit{ThreadLimit: test.thread, RunLimit: test.run, ExitBehavior: behavior})

				result, err := b.run(t)

				require.NoError(t, err)
				require.Equal(t, host.Completed, result.Status)
				require.Equal(t, test.calls, b.model.Calls())
				require.Equal(t, test.text, result.Text())
				require.Empty(t, result.State, "the counts are hidden")
			}
			b := setup(t, builtin.ModelCallLimit{ThreadLimit: test.thread, RunLimit: test.run, ExitBehavior: "error"})

			result, err := b.run(t)

			var exceeded *host.LimitError
			require.ErrorAs(t, err, &exceeded)
			require.EqualError(t, err, `middleware "model_call_limit": before_model: `+test.text)
			require.Equal(t, &host.LimitError{
				Code: host.CodeModelCallLimit, Message: test.text, Step: "model_call_limit.before_model",
				ThreadCount: test.calls, ThreadLimit: test.thread, RunCount: test.calls, RunLimit: test.run,
			}, exceeded)
			require.Equal(t, host.Failed, result.Status)
			require.Equal(t, test.calls, b.model.Calls())
		})
	}
}

func TestModelCallLimitCountsAnewInEachRun(t *testing.T) {
	t.Parallel()
	b := setup(t, builtin.ModelCallLimit{RunLimit: new(2)})
	for range 2 {
		_, err := b.run(t)
		require.NoError(t, err)
	}
	require.Equal(t, 4, b.model.Calls())
}

func TestModelCallLimitCountsRetriesOnce(t *testing.T) {
	t.Parallel()
	thrice := host.WrapModelCall("thrice", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (resp *model.Response, update *host.Update, err error) {
		for range 3 {
			if resp, err = next(ctx, req); err != nil {
				return nil, nil, err
			}
		}
		return resp, nil, nil
	})
	b := setup(t, builtin.ModelCallLimit{RunLimit: new(2)}, thrice)

	result, err := b.run(t)

	require.NoError(t, err)
	require.Equal(t, 6, b.model.Calls())
	require.Equal(t, "Model call limits exceeded: run limit (2/2)", result.Text())
}

func TestModelCallLimitDoesNotCountAFailedCall(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	fails := host.WrapModelCall("fails", func(
		context.Context, *host.Runtime, *model.Request, host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		return nil, nil, broken
	})
	_, err := setup(t, builtin.ModelCallLimit{RunLimit: new(1)}, fails).run(t)
	require.ErrorIs(t, err, broken)
}

func TestModelCallLimitIsNotCountedBehindAJump(t *testing.T) {
	t.Parallel()
	jumps := host.AfterModel("jumps", func(context.Context, *host.Runtime) (*host.Update, error) {
		return &host.Update{JumpTo: abi.JumpEnd}, nil
	}, host.CanJumpTo(abi.JumpEnd))
	b := setup(t, builtin.ModelCallLimit{RunLimit: new(1), ExitBehavior: "error"}, jumps)
	_, err := b.run(t)
	require.NoError(t, err)
	require.Equal(t, 1, b.model.Calls())
}

func TestModelCallLimitConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config builtin.ModelCallLimit
		want   string
	}{
		{"needs a limit", builtin.ModelCallLimit{}, "at least one limit must be specified (thread_limit or run_limit)"},
		{"refuses an unknown behavior", builtin.ModelCallLimit{RunLimit: new(1), ExitBehavior: "x"}, "invalid exit_behavior: x. Must be 'end' or 'error'"},
		{"refuses a negative run limit", builtin.ModelCallLimit{RunLimit: new(-1)}, "run_limit is -1; it must not be negative"},
		{"refuses a negative thread limit", builtin.ModelCallLimit{ThreadLimit: new(-2)}, "thread_limit is -2; it must not be negative"},
		{"takes a run limit above the thread limit", builtin.ModelCallLimit{ThreadLimit: new(1), RunLimit: new(2)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := test.config.Hooks(t.Context(), host.Env{})
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.want)
			}
		})
	}
}
