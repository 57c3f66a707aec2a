package plugin_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
)

// once is a hook that traps if it finds what it left in memory, or a memory that has grown.
func once() *guest {
	g := hooked(abi.BeforeModel, abi.HookSpec{})
	mem := slices.Concat(i32(0), code{0x28, 2, 0, 0x04, 0x40}, trap, code{0x0b}, i32(0), i32(1), code{0x36, 2, 0})
	size := slices.Concat(code{0x3f, 0}, i32(2), code{0x47, 0x04, 0x40}, trap, code{0x0b})
	return g.on("before_model", mem, size, nothing)
}

func TestIsolation(t *testing.T) {
	t.Parallel()
	grows := hooked(abi.BeforeModel, abi.HookSpec{})
	grows.on("before_model", code{0x3f, 0}, i32(2), code{0x47, 0x04, 0x40}, trap, code{0x0b}, i32(1), grow, drop, nothing)
	drops := hooked(abi.BeforeModel, abi.HookSpec{})
	drops.on("before_model", slices.Concat(i32(0), code{0x28, 2, 0, 0x04, 0x40}, trap, code{0x0b}, i32(0), i32(1), code{0x36, 2, 0}, code{0xfc, 9, 0}, nothing))
	drops.DataCount = true
	for name, test := range map[string]struct {
		guest     *guest
		instances int // that two calls use
	}{
		"memory": {once(), 1}, "grown memory": {grows, 2}, "what no image holds": {drops, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := test.guest.bytes()
			_, err := setup(t, plugin.Wasm{Bytes: module}).run(t)
			require.Equal(t, plugin.KindTrap, faultIn(t, err).Kind, "a pool keeps what a call left")
			events, err := setup(t, plugin.Wasm{Bytes: module, Isolation: plugin.IsolateCall}).run(t)
			require.NoError(t, err)
			ids := instances(events)
			require.Len(t, ids, 2)
			require.Len(t, slices.Compact(ids), test.instances)
		})
	}
	w := plugin.Wasm{Bytes: once().bytes(), Isolation: "none"}
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
