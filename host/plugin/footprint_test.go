package plugin_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
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
		body := repeat(2000, slices.Concat(i32(n), drop))
		require.NoError(t, loads(engine, hooked(abi.BeforeModel, abi.HookSpec{}).on("before_model", body, nothing).bytes()))
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
	deep := hooked(abi.BeforeModel, abi.HookSpec{})
	index := deep.Next()
	var rest code
	for n := 1; n < values; n++ {
		rest = append(rest, wasmbin.Indexed(wasmbin.OpLocalGet, n)...)
	}
	deep.add("", strings.Repeat(wasmI64, values), "", slices.Concat(code{0x20, 0, 0x50, 0x04, 0x40, 0x0f, 0x0b, 0x20, 0, 0x42, 1, 0x7d}, rest, call(index)))
	deep.on("before_model", wasmbin.I64Const(3000), repeat(values-1, code{0x42, 0}), call(index), nothing)
	many := hooked(abi.BeforeModel, abi.HookSpec{}).on("before_model", nothing)
	for n := range 9_000 {
		many.Exports = append(many.Exports, wasmbin.Export(fmt.Sprint("x", n), 0, many.Next()-1))
	}
	for name, g := range map[string]*guest{"recursion": deep, "exports": many} {
		code := g.bytes()
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
	g := hooked(abi.BeforeModel, abi.HookSpec{})
	g.Memory = pages(960)
	g.on("before_model", code{0x03, 0x40}, i32(1), grow, i32(-1), code{0x47, 0x0d, 0, 0x0b}, nothing)
	engine := newEngine(plugin.EngineConfig{Memory: 74 << 20})
	closes(t, engine)
	b := setup(t, plugin.Wasm{Bytes: g.bytes(), Engine: engine, Limits: plugin.Limits{Memory: 512 << 20}})
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
	g := hooked(abi.BeforeAgent, abi.HookSpec{})
	emit := g.hostCall(abi.OpEventEmit, document(&abi.EventEmit{Name: "x"}), abi.StatusOK)
	g.on("before_agent", work(500_000), emit, work(500_000), nothing)
	b := setup(t, plugin.Wasm{Bytes: g.bytes(), Limits: plugin.Limits{Deadline: 300 * time.Millisecond}})
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
	g := hooked(abi.BeforeModel, abi.HookSpec{})
	g.Imports = append(g.Imports, function{Module: "wasi_snapshot_preview1", Name: "fd_close", Params: wasmI32, Results: wasmI32})
	g.Functions = nil // their indexes have moved
	d := abi.Description{Name: "bad", Version: "1", ABI: abi.Major, Hooks: abi.HookSpecs{BeforeModel: &abi.HookSpec{}}}
	g.add(abi.Marker, "", "").add(abi.ExportDescribe, "", wasmI32, g.say(document(&d)))
	g.on("before_model", i32(0), call(8), code{0x04, 0x40}, trap, code{0x0b}, nothing)
	_, err := setup(t, plugin.Wasm{Bytes: g.bytes(), Isolation: plugin.IsolateCall}).run(t)
	require.NoError(t, err)
}

// TestExportsAreTheGuestsOwn exports an import as a hook.
func TestExportsAreTheGuestsOwn(t *testing.T) {
	t.Parallel()
	g := hooked(abi.BeforeModel, abi.HookSpec{})
	g.Exports = [][]byte{wasmbin.Export("before_model", 0, callExit)}
	fault := loadError(t, plugin.Wasm{Bytes: g.bytes()})
	require.Equal(t, plugin.KindLink, fault.Kind)
	require.Contains(t, fault.Message, "it exports before_model, which is what it imports")
}

// TestCancelledWaitIsNoFault cancels a run that waits for memory.
func TestCancelledWaitIsNoFault(t *testing.T) {
	t.Parallel()
	hog := hooked(abi.WrapModelCall, abi.HookSpec{})
	hog.Memory = pages(20)
	hog.on("wrap_model_call", hog.next(nil, abi.StatusOK), nothing)
	engine := newEngine(plugin.EngineConfig{Memory: 2 << 20})
	closes(t, engine)
	waits := setup(t, plugin.Wasm{Bytes: simple(), Engine: engine, OnFailure: plugin.Open, Breaker: plugin.Breaker{Faults: 1}})
	slow := setup(t, plugin.Wasm{Bytes: hog.bytes(), Engine: engine}, func(c *host.Config) { c.Model = &slowModel{takes: 300 * time.Millisecond} })
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
