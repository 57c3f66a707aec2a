package plugin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// emission is the document of an event with so many bytes of data.
func emission(size int) []byte {
	return guestkit.Document(&abi.EventEmit{Name: "progress", Data: wire.String(strings.Repeat("x", size))})
}

// customEvents returns how many events of the type custom there are.
func customEvents(events []host.Event) (n int) {
	for i := range events {
		if events[i].Type == host.EventCustom {
			n++
		}
	}
	return n
}

func TestEventsOfACallAreLimited(t *testing.T) {
	t.Parallel()
	g := capable()
	emit := emission(1_000)
	g.On("before_agent",
		g.HostCall(abi.OpEventEmit, emit, abi.StatusOK), g.HostCall(abi.OpEventEmit, emit, abi.StatusOK),
		g.HostCall(abi.OpEventEmit, emit, abi.ELIMIT), g.HostCall(abi.OpEventEmit, emit, abi.ELIMIT), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Events: 4_000}})

	for range 2 { // each call has its own budget
		events, err := b.run(t)
		require.NoError(t, err)
		require.Equal(t, 2, customEvents(events))
	}
}

func TestEncodingOfEventsCountsAsTheGuestsTime(t *testing.T) {
	t.Parallel()
	g := capable()
	g.Memory = guestkit.Pages(guestkit.MinPages + 8)
	g.On("before_agent", guestkit.Forever(g.Operate(abi.OpEventEmit, emission(500_000)), guestkit.Drop), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{
		Deadline: 100 * time.Millisecond, HostCalls: 1 << 40, Events: 1 << 40, Fuel: 1 << 50,
	}})

	emitted := 0
	var failure error
	for event, err := range b.agent.Stream(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}) {
		if failure = err; err == nil && event.Type == host.EventCustom {
			emitted++
			time.Sleep(20 * time.Millisecond) // longer than any encoding takes
		}
	}

	require.Equal(t, plugin.KindDeadline, faultIn(t, failure).Kind)
	require.LessOrEqual(t, emitted, 12, "10 ms of each event count")
}

// looping is a guest whose hook adds to its field and starts the loop again.
func looping() *guestkit.Module {
	g := guestkit.New(abi.Description{
		Hooks:  abi.HookSpecs{BeforeModel: &abi.HookSpec{CanJumpTo: []string{"model"}}},
		Fields: []abi.FieldSpec{{Name: "f", Lifetime: "run", Reducer: "append"}},
	})
	return g.On("before_model", g.Say(guestkit.MapOf(map[string]any{
		"jump_to": "model", "state": map[string]any{"f": []any{strings.Repeat("x", 10_000)}},
	})))
}

func TestWhatAPluginWritesInARunIsLimited(t *testing.T) {
	t.Parallel()
	limits := plugin.Limits{State: 100_000}
	b := setup(t, plugin.Wasm{Bytes: looping().Bytes(), Limits: limits})
	for range 2 { // the next run begins again
		events, err := b.run(t)
		fault := faultIn(t, err)
		require.Equal(t, plugin.KindLimit, fault.Kind)
		require.Contains(t, fault.Message, "raise limits.state")
		calls := 0
		for i := range events {
			if events[i].Type == host.EventHook {
				calls++
			}
		}
		require.Equal(t, 10, calls, "the tenth would have more than 100000 bytes")
	}

	b = setup(t, plugin.Wasm{Bytes: looping().Bytes(), Limits: limits, OnFailure: plugin.Open})
	events, err := b.run(t)
	require.NoError(t, err, "the run goes on without the plugin")
	require.Equal(t, host.Completed, last(events).Status)
}

// A tool that calls itself as often as it may, at each level.
func TestHostCallsOfNestedToolCallsCountTogether(t *testing.T) {
	t.Parallel()
	const calls = 100
	g := guestkit.New(abi.Description{Tools: []abi.ToolSpec{{Name: "own"}}, Capabilities: asking(abi.OpToolCall)})
	g.On("call_tool",
		guestkit.Turns(calls, 1, g.Operate(abi.OpToolCall, toolRequest("own", nil)), guestkit.Drop),
		g.Say(guestkit.MapOf(map[string]any{"tool_message": map[string]any{"content": "done"}})))
	limits := plugin.Limits{HostCalls: calls, Instances: 20}
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: mayCall("own"), Limits: limits}, func(c *host.Config) {
		c.Model = &asker{calls: []abi.ToolCall{abi.Call("1", "own", nil), abi.Call("2", "own", nil)}}
	})

	events, err := b.run(t)

	require.NoError(t, err)
	began := 0
	for i := range events {
		if events[i].Type == host.EventTool && len(events[i].Messages) == 0 {
			began++
		}
	}
	require.LessOrEqual(t, began, 2*(1+calls), "each call of the model has one budget, for everything inside it")
	require.GreaterOrEqual(t, began, 2*(1+host.MaxCallDepth))
}

// A caller with a small limit does not take away what the tool of another plugin may use.
func TestTheLargestLimitOfHostCallsCounts(t *testing.T) {
	t.Parallel()
	inner := guestkit.New(abi.Description{Tools: []abi.ToolSpec{{Name: "other"}}})
	inner.On("call_tool", guestkit.Turns(50, 1, inner.HostCall(abi.OpBudget, nil, abi.StatusOK)),
		inner.Say(guestkit.MapOf(map[string]any{"tool_message": map[string]any{"content": "done"}})))
	g := capable(abi.OpToolCall)
	g.On("before_agent", g.HostCall(abi.OpToolCall, toolRequest("other", nil), abi.StatusOK),
		g.HostCall(abi.OpToolCall, toolRequest("other", nil), abi.ELIMIT), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: mayCall("other"), Limits: plugin.Limits{HostCalls: 1}}, func(c *host.Config) {
		c.Middleware = append(c.Middleware, plugin.Wasm{ID: "other", Bytes: inner.Bytes(), Engine: compiled})
	})
	_, err := b.run(t)
	require.NoError(t, err)
}

func TestWaitingForOperationsIsLimited(t *testing.T) {
	t.Parallel()
	called := 0
	lookup := native("lookup", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		called++
		time.Sleep(time.Millisecond)
		return host.TextOutput("found"), nil
	})
	g := capable(abi.OpToolCall)
	g.On("before_agent", guestkit.Forever(g.Operate(abi.OpToolCall, toolRequest("lookup", nil)), guestkit.Drop), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: mayCall("lookup"), Limits: plugin.Limits{Wait: 1}}, lookup)

	_, err := b.run(t)

	fault := faultIn(t, err)
	require.Equal(t, plugin.KindDeadline, fault.Kind)
	require.Contains(t, fault.Message, "raise limits.wait")
	require.Equal(t, 1, called, "an operation that has begun is not cut off")
}

// Several calls of guests may belong to one call of a hook's function, one after the other: each has its own budget.
func TestHostCallsCountForEachCallOfAGuest(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.WrapToolCall, abi.HookSpec{})
	g.On("wrap_tool_call", guestkit.Turns(4, 1, g.HostCall(abi.OpBudget, nil, abi.StatusOK)), guestkit.Nothing)
	w := plugin.Wasm{ID: "bad", Bytes: g.Bytes(), Engine: compiled, Limits: plugin.Limits{HostCalls: 4}}
	p, err := w.Load(t.Context(), host.Env{})
	require.NoError(t, err)
	hooks, err := p.Hooks()
	require.NoError(t, err)
	twice := host.WrapToolCall("twice", func(
		ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		if _, _, err := hooks.WrapToolCall.Func(ctx, rt, req, next); err != nil {
			return nil, nil, err
		}
		return hooks.WrapToolCall.Func(ctx, rt, req, next)
	})
	b := setup(t, w, func(c *host.Config) { c.Middleware = []host.Middleware{twice} })
	_, err = b.run(t)
	require.NoError(t, err)
	require.NoError(t, p.Close())
}

func TestAGuestThatHasUsedUpALimitIsToldWhich(t *testing.T) {
	t.Parallel()
	g := capable()
	emit := emission(1_000)
	g.On("before_agent", g.Operate(abi.OpEventEmit, emit), guestkit.Drop, g.Operate(abi.OpEventEmit, emit), guestkit.Drop,
		guestkit.Turns(10, 1, g.HostCall(abi.OpBudget, nil, abi.StatusOK)), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Events: 2_000}})
	_, err := b.run(t)
	require.NoError(t, err)
	told := 0
	for _, line := range b.logged.texts() {
		if line == "WARN refused: the events of this call are used up; raise limits.events if it needs more" {
			told++
		}
	}
	require.Equal(t, 1, told)
}
