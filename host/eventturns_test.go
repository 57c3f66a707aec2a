package host_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// gated adds a tool "gate" that ends when the returned function is called.
func (b *bundle) gated() (open func()) {
	gate := make(chan struct{})
	b.tool("gate", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		<-gate
		return host.TextOutput("open"), nil
	})
	return func() { close(gate) }
}

// flooding adds a tool "flood" that emits events with a MiB of data, and calls done.
func (b *bundle) flooding(events int, done func(rt *host.Runtime)) {
	data := wire.String(strings.Repeat("x", 1<<20))
	b.tool("flood", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		for range events {
			rt.Emit("flood", data)
		}
		done(rt)
		return host.TextOutput("flooded"), nil
	})
}

// customAndWarnings returns how many events of the type custom there are, and the texts of the warnings.
func customAndWarnings(events []host.Event) (custom int, warnings []string) {
	for i := range events {
		if events[i].Type == host.EventCustom {
			custom++
		}
		if events[i].Type == host.EventWarn {
			warnings = append(warnings, events[i].Text)
		}
	}
	return custom, warnings
}

func TestEventsThatWaitForTheirTurnAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, calls("gate", "flood"), scripted.Say("done"))
		open := b.gated()
		b.flooding(1_000, func(*host.Runtime) { open() })

		events, err := b.stream()

		require.NoError(t, err)
		custom, warnings := customAndWarnings(events)
		require.Equal(t, 16, custom, "16 MiB wait")
		require.Equal(t, []string{
			"984 custom events of a tool call were dropped: they waited for earlier calls to end, and more than 16 MiB waited",
		}, warnings)
	})
}

func TestEventsOfTheCallWhoseTurnItIsAreNotDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, calls("flood", "gate"), scripted.Say("done"))
		open := b.gated()
		b.flooding(50, func(*host.Runtime) { open() })

		events, err := b.stream()

		require.NoError(t, err)
		custom, warnings := customAndWarnings(events)
		require.Equal(t, 50, custom)
		require.Empty(t, warnings)
	})
}

func TestCallsBeginOnlyWhileThereIsRoomForTheirEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, calls("gate", "flood", "late", "late"), scripted.Say("done"))
		b.ToolCalls.Parallel = 2
		open := b.gated()
		b.flooding(17, func(*host.Runtime) {})
		b.answering("late", "late")
		agent := b.build()
		ended := make(chan *host.Result, 1)
		go func() {
			var result *host.Result
			for event, err := range agent.Stream(t.Context(), hi()) {
				if err == nil && event.Type == host.EventEnd {
					result = &host.Result{Status: event.Status}
				}
			}
			ended <- result
		}()

		synctest.Wait()
		b.mu.Lock()
		require.Empty(t, b.log, "no other call has begun")
		b.mu.Unlock()
		open()

		require.Equal(t, host.Completed, (<-ended).Status)
		require.Equal(t, []string{"late", "late"}, b.log)
	})
}

func TestNestedCallsAreRefusedWhileTooManyEventsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, calls("gate", "flood"), scripted.Say("done"))
		open := b.gated()
		b.answering("other", "other")
		b.flooding(17, func(rt *host.Runtime) {
			synctest.Wait() // until the last event waits
			_, err := rt.CallTool(t.Context(), "other", nil)
			require.Equal(t, host.ErrBusy, err)
			open()
		})

		_, err := b.stream()

		require.NoError(t, err)
	})
}
