package plugin_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// labRun runs the guest lab and returns its report and the field todos.
func labRun(t *testing.T, code []byte, seed uint64, config, state map[string]any) (report []string, todos string) {
	t.Helper()
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Say("done")), Seed: func() uint64 { return seed },
		Clock: func() time.Time { return time.Unix(1_700_000_000, 0) },
		Middleware: []host.Middleware{plugin.Wasm{
			ID: "lab", Bytes: code, Config: config, Engine: compiled,
			Grant: plugin.Grant{Reads: []string{"todos"}, Writes: []string{"todos"}},
		}},
		State: []host.Field{{Name: "todos"}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{
		Messages: []abi.Message{abi.Human("one"), abi.Human("two"), abi.Human("three")}, State: state,
	})
	require.NoError(t, err)
	for line := range result.State.Get("report").Elements() {
		text, _ := line.AsString()
		report = append(report, text)
	}
	todos, _ = result.State.Get("todos").AsString()
	return report, todos
}

func TestGuestsWorld(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]func(testing.TB, string) []byte{"TinyGo": tinyGuest, "standard Go": goGuest} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := code(t, "lab")
			state := map[string]any{"big": strings.Repeat("x", 5000), "small": "y", "todos": "the host's"}
			start := time.Now()
			report, todos := labRun(t, module, 7, nil, state)
			require.Less(t, time.Since(start), time.Minute, "sleeping takes no time")
			require.Equal(t, "the host's, and lab's", todos, "granted fields are read and written")
			require.Equal(t, []string{
				"now 2023-11-14T22:13:20Z", "slept 1h0m0s", report[2], "limit integer", "ratio number", "config 1",
				"large big", "big 0 5003", "small 2", "shown 1", "older 2", "beyond 0",
				"denied EDENIED: it is not granted, or not declared",
			}, report)
			again, _ := labRun(t, module, 7, nil, state)
			require.Equal(t, report[2], again[2], "equal seeds, equal random numbers")
			if name == "standard Go" { // TinyGo's generator is seeded in _initialize, with 0
				other, _ := labRun(t, module, 8, nil, state)
				require.NotEqual(t, report[2], other[2])
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	lab := plugin.Wasm{
		ID: "bad", Bytes: tinyGuest(t, "lab"), Engine: compiled,
		Grant: plugin.Grant{Reads: []string{"todos"}, Writes: []string{"todos"}},
	}
	for says, config := range map[string]map[string]any{
		"limit": {"limit": "three"}, "extra": {"extra": 1}, "word": {"deep": map[string]any{"word": 1}},
	} {
		lab.Config = config
		_, err := host.New(host.Config{Model: &searcher{}, Middleware: []host.Middleware{lab}})
		require.ErrorContains(t, err, `middleware "bad": config`)
		require.ErrorContains(t, err, says)
	}
	none := guestkit.Fine()
	_, config := newBundle(plugin.Wasm{Bytes: none.Bytes(), Config: map[string]any{"a": 1}})
	_, err := host.New(config)
	require.ErrorContains(t, err, `the plugin takes no configuration, but "a" is given`)
}

func TestADynamicToolRunsWhereItsPluginSaysSo(t *testing.T) {
	t.Parallel()
	lab := plugin.Wasm{
		ID: "lab", Bytes: tinyGuest(t, "lab"), Engine: compiled, Grant: plugin.Grant{Reads: []string{"todos"}, Writes: []string{"todos"}},
	}
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.CallTools(abi.Call("1", "magic", nil), abi.Call("2", "measure", nil)), scripted.Say("done")),
		State:      []host.Field{{Name: "todos"}},
		Middleware: []host.Middleware{lab},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()

	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})

	require.NoError(t, err)
	magic, measure := result.Messages.At(2), result.Messages.At(3)
	require.Equal(t, "ran as measure", magic.Content.Text(), "the guest is told which of its tools is meant")
	require.Equal(t, "measure", magic.Name, "an answer has the name of the tool that ran")
	require.Contains(t, measure.Content.Text(), "measure is not a valid tool", "it is not offered by itself")
}

// toolGuest has a tool of its own and a wrap that passes.
func toolGuest() []byte {
	g := guestkit.New(abi.Description{
		Tools: []abi.ToolSpec{{Name: "own", Description: "Answers."}}, Hooks: abi.HookSpecs{WrapToolCall: &abi.HookSpec{}},
	})
	g.On("wrap_tool_call", g.Forward(nil, abi.StatusOK), guestkit.Nothing)
	g.On("call_tool", g.Say(guestkit.MapOf(map[string]any{"tool_message": map[string]any{"content": "answered"}})))
	return g.Bytes()
}

// eightCalls is a model that asks for the tool own eight times at once.
func eightCalls() *scripted.Turns {
	calls := make([]abi.ToolCall, 8)
	for i := range calls {
		calls[i] = abi.Call(fmt.Sprint(i), "own", nil)
	}
	return scripted.NewTurns(scripted.CallTools(calls...), scripted.Say("done"))
}

func TestShortSupplyOfInstances(t *testing.T) {
	t.Parallel()
	for _, count := range []int{2, 3, 8} {
		b := setup(t, plugin.Wasm{Bytes: toolGuest(), Limits: plugin.Limits{Instances: count}}, func(c *host.Config) { c.Model = eightCalls() })
		events, err := b.run(t)
		require.NoError(t, err)
		used := instances(events)
		require.LessOrEqual(t, slices.Max(used)-slices.Min(used), uint64(count))
	}
	_, config := newBundle(plugin.Wasm{Bytes: toolGuest(), Limits: plugin.Limits{Instances: 1}})
	_, err := host.New(config)
	require.ErrorContains(t, err, `tool "own"`)
	require.ErrorContains(t, err, "at once, and its limit is 1; raise limits.instances")
}

// TestConcurrentRuns is for the race detector.
func TestConcurrentRuns(t *testing.T) {
	t.Parallel()
	b := setup(t, plugin.Wasm{ID: "parity", Bytes: tinyGuest(t, "parity"), Limits: plugin.Limits{Instances: 4}})
	var runs sync.WaitGroup
	for range 8 {
		runs.Go(func() {
			for range 5 {
				_, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	runs.Wait()
}

// TestRepeatedNextDropsInnerUpdates counts updates of a middleware inside of a guest that calls next three times.
func TestRepeatedNextDropsInnerUpdates(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
	g.On("wrap_model_call", guestkit.Repeat(3, g.Forward(nil, abi.StatusOK)...), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes()}, func(c *host.Config) {
		c.Middleware = append(c.Middleware, innerCounter())
		c.Model = constantModel(abi.AI("done"))
	})
	result, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, `{"inner":1}`, result.State.Raw().JSON())
}

// TestViewNewAfterOverwrite shows that an overwrite makes everything new.
func TestViewNewAfterOverwrite(t *testing.T) {
	t.Parallel()
	overwrite := host.AfterModel("overwrite", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.N() > 2 {
			return nil, nil
		}
		return &host.Update{Overwrite: true, Messages: []abi.Message{abi.Human("fresh")}, JumpTo: abi.JumpModel}, nil
	}, host.CanJumpTo(abi.JumpModel))
	for name, m := range map[string]host.Middleware{
		"native": nativeParity{}, "wasm": plugin.Wasm{ID: "parity", Bytes: tinyGuest(t, "parity"), Engine: compiled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, err := host.New(host.Config{Model: constantModel(abi.AI("done")), Middleware: []host.Middleware{m, overwrite}})
			require.NoError(t, err)
			defer func() { require.NoError(t, agent.Close()) }()
			result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi"), abi.Human("drop me")}})
			require.NoError(t, err)
			require.Equal(t, `["start","from 0 items 1 patch 0 remove 0 of 1 reset true",`+
				`"from 0 items 1 patch 0 remove 0 of 1 reset true","from 0 items 1 patch 0 remove 0 of 1 reset true"]`,
				result.State.Get("seen").JSON())
		})
	}
}

// TestLoadingLeavesNothing loads and closes a plugin a thousand times.
func TestLoadingLeavesNothing(t *testing.T) { //nolint:paralleltest // it measures the process
	g := guestkit.Fine()
	w := plugin.Wasm{Bytes: g.Bytes(), Engine: compiled}
	loads := func(n int) {
		for range n {
			agent, err := host.New(host.Config{Model: &searcher{}, Middleware: []host.Middleware{w}})
			require.NoError(t, err)
			require.NoError(t, agent.Close())
		}
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	loads(50)
	before, goroutines := heap(), runtime.NumGoroutine()
	loads(1000)
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	require.Less(t, heap()-before, int64(4<<20), "bytes that a thousand loads left")
}
