package host_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A run of this agent needs exactly five steps: before_agent, model, tools, model, after_agent.
func TestRecursionLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit int
		step  string // at which the run fails
	}{{1, "x.before_agent"}, {2, "model"}, {3, "tools"}, {4, "model"}, {5, "y.after_agent"}, {6, ""}, {0, ""}} {
		t.Run(fmt.Sprint(test.limit), func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("work"), scripted.Say("done")).answering("work", "W")
			b.RecursionLimit = test.limit
			b.use(host.BeforeAgent("x", constant(nil, nil)), host.AfterAgent("y", constant(nil, nil)))

			result, err := b.run()

			if test.step == "" {
				require.NoError(t, err)
				require.Equal(t, 5, result.Steps)
				return
			}
			var exceeded *host.LimitError
			require.ErrorAs(t, err, &exceeded)
			require.Equal(t, &host.LimitError{
				Code: host.CodeRecursionLimit, Step: test.step, Received: test.limit, Maximum: test.limit,
				Message: fmt.Sprintf("recursion limit of %d reached before the end; raise recursion_limit (RecursionLimit in Go) or look for a loop", test.limit),
			}, exceeded)
			require.Equal(t, test.limit, result.Steps)
			require.Equal(t, host.Failed, result.Status)
		})
	}
}

func TestAnEndlessLoopReachesTheRecursionLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.RecursionLimit = 100
	b.use(host.BeforeModel("x", constant(&host.Update{JumpTo: abi.JumpModel}, nil), host.CanJumpTo(abi.JumpModel)))
	result, err := b.run()
	var exceeded *host.LimitError
	require.ErrorAs(t, err, &exceeded)
	require.Equal(t, 100, result.Steps)
}

func TestUsageIsSummedUp(t *testing.T) {
	t.Parallel()
	costing := func(text string, in, out uint64, calls ...abi.ToolCall) scripted.Turn {
		m := abi.AI(text, calls...)
		m.Usage = &abi.Usage{InputTokens: in, OutputTokens: out, TotalTokens: in + out}
		return scripted.Turn{Message: m}
	}
	b := setup(t, costing("", 10, 1, call("1", "work")), scripted.Fail(errors.New("broken")), costing("done", 20, 2))
	b.answering("work", "W").use(host.WrapModelCall("retry", retry(2)))

	result := b.mustRun()

	require.Equal(t, abi.Usage{InputTokens: 30, OutputTokens: 3, TotalTokens: 33}, result.Usage)
}
