//go:build !race

package host_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// allocations returns how many allocations a round costs: the slope between runs of 50 and 100 rounds, so that what a
// run costs once does not count.
func allocations(t *testing.T, search host.Tool, hooks, messages int, keeps bool) float64 {
	t.Helper()
	in := hi()
	for i := range messages {
		m := abi.Human(fmt.Sprintf("message %d", i))
		m.ID = fmt.Sprintf("id-%d", i)
		in.Messages = append(in.Messages, m)
	}
	run := func(rounds int) float64 {
		b := setup(t)
		b.Model, b.Tools = newRounds(rounds), []host.Tool{search}
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
	const slack = 0.5 // what slices grow by, in 50 rounds
	bare := allocations(t, searchTool(), 0, 0, false)
	require.InDelta(t, 20, bare, slack, "a round without middleware")
	require.InDelta(t, bare+5, allocations(t, searchTool(), 5, 0, false), slack, "a hook that does nothing: one")
	require.InDelta(t, bare, allocations(t, searchTool(), 0, 2000, false), slack, "a round does not cost more for a long history")
	require.InDelta(t, bare+3, allocations(t, typedTool(), 0, 0, false), slack, "a tool that is a Go function")
	require.InDelta(t, bare+5+10, allocations(t, searchTool(), 5, 0, true), slack, "two checkpoints a round")
}

// typedTool is searchTool as its users write it.
func typedTool() host.Tool {
	type query struct {
		Q string `json:"q"`
	}
	return tool.Func("search", "Searches.", func(context.Context, query) (string, error) { return "result", nil })
}
