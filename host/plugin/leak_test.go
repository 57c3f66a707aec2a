package plugin_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// A guest that takes a page in each call and never frees one is replaced before a growth fails, however small its limit is.
func TestLeakingInstancesAreReplaced(t *testing.T) {
	t.Parallel()
	for _, pages := range []int64{8, 32, 256, 512} {
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			t.Parallel()
			g := guestkit.Hooked(abi.BeforeAgent, abi.HookSpec{})
			g.On("before_agent", guestkit.I32(1), guestkit.Grow, guestkit.I32(-1), guestkit.Equal, guestkit.When(guestkit.Trap), guestkit.Nothing)
			b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Memory: pages << 16}})
			served := map[uint64]int{}
			for range 2 * pages {
				events, err := b.run(t)
				require.NoError(t, err)
				served[instances(events)[0]]++
			}
			require.Greater(t, len(served), 2)
		})
	}
}

// A guest whose first call needs most of its memory is not replaced for that.
func TestInstancesThatNeedTheirMemoryAreKept(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeAgent, abi.HookSpec{})
	g.On("before_agent", guestkit.Size, guestkit.I32(7), guestkit.Differ, guestkit.When(guestkit.I32(4), guestkit.Grow, guestkit.Drop), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Memory: 8 << 16}})
	for range 10 {
		events, err := b.run(t)
		require.NoError(t, err)
		require.Equal(t, []uint64{2}, instances(events), "the first one only described the plugin")
	}
}
