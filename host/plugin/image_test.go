package plugin_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// once is a hook that traps if it finds what it left in memory, or a memory that has grown.
func once() *guestkit.Module {
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	return g.On("before_model", leavesMark(), hasNotGrown(), guestkit.Nothing)
}

// leavesMark traps if it finds its mark in memory, and leaves it there.
func leavesMark() guestkit.Code {
	return guestkit.Seq(guestkit.I32(0), guestkit.Load32, guestkit.When(guestkit.Trap), guestkit.Poke(0, 1))
}

// hasNotGrown traps if the memory has another size than at the start.
func hasNotGrown() guestkit.Code {
	return guestkit.Seq(guestkit.Size, guestkit.I32(guestkit.MinPages), guestkit.Differ, guestkit.When(guestkit.Trap))
}

// growing is a guest whose memory grows to more than 5 MiB when it is initialized, in time for its image to be mapped.
func growing() *guestkit.Module {
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	return g.Add(wasmbin.Function{Name: "_initialize", Body: guestkit.Seq(guestkit.I32(80), guestkit.Grow, guestkit.Drop, guestkit.Poke(5<<20, 7))})
}

func TestIsolation(t *testing.T) {
	t.Parallel()
	grows := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	grows.On("before_model", hasNotGrown(), guestkit.I32(1), guestkit.Grow, guestkit.Drop, guestkit.Nothing)
	drops := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	drops.On("before_model", leavesMark(), guestkit.Code{0xfc, 9, 0}, guestkit.Nothing) // data.drop
	drops.DataCount = true
	configured := guestkit.Seq(guestkit.I32(5<<20+4), guestkit.Load32, guestkit.I32(9), guestkit.Differ, guestkit.When(guestkit.Trap))
	large := growing().On("before_model", configured, leavesMark(), guestkit.Nothing)
	larger := growing().On("before_model", leavesMark(), guestkit.I32(1), guestkit.Grow, guestkit.Drop, guestkit.Nothing)
	large.On("configure", guestkit.Poke(5<<20+4, 9), guestkit.Nothing)
	for name, test := range map[string]struct {
		guest     *guestkit.Module
		instances int // that two calls use
	}{
		"memory": {once(), 1}, "grown memory": {grows, 2}, "what no image holds": {drops, 2}, "large memory": {large, 1}, "large memory, grown": {larger, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := test.guest.Bytes()
			_, err := setup(t, plugin.Wasm{Bytes: module}).run(t)
			require.Equal(t, plugin.KindTrap, faultIn(t, err).Kind, "a pool keeps what a call left")
			events, err := setup(t, plugin.Wasm{Bytes: module, Isolation: plugin.IsolateCall}).run(t)
			require.NoError(t, err)
			ids := instances(events)
			require.Len(t, ids, 2)
			require.Len(t, slices.Compact(ids), test.instances)
		})
	}
	w := plugin.Wasm{Bytes: once().Bytes(), Isolation: "none"}
	_, config := newBundle(w)
	_, err := host.New(config)
	require.ErrorContains(t, err, `isolation is "none"`)
}

// TestEqualCallsUseEqualFuel calls guests of real compilers many times: only isolation gives equal fuel.
func TestEqualCallsUseEqualFuel(t *testing.T) {
	t.Parallel()
	for name, code := range map[string][]byte{"TinyGo": tinyGuest(t, "bench"), "standard Go": goGuest(t, "bench")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, plugin.Wasm{ID: "bench", Bytes: code, Isolation: plugin.IsolateCall})
			seen := map[string]map[uint64]bool{}
			for range 50 {
				events, err := b.run(t)
				require.NoError(t, err)
				place := 0
				for i := range events {
					if e := &events[i]; e.Type == host.EventHook && e.Fuel > 0 {
						key := e.Step + string(rune('a'+place))
						if seen[key] == nil {
							seen[key] = map[uint64]bool{}
						}
						seen[key][e.Fuel] = true
						place++
					}
				}
			}
			require.NotEmpty(t, seen)
			for key, fuels := range seen {
				require.Len(t, fuels, 1, key)
			}
		})
	}
}
