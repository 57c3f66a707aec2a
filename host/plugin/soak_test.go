package plugin_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
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
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
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
func soakGuest(bad bool) *guestkit.Module {
	g := guestkit.New(abi.Description{
		Fields: []abi.FieldSpec{{Name: "count", Lifetime: "run", Reducer: "add"}},
		Hooks:  abi.HookSpecs{BeforeModel: &abi.HookSpec{Messages: abi.ViewLast(1)}, WrapModelCall: &abi.HookSpec{}},
	})
	var evil guestkit.Code
	if bad {
		when := func(rest int, does ...guestkit.Code) guestkit.Code { // if len % 64 == rest
			return guestkit.Seq(guestkit.Get(0), guestkit.I32(64), guestkit.Code{0x70}, guestkit.I32(rest), guestkit.Equal, guestkit.When(does...))
		}
		evil = guestkit.Seq(
			when(1, guestkit.Trap), when(2, guestkit.Forever()), when(3, guestkit.I32(100), guestkit.Grow, guestkit.Drop, guestkit.Trap),
			when(4, g.Write([]byte{0xdd, 0xff, 0xff, 0xff, 0xff}), guestkit.I32(1), guestkit.Return),
			when(5, guestkit.I32(7), guestkit.Call(guestkit.ProcExit)),
			when(6, guestkit.I32(-8), guestkit.I32(64), guestkit.Call(guestkit.ResultWrite), guestkit.Drop),
			when(7, g.Print(1, strings.Repeat("flood ", 100)), guestkit.I32(9), guestkit.Return),
		)
	}
	g.On("before_model", evil, g.Say(guestkit.MapOf(map[string]any{"state": map[string]any{"count": 1}})))
	return g.On("wrap_model_call", evil, g.Forward(nil, abi.StatusOK), guestkit.Nothing)
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
	modules := map[bool][]byte{false: soakGuest(false).Bytes(), true: soakGuest(true).Bytes()}
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
	// Go's own heap splits a few mappings more; a leak would be one for each of thousands of faults.
	require.LessOrEqual(t, after.maps, before.maps+64)
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
