package host_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// told returns what a listener knows after events: the texts of the messages.
func told(t *testing.T, events []host.Event) (out []string) {
	t.Helper()
	var known []abi.Message
	for i := range events {
		e := &events[i]
		if e.Reset {
			known = nil
		}
		known = append(known, e.Messages...)
	}
	for i := range known {
		out = append(out, string(known[i].Role)+": "+known[i].Content.Text())
	}
	return out
}

func TestReplay(t *testing.T) {
	t.Parallel()
	_, agent := travelling(t)
	replay := func(after checkpoint.ID) (events []host.Event) {
		for e, err := range agent.Replay(t.Context(), "t", after) {
			require.NoError(t, err)
			events = append(events, e)
		}
		return events
	}
	all := replay(0)
	types := make([]string, 0, len(all))
	for i := range all {
		types = append(types, strings.TrimSpace(string(all[i].Type)+" "+all[i].Step))
	}
	require.Equal(t, []string{
		"state input", "checkpoint", "step model", "state model", "checkpoint model", "step tools", "state tools", "checkpoint tools",
		"step model", "state model", "checkpoint model",
	}, types)
	require.Equal(t, []int{2, 3, 5}, []int{all[2].Index, all[5].Index, all[8].Index}, "steps of hooks count too")
	require.Equal(t, all[5:], replay(2))
	require.Equal(t, []string{"human: hi", "ai: ", "tool: found", "ai: done"}, told(t, all))
	require.Equal(t, []string{"tool: found", "ai: done"}, told(t, replay(2)), "what came after the second one")
	require.Empty(t, replay(4))

	var live []host.Event
	_, err := agent.RunEvents(t.Context(), host.Input{Thread: "t", Checkpoint: 2, Continue: true}, func(e host.Event) error {
		if e.Type == host.EventState {
			live = append(live, e)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, told(t, live), told(t, replay(4)), "of the branch alone")

	for _, err := range agent.Replay(t.Context(), "other", 0) {
		require.ErrorIs(t, err, checkpoint.ErrNoThread)
	}
}
