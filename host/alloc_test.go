//go:build !race

package host_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// allocations returns how many allocations a round costs: the slope between runs of 50 and 100 rounds, so that what a
// run costs once does not count.
func allocations(t *testing.T, hooks, messages int, keeps bool) float64 {
	t.Helper()
	in := hi()
	for i := range messages {
		m := abi.Human(fmt.Sprintf("message %d", i))
		m.ID = fmt.Sprintf("id-%d", i)
		in.Messages = append(in.Messages, m)
	}
	run := func(rounds int) float64 {
		b := setup(t)
		b.Model, b.Tools = newRounds(rounds), []host.Tool{searchTool()}
		for i := range hooks {
			b.use(noop(i))
		}
		if keeps {
			b.Checkpointer, in.Thread = newForgetful(t, nil), "t"
		}
		agent := b.build()
		return testing.AllocsPerRun(5, func() {
			if _, err := agent.Run(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		})
	}
	return (run(100) - run(50)) / 50
}

func TestAllocations(t *testing.T) { //nolint:paralleltest // others' allocations would count
	bare := allocations(t, 0, 0, false)
	t.Logf("%.1f allocations a round", bare)
	require.LessOrEqual(t, bare, 30.0, "a round without middleware")

	hooks := allocations(t, 5, 0, false)
	require.InDelta(t, 0.5, (hooks-bare)/5, 0.51, "a hook that does nothing: at most one, within what slices grow by")

	long := allocations(t, 0, 2000, false)
	require.InDelta(t, bare, long, 0.5, "a round does not cost more for a long history")

	kept := allocations(t, 5, 0, true)
	t.Logf("%.1f allocations a round with five hooks that do nothing, and threads in memory", kept)
	require.LessOrEqual(t, kept, bare+5+11, "two checkpoints a round")
}
