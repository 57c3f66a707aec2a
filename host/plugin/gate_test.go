package plugin_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/tool"
)

// TestFuelOfHooks holds what the hooks of committed guests use: an SDK, a codec or a meter that costs more shows here, whatever
// the machine. Fuel is exact: if one of them was changed, write the new numbers here, and say why they are larger.
func TestFuelOfHooks(t *testing.T) {
	t.Parallel()
	for _, guest := range []struct {
		name string
		code []byte
		want map[string]uint64 // of half of the calls at the most, by step
		mean uint64            // of all calls, with the guest's own garbage collections, whichever hook they meet
	}{
		{"tinygo", tinyGuest(t, "bench"), map[string]uint64{
			"bench.before_agent": 54, "bench.before_model": 3_538, "bench.wrap_model_call": 101, "bench.after_model": 5_257, "bench.wrap_tool_call": 101,
		}, 2_992},
		{"rust", rustGuest(t), map[string]uint64{
			"bench.before_agent": 87, "bench.before_model": 985, "bench.wrap_model_call": 122, "bench.after_model": 1_329, "bench.wrap_tool_call": 128,
		}, 639},
	} {
		t.Run(guest.name, func(t *testing.T) {
			t.Parallel()
			fuel := fuelByStep(t, guest.code)
			median, sum := map[string]uint64{}, uint64(0)
			calls := uint64(0)
			for step, all := range fuel {
				for _, f := range all {
					sum += f
				}
				calls += uint64(len(all))
				slices.Sort(all)
				median[step] = all[len(all)/2]
			}
			require.Equal(t, guest.want, median)
			require.Equal(t, guest.mean, sum/calls)
		})
	}
}

const gateCalls = 1000 // of before_model

// fuelByStep is the fuel of each call of a hook in an agent with messages of 1 KB.
func fuelByStep(t *testing.T, code []byte) map[string][]uint64 {
	t.Helper()
	batches := &batchModel{calls: []abi.ToolCall{abi.Call("1", "search", map[string]any{"q": "x"})}, left: gateCalls - 1}
	search := tool.Func("search", "Searches.", func(context.Context, struct{}) (string, error) { return kilobyte, nil })
	agent, err := host.New(host.Config{
		Model: batches, Tools: []host.Tool{search}, Middleware: []host.Middleware{plugin.Wasm{ID: "bench", Bytes: code, Engine: compiled}},
		Seed: func() uint64 { return 7 }, Clock: func() time.Time { return time.Unix(1_700_000_000, 0) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	fuel := map[string][]uint64{}
	for event, err := range agent.Stream(t.Context(), host.Input{Messages: []abi.Message{abi.Human(kilobyte)}}) {
		require.NoError(t, err)
		if event.Type == host.EventHook {
			fuel[event.Step] = append(fuel[event.Step], event.Fuel)
		}
	}
	require.Len(t, fuel["bench.before_model"], gateCalls)
	return fuel
}

// TestAllocationsOfAHook holds what the host allocates for a call: of a hook that is shown nothing and says nothing, and of one that is
// shown a message of 1 KB and returns an update.
func TestAllocationsOfAHook(t *testing.T) { //nolint:paralleltest // others' allocations would count
	floor := guestkit.Fine()
	for _, c := range []struct {
		name string
		code []byte
		want float64
	}{
		{"floor", floor.Bytes(), 0},
		{"tinygo", tinyGuest(t, "bench"), 6},
		{"rust", rustGuest(t), 6},
		{"js", script(t, "js"), 7},
		{"python", script(t, "python"), 7},
	} {
		var got float64
		var err error
		hooks := hooksOf(t, c.code)
		inRun(t, hooks.BeforeModel, 1, kilobyte, func(call func() error) {
			got = testing.AllocsPerRun(200, func() { err = errors.Join(err, call()) })
		})
		require.NoError(t, err)
		require.InDelta(t, c.want, got, 0, c.name)
	}
}
