package plugin_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// heap is how much of the heap is in use, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// executable counts the mappings of the process that hold code.
func executable(t *testing.T) int {
	t.Helper()
	runtime.GC()
	runtime.GC()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("the system does not tell what is mapped")
	}
	return strings.Count(string(maps), " r-xp ")
}

// TestCodeGoesWithItsPlugin loads many different modules in one engine: the code of most must not stay.
func TestCodeGoesWithItsPlugin(t *testing.T) { //nolint:paralleltest // it measures the process
	engine := newEngine(plugin.EngineConfig{})
	defer func() { require.NoError(t, engine.Close()) }()
	load := func(n int) {
		body := guestkit.Repeat(2000, guestkit.Seq(guestkit.I32(n), guestkit.Drop)...)
		require.NoError(t, loads(engine, guestkit.Hooked(abi.BeforeModel, abi.HookSpec{}).On("before_model", body, guestkit.Nothing).Bytes()))
	}
	load(0)
	before := executable(t)
	for n := range 100 {
		load(n + 1)
	}
	require.Eventually(t, func() bool { return executable(t) <= before+40 }, 5*time.Second, 10*time.Millisecond)
}

// TestStacksAreNotKept lets a hook recurse deeply with little fuel, and loads a module with very many exports.
func TestStacksAreNotKept(t *testing.T) { //nolint:paralleltest // it measures the process
	const values = 900
	deep := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	index := deep.Next()
	var rest guestkit.Code
	for n := 1; n < values; n++ {
		rest = append(rest, guestkit.Get(n)...)
	}
	isZero, minus := guestkit.Code{0x50}, guestkit.Code{0x7d}
	deep.Add(wasmbin.Function{Params: strings.Repeat(wasmbin.I64, values), Body: guestkit.Seq(
		guestkit.Get(0), isZero, guestkit.When(guestkit.Return), guestkit.Get(0), guestkit.I64(1), minus, rest, guestkit.Call(index))})
	deep.On("before_model", guestkit.I64(3000), guestkit.Repeat(values-1, guestkit.I64(0)...), guestkit.Call(index), guestkit.Nothing)
	many := guestkit.Fine()
	for n := range 9_000 {
		many.Exports = append(many.Exports, wasmbin.Export(fmt.Sprint("x", n), 0, many.Next()-1))
	}
	for name, g := range map[string]*guestkit.Module{"recursion": deep, "exports": many} {
		code := g.Bytes()
		before := heap()
		b := setup(t, plugin.Wasm{Bytes: code, Engine: newEngine(plugin.EngineConfig{})})
		_, err := b.run(t)
		require.NoError(t, err)
		require.Less(t, heap()-before, int64(20<<20), name)
		runtime.KeepAlive(b)
	}
}

// TestMemoryGrowsInSteps lets a guest grow by single pages while the engine is nearly full: its memory must not be copied
// for each.
func TestMemoryGrowsInSteps(t *testing.T) { //nolint:paralleltest // it measures the process
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	g.Memory = guestkit.Pages(960)
	g.On("before_model", guestkit.Loop(guestkit.I32(1), guestkit.Grow, guestkit.I32(-1), guestkit.Differ, wasmbin.Indexed(wasmbin.OpBrIf, 0)), guestkit.Nothing)
	engine := newEngine(plugin.EngineConfig{Memory: 74 << 20})
	closes(t, engine)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Engine: engine, Limits: plugin.Limits{Memory: 512 << 20, Deadline: time.Minute}})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := b.run(t)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(400<<20))
}

// TestListenersTakeTheirOwnTime lets who listens to events be slow: the guest's time is its own.
func TestListenersTakeTheirOwnTime(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeAgent, abi.HookSpec{})
	emit := g.HostCall(abi.OpEventEmit, guestkit.Document(&abi.EventEmit{Name: "x"}), abi.StatusOK)
	g.On("before_agent", guestkit.Turns(500_000, 0), emit, guestkit.Turns(500_000, 0), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Deadline: 300 * time.Millisecond}})
	_, err := b.agent.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}, func(e host.Event) error {
		if e.Type == host.EventCustom {
			<-time.After(400 * time.Millisecond)
		}
		return nil
	})
	require.NoError(t, err)
}

// TestDescriptorsStay closes standard input in one call; the next one finds it as it was.
func TestDescriptorsStay(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	g.On("before_model", guestkit.I32(0), guestkit.Call(guestkit.FdClose), guestkit.When(guestkit.Trap), guestkit.Nothing)
	_, err := setup(t, plugin.Wasm{Bytes: g.Bytes(), Isolation: plugin.IsolateCall}).run(t)
	require.NoError(t, err)
}

// TestExportsAreTheGuestsOwn exports an import as a hook.
func TestExportsAreTheGuestsOwn(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	g.Exports = append(g.Exports, wasmbin.Export("before_model", 0, guestkit.ProcExit))
	fault := loadError(t, plugin.Wasm{Bytes: g.Bytes()})
	require.Equal(t, plugin.KindLink, fault.Kind)
	require.Contains(t, fault.Message, "it exports before_model, which is what it imports")
}

// TestCancelledWaitIsNoFault cancels a run that waits for memory.
func TestCancelledWaitIsNoFault(t *testing.T) {
	t.Parallel()
	hog := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
	hog.Memory = guestkit.Pages(20)
	hog.On("wrap_model_call", hog.Forward(nil, abi.StatusOK), guestkit.Nothing)
	engine := newEngine(plugin.EngineConfig{Memory: 2 << 20})
	closes(t, engine)
	waits := setup(t, plugin.Wasm{Bytes: simple(), Engine: engine, OnFailure: plugin.Open, Breaker: plugin.Breaker{Faults: 1}})
	slow := setup(t, plugin.Wasm{Bytes: hog.Bytes(), Engine: engine}, func(c *host.Config) { c.Model = &slowModel{takes: 300 * time.Millisecond} })
	done := make(chan error, 1)
	begun := make(chan struct{})
	var once sync.Once
	go func() {
		_, err := slow.agent.RunEvents(context.Background(), host.Input{Messages: []abi.Message{abi.Human("hi")}}, func(e host.Event) error {
			if e.Type == host.EventStep && e.Step == host.ModelStep {
				once.Do(func() { close(begun) })
			}
			return nil
		})
		done <- err
	}()
	select {
	case <-begun:
	case <-time.After(10 * time.Second):
		t.Fatal("the run did not begin")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := waits.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	var fault *plugin.Error
	require.NotErrorAs(t, err, &fault)
	require.NoError(t, <-done)
	used, limit := engine.Memory()
	require.LessOrEqual(t, used, min(limit, math.MaxInt64))
}
