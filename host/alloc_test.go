//go:build !race

package host_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// costs is what a round is measured with.
type costs struct {
	tool     host.Tool
	calls    int // at once; 0 is 1
	hooks    int
	messages int  // that are there before the run
	keeps    bool // has a checkpointer
}

// allocations returns how many allocations a round costs: the slope between runs of 50 and 100 rounds, so that what a
// run costs once does not count.
func (c costs) allocations(t *testing.T) float64 {
	t.Helper()
	in := hi()
	for i := range c.messages {
		m := abi.Human(fmt.Sprintf("message %d", i))
		m.ID = fmt.Sprintf("id-%d", i)
		in.Messages = append(in.Messages, m)
	}
	run := func(rounds int) float64 {
		b := setup(t)
		m := newRounds(rounds)
		m.ask = callsAtOnce(max(1, c.calls))
		b.Model, b.Tools = m, []host.Tool{c.tool}
		for i := range c.hooks {
			b.use(noop(i))
		}
		if c.keeps {
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

// callsAtOnce is a reply that calls the tool n times.
func callsAtOnce(n int) *model.Response {
	calls := make([]abi.ToolCall, n)
	for i := range calls {
		calls[i] = abi.Call(strconv.Itoa(i), "search", map[string]any{"q": "x"})
	}
	return model.Reply(abi.AI("", calls...))
}

func TestAllocations(t *testing.T) { //nolint:paralleltest // others' allocations would count
	const slack = 0.5 // what slices grow by, in 50 rounds
	bare := costs{tool: searchTool()}.allocations(t)
	require.InDelta(t, 20, bare, slack, "a round without middleware")
	require.InDelta(t, bare+1, costs{tool: searchTool(), hooks: 5}.allocations(t), slack, "five hooks that do nothing: one")
	require.InDelta(t, bare, costs{tool: searchTool(), messages: 2000}.allocations(t), slack, "a round does not cost more for a long history")
	require.InDelta(t, bare+3, costs{tool: typedTool()}.allocations(t), slack, "a tool that is a Go function")
	require.InDelta(t, bare+1+1, costs{tool: searchTool(), hooks: 5, keeps: true}.allocations(t), slack,
		"two checkpoints a round, and the key of the tool's execution")
	require.InDelta(t, 97, costs{tool: typedTool(), calls: 8}.allocations(t), slack, "eight calls at once")
}

// Each call of a hook or tool has a Runtime of its own, which nobody else uses after the call: a hook may have left a goroutine behind.
func TestARuntimeIsSmall(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, unsafe.Sizeof(host.Runtime{}), uintptr(256), "the size class that the allocator rounds up to")
}

// typedTool is searchTool as its users write it.
func typedTool() host.Tool {
	type query struct {
		Q string `json:"q"`
	}
	return tool.Func("search", "Searches.", func(context.Context, query) (string, error) { return "result", nil })
}
