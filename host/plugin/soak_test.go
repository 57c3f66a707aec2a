package plugin_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
)

// soakCalls is how many hook calls the soak makes; AGENTHOST_SOAK makes it more.
func soakCalls(t *testing.T) int64 {
	t.Helper()
	calls, err := strconv.ParseInt(os.Getenv("AGENTHOST_SOAK"), 10, 64)
	if err != nil {
		return 200_000
	}
	return calls
}

// soakGuest is a guest whose hooks say something, or, if it is a bad one, break a rule when the length of their input
// says so.
func soakGuest(bad bool) *guest {
	g := newGuest(abi.Description{
		Fields: []abi.FieldSpec{{Name: "count", Lifetime: "run", Reducer: "add"}},
		Hooks:  abi.HookSpecs{BeforeModel: &abi.HookSpec{Messages: abi.ViewLast(1)}, WrapModelCall: &abi.HookSpec{}},
	})
	var evil code
	if bad {
		length := code{0x20, 0x00}
		when := func(rest int, does code) code { // if len % 64 == rest
			return slices.Concat(length, i32(64), code{0x70}, i32(rest), code{0x46, 0x04, 0x40}, does, code{0x0b})
		}
		evil = slices.Concat(
			when(1, trap), when(2, spin), when(3, slices.Concat(i32(100), grow, drop, trap)),
			when(4, slices.Concat(g.write([]byte{0xdd, 0xff, 0xff, 0xff, 0xff}), i32(1), code{0x0f})),
			when(5, slices.Concat(i32(7), call(callExit))), when(6, slices.Concat(i32(-8), i32(64), call(callResultWrite), drop)),
			when(7, slices.Concat(g.print(strings.Repeat("flood ", 100)), i32(9), code{0x0f})),
		)
	}
	g.on("before_model", evil, g.say(mapOf(map[string]any{"state": map[string]any{"count": 1}})))
	return g.on("wrap_model_call", evil, g.next(nil, abi.StatusOK), nothing)
}

// footprint is what a process holds on to.
type footprint struct {
	goroutines, files, maps int
	heap                    uint64
}

func takeFootprint(t *testing.T) footprint {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := footprint{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.files = len(entries)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		f.maps = strings.Count(string(maps), "\n")
	}
	return f
}

// TestSoak makes many calls of eight plugins, of which three misbehave at random, while plugins are swapped, and looks
// at what the process holds afterwards.
func TestSoak(t *testing.T) { //nolint:paralleltest // it measures the process
	total := soakCalls(t)
	engine := newEngine(plugin.EngineConfig{Memory: 64 << 20})
	defer func() { require.NoError(t, engine.Close()) }()
	modules := map[bool][]byte{false: soakGuest(false).bytes(), true: soakGuest(true).bytes()}
	one := func(i int) plugin.Wasm {
		return plugin.Wasm{
			ID: fmt.Sprintf("p%d", i), Bytes: modules[i < 3], Engine: engine, OnFailure: plugin.Open,
			Limits: plugin.Limits{Memory: 1 << 20, Fuel: 100_000, Instances: 4}, Grant: plugin.Grant{Reads: []string{"count"}, Writes: []string{"count"}},
		}
	}
	var middleware []host.Middleware
	for i := range 8 {
		middleware = append(middleware, one(i))
	}
	agent, err := host.New(host.Config{Model: &searcher{}, Middleware: middleware})
	require.NoError(t, err)
	var calls, faults atomic.Int64
	before := soak(t, agent, one, &calls, &faults, total/10)
	after := soak(t, agent, one, &calls, &faults, total)
	used, limit := engine.Memory()
	t.Logf("%d calls, %d faults; %+v before, %+v after; the guests use %d of %d bytes", calls.Load(), faults.Load(), before, after, used, limit)
	require.Positive(t, faults.Load())
	require.LessOrEqual(t, after.goroutines, before.goroutines)
	require.LessOrEqual(t, after.files, before.files)
	require.LessOrEqual(t, after.maps, before.maps+16)
	require.Less(t, after.heap, before.heap+8<<20)
	require.NoError(t, agent.Close())
	used, _ = engine.Memory()
	require.Zero(t, used, "everything was given back")
}

// soak runs the agent from several goroutines until so many hook calls were made, and swaps plugins meanwhile.
func soak(t *testing.T, agent *host.Agent, one func(int) plugin.Wasm, calls, faults *atomic.Int64, until int64) footprint {
	t.Helper()
	idle := runtime.NumGoroutine() + 1 // with the one that waits for it
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), uint64(until)))
			for runs := 0; calls.Load() < until; runs++ {
				if runs%100 == 99 {
					if at := random.IntN(8); agent.Swap(context.Background(), fmt.Sprintf("p%d", at), one(at)) != nil {
						t.Errorf("swap of p%d failed", at)
						return
					}
				}
				text := strings.Repeat("x", random.IntN(300))
				_, err := agent.RunEvents(context.Background(), host.Input{Messages: []abi.Message{abi.Human(text)}}, func(e host.Event) error {
					if e.Type == host.EventHook {
						calls.Add(1)
						if e.Error == nil && e.Fuel == 0 {
							t.Error("a hook without fuel")
						}
					}
					if e.Type == host.EventWarn {
						faults.Add(1)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= idle }, 5*time.Second, time.Millisecond, "instances are made in the background")
	return takeFootprint(t)
}
