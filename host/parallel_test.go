package host_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// sleeping adds a tool that takes delay of the call's id, and counts how many calls run at once.
func (b *bundle) sleeping(delay func(id string) time.Duration) *bundle {
	running := 0
	count := func(change int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		running += change
		b.atOnce = max(b.atOnce, running)
	}
	return b.tool("sleep", func(ctx context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		count(1)
		defer count(-1)
		b.notef("start %s", call.ID)
		select {
		case <-time.After(delay(call.ID)):
			b.notef("end %s", call.ID)
			return host.TextOutput("slept " + call.ID), nil
		case <-ctx.Done():
			b.notef("cancelled %s", call.ID)
			return nil, ctx.Err()
		}
	})
}

func TestToolCallsRunInParallel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		parallel int
		calls    int
		at       int
		takes    time.Duration
	}{
		{"all at once", 0, 5, 5, 5 * time.Second},
		{"no more than the default", 0, 10, host.DefaultParallel, 10 * time.Second},
		{"as many as configured", 2, 4, 2, 6 * time.Second},
		{"one after the other", 1, 4, 1, 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				names := make([]string, test.calls)
				want := []string{"human: hi", "ai: "}
				for i := range names {
					names[i] = "sleep"
					want = append(want, fmt.Sprintf("tool %d: slept %d", i+1, i+1))
				}
				b := setup(t, calls(names...), scripted.Say("done"))
				b.ToolCalls.Parallel = test.parallel
				b.sleeping(func(id string) time.Duration {
					var n int
					_, _ = fmt.Sscan(id, &n)
					if test.name == "no more than the default" && n <= 8 {
						return time.Second // and 9 and 10 follow
					}
					return time.Duration(n) * time.Second
				})
				start := time.Now()

				result := b.mustRun()

				require.Equal(t, test.at, b.atOnce)
				if test.name != "no more than the default" {
					require.Equal(t, test.takes, time.Since(start))
				}
				require.Equal(t, append(want, "ai: done"), lines(result.Messages), "in the order of the calls")
			})
		})
	}
}

func TestParallelOneIsStrictlyInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("sleep", "sleep", "sleep"), scripted.Say("done"))
	b.ToolCalls.Parallel = 1
	b.sleeping(func(string) time.Duration { return 0 })
	b.mustRun()
	require.Equal(t, []string{"start 1", "end 1", "start 2", "end 2", "start 3", "end 3"}, b.log)
}

func TestAFailureCancelsTheOtherCalls(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, wrapped := range []bool{false, true} {
		t.Run(fmt.Sprintf("wrapped %v", wrapped), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, calls("sleep", "quick", "fail", "sleep"))
				b.sleeping(func(string) time.Duration { return time.Hour }).answering("quick", "Q")
				b.tool("fail", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
					time.Sleep(time.Second)
					return nil, broken
				})
				if wrapped {
					b.use(host.WrapToolCall("w", func(
						ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
					) (*abi.Message, *host.Update, error) {
						m, err := next(ctx, req)
						if err != nil {
							err = fmt.Errorf("wrapped: %w", err)
						}
						return m, nil, err
					}))
				}
				start := time.Now()

				result, err := b.run()

				require.ErrorIs(t, err, broken, "the failure, and not what it led to")
				require.NotErrorIs(t, err, context.Canceled)
				require.Equal(t, time.Second, time.Since(start), "the others are cancelled")
				require.Equal(t, host.Failed, result.Status)
				require.Equal(t, []string{"human: hi", "ai: ", "tool 2: Q"}, lines(result.Messages), "finished results are kept")
				require.ElementsMatch(t, []string{"start 1", "quick", "start 4", "cancelled 1", "cancelled 4"}, b.log)
			})
		})
	}
}

func TestAFailureInOrderLeavesLaterCallsAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("quick", "fail", "quick"))
	b.ToolCalls.Parallel = 1
	b.answering("quick", "Q").tool("fail", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return nil, errors.New("broken")
	})
	result, err := b.run()
	require.EqualError(t, err, `tool "fail": call "2": broken`)
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: Q"}, lines(result.Messages))
}

func TestOfSeveralFailuresTheFirstCallCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, calls("fail", "fail"))
		b.tool("fail", func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
			time.Sleep(time.Second)
			return nil, errors.New("broken " + call.ID)
		})
		_, err := b.run()
		require.EqualError(t, err, `tool "fail": call "1": broken 1`)
	})
}

func TestAnInterruptLetsTheOtherCallsFinish(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 8} {
		t.Run(fmt.Sprintf("parallel %d", parallel), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, calls("ask", "sleep", "ask"))
				b.ToolCalls.Parallel = parallel
				b.sleeping(func(string) time.Duration { return time.Second })
				b.tool("ask", func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
					_, err := rt.Interrupt("key", wire.String("may I "+call.ID))
					return nil, err
				})

				result, err := b.run()

				require.NoError(t, err)
				require.Equal(t, host.Interrupted, result.Status)
				require.Equal(t, []host.Interrupt{
					{ID: "ask-2a-3", Step: "tools", CallID: "1", Key: "key", Value: wire.String("may I 1")},
					{ID: "ask-2a-4", Step: "tools", CallID: "3", Key: "key", Value: wire.String("may I 3")},
				}, result.Interrupts)
				require.Equal(t, []string{"human: hi", "ai: ", "tool 2: slept 2"}, lines(result.Messages))
			})
		})
	}
}

func TestAFailureBesideAnInterruptFailsTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask", "fail"))
	b.ToolCalls.Parallel = 1
	b.tool("ask", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		_, err := rt.Interrupt("key", wire.Int(1))
		return nil, err
	})
	b.tool("fail", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return nil, errors.New("broken")
	})

	result, err := b.run()

	require.EqualError(t, err, `tool "fail": call "2": broken`)
	require.Equal(t, host.Failed, result.Status)
	require.Len(t, result.Interrupts, 1, "it still waits, and may be answered")
}

func TestAToolThatEndsItsGoroutineFails(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("exit", "exit", "exit", "search"), scripted.Say("done")).keeps().answering("search", "found")
	b.ToolCalls.Parallel = 2
	b.tool("exit", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		runtime.Goexit()
		return nil, nil
	})
	agent := b.build()
	result, err := agent.Run(t.Context(), say("hi"))
	require.EqualError(t, err, "the tool call ended its goroutine")
	require.Equal(t, host.Failed, result.Status)
	_, err = agent.RunEvents(t.Context(), goOn(), func(host.Event) error { return nil })
	require.EqualError(t, err, "the tool call ended its goroutine", "and nothing hangs")
}
