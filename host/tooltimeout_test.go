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
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestToolTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, calls("slow", "search", "stubborn", "asks"), scripted.Say("done")).answering("search", "found")
		b.ToolCalls.ToolTimeout = time.Minute
		b.tool("slow", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		b.tool("stubborn", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			<-ctx.Done()
			return host.TextOutput("late"), nil
		})
		b.tool("asks", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			<-ctx.Done()
			_, err := rt.Interrupt("q", nil)
			return nil, err
		})
		start := time.Now()
		result, err := b.run()
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(start))
		require.Equal(t, host.Interrupted, result.Status, "a question is not a failure")
		require.Equal(t, []string{
			"human: hi", "ai: ", "failed 1: Error: tool 'slow' timed out after 1m0s.", "tool 2: found", "tool 3: late",
		}, lines(result.Messages))
	})
}

func TestWhatATimeoutDoesNotHide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, calls("panics"), scripted.Say("done"))
		b.ToolCalls.ToolTimeout = time.Minute
		b.tool("panics", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			<-ctx.Done()
			panic("broken")
		})
		_, err := b.run()
		var panicked *host.PanicError
		require.ErrorAs(t, err, &panicked)

		b = setup(t, calls("slow"), scripted.Say("done"))
		b.ToolCalls.ToolTimeout = time.Minute
		b.tool("slow", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		b.use(host.WrapToolCall("x", func(
			ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
		) (*abi.Message, *host.Update, error) {
			_, err := next(ctx, req)
			return nil, nil, fmt.Errorf("the audit log is gone: %w", err)
		}))
		_, err = b.run()
		require.ErrorContains(t, err, "the audit log is gone")

		b = setup(t, calls("slow"), scripted.Say("done"))
		b.ToolCalls.ToolTimeout = 2 * time.Minute
		b.tool("slow", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			<-ctx.Done()
			time.Sleep(2 * time.Minute)
			return nil, ctx.Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		result, err := b.build().Run(ctx, hi())
		require.ErrorIs(t, err, context.DeadlineExceeded, "the run's own end is not a timeout of the tool")
		require.Equal(t, host.Cancelled, result.Status)
		require.Equal(t, []string{"human: hi", "ai: "}, lines(result.Messages))
	})
}

func TestAMiddlewareMayHandleATimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, calls("slow"), scripted.Say("done"))
		b.ToolCalls.ToolTimeout = time.Minute
		b.tool("slow", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			b.notef("try")
			if len(b.log) == 2 {
				return host.TextOutput("quick"), nil
			}
			<-ctx.Done()
			return nil, errors.Join(errors.New("gave up"), context.Canceled)
		})
		b.use(host.WrapToolCall("again", func(
			ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
		) (*abi.Message, *host.Update, error) {
			_, err := next(ctx, req)
			require.EqualError(t, err, `tool "slow": call "1": timed out after 1m0s`)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, "timeout", host.ErrorDocument(err).Type)
			require.False(t, host.IsControlFlow(err))
			m, err := next(ctx, req)
			return m, nil, err
		}))
		require.Equal(t, []string{"human: hi", "ai: ", "tool 1: quick", "ai: done"}, lines(b.mustRun().Messages))
	})
}
