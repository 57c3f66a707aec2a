package host_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// waiting is a model that answers when its context ends.
func waiting(ctx context.Context) (*model.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		build func(b *bundle)
		want  []string
	}{
		{"in the model", func(b *bundle) { b.Model = modelFunc(waiting) }, []string{"human: hi"}},
		{"in a tool that listens", func(b *bundle) {
			b.tool("work", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
		}, []string{"human: hi", "ai: ", "tool 2: quick"}},
		{"in a tool that finishes", func(b *bundle) {
			b.tool("work", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				<-ctx.Done()
				return host.TextOutput("late"), nil
			})
		}, []string{"human: hi", "ai: ", "tool 1: late", "tool 2: quick"}},
		{"in a hook", func(b *bundle) {
			b.use(host.BeforeModel("x", func(ctx context.Context, _ *host.Runtime) (*host.Update, error) {
				<-ctx.Done()
				return &host.Update{Messages: []abi.Message{abi.Human("seen")}}, nil
			}))
		}, []string{"human: hi", "human: seen"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, calls("work", "quick"), scripted.Say("done")).answering("quick", "quick")
				test.build(b)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()

				result, err := b.build().Run(ctx, hi())

				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.ErrorContains(t, err, "run cancelled: ")
				require.Equal(t, host.Cancelled, result.Status)
				require.Equal(t, test.want, lines(result.Messages))
			})
		})
	}
}

func TestCancellationTellsTheCause(t *testing.T) {
	t.Parallel()
	because := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(because)
	b := setup(t, scripted.Say("done")).use(host.BeforeAgent("x", constant(nil, errors.New("not reached"))))

	result, err := b.build().Run(ctx, hi())

	require.EqualError(t, err, "run cancelled: the user left")
	require.ErrorIs(t, err, because)
	require.Equal(t, host.Cancelled, result.Status)
	require.Zero(t, result.Steps)
	require.Equal(t, []string{"human: hi"}, lines(result.Messages))
}

func TestACancelledRunStartsNoMoreTools(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		b := setup(t, calls("work", "work", "work"), scripted.Say("done"))
		b.ToolCalls.Parallel = parallel
		var started atomic.Int64
		b.tool("work", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			started.Add(1)
			cancel()
			<-ctx.Done()
			return host.TextOutput("W"), nil
		})
		result, err := b.build().Run(ctx, hi())
		require.ErrorIs(t, err, context.Canceled)
		require.LessOrEqual(t, started.Load(), int64(parallel))
		require.Equal(t, host.Cancelled, result.Status)
	}
}

func TestTheConsumerOfAStreamStops(t *testing.T) {
	t.Parallel()
	for _, at := range []host.EventType{
		host.EventRun, host.EventStep, host.EventHook, host.EventToken, host.EventModel, host.EventTool, host.EventState,
		host.EventCustom, host.EventWarn, host.EventEnd,
	} {
		t.Run("at "+string(at), func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Turn{Message: abi.AI("a b", call("1", "work"), call("2", "work"))}, scripted.Say("done"))
			b.tool("work", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				rt.Emit("custom", nil)
				rt.Warn("warning")
				if at == host.EventCustom || at == host.EventWarn {
					<-ctx.Done()
				}
				return host.TextOutput("W"), nil
			})
			b.use(host.BeforeAgent("x", constant(nil, nil)))
			seen := 0
			for event, err := range b.build().Stream(t.Context(), hi()) {
				require.NoError(t, err)
				seen++
				if event.Type == at {
					break
				}
			}
			require.Positive(t, seen)
		})
	}
}
