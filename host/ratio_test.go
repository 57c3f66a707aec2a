package host_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/test/ratio"
)

// TestRatios holds what a round may cost more than another. The limits are above the targets, for machines that do other work.
func TestRatios(t *testing.T) { //nolint:paralleltest // time counts
	const rounds = 50
	run := func(hooks, history int, keeps bool) func() {
		in := host.Input{Messages: []abi.Message{abi.Human("hi")}}
		before := make([]abi.Message, history)
		for i := range before {
			before[i] = abi.Human(fmt.Sprintf("message %d", i))
		}
		var store checkpoint.Store
		if keeps {
			in.Thread, store = "t", newForgetful(t, before)
		}
		agent := benchAgent(t, rounds, hooks, store)
		return func() {
			_, err := agent.Run(t.Context(), in)
			require.NoError(t, err)
		}
	}
	require.LessOrEqual(t, ratio.Of(t, run(5, 0, false), run(0, 0, false)), 2.0, "five hooks that do nothing : none")
	require.LessOrEqual(t, ratio.Of(t, run(5, 0, true), run(5, 0, false)), 3.0, "a thread in memory : none")
	require.LessOrEqual(t, ratio.Of(t, run(5, 2000, true), run(5, 0, true)), 2.0, "from 2,000 messages : from none, with what the run costs once")
}
