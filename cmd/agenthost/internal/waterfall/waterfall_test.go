package waterfall_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/waterfall"
	"github.com/agenthost/agenthost/host"
)

// ended is an event that ends something which took from one millisecond to another.
func ended(e host.Event, from, to int) host.Event {
	e.Time, e.Duration = time.UnixMilli(int64(to)), time.Duration(to-from)*time.Millisecond
	return e
}

func events(t *testing.T) []host.Event {
	t.Helper()
	call := abi.Call("1", "task", nil)
	answer := abi.AI("done")
	answer.Usage = &abi.Usage{InputTokens: 100, OutputTokens: 20}
	inner, err := json.Marshal(map[string]any{"agent": "inner", "event": ended(host.Event{Type: host.EventModel, Model: "small"}, 30, 60)})
	require.NoError(t, err)
	data, err := wire.FromJSON(inner, wire.DefaultLimits)
	require.NoError(t, err)
	return []host.Event{
		{Type: host.EventRun, Time: time.UnixMilli(0)},
		ended(host.Event{Type: host.EventHook, Step: "slow.before_model", Fuel: 7, Error: &host.EventError{Type: "x", Message: "bad\nline"}}, 0, 10),
		ended(host.Event{Type: host.EventModel, Model: "big", Messages: []abi.Message{answer}}, 10, 20),
		{Type: host.EventTool, Call: &call, Time: time.UnixMilli(20)},
		{Type: host.EventCustom, Name: "agent", Time: time.UnixMilli(60), Data: data},
		ended(host.Event{Type: host.EventTool, Call: &call, Messages: []abi.Message{{}}}, 20, 80),
		ended(host.Event{Type: host.EventEnd, Agent: "outer", Status: host.Completed}, 0, 100),
	}
}

func TestBarsAreBelowWhatTheyHappenedIn(t *testing.T) {
	t.Parallel()
	var got []string
	for _, b := range waterfall.Of(events(t)) {
		got = append(got, strings.Repeat("  ", b.Depth)+b.Kind+" "+b.Name)
	}
	require.Equal(t, []string{"run outer", "  hook slow.before_model", "  model big", "  tool task", "    model small"}, got)
}

func TestDraw(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, waterfall.Draw(&out, waterfall.Of(events(t)), 67))
	require.Equal(t, strings.TrimPrefix(`
outer               ██████████     100ms completed
  slow.before_model █·········      10ms 7 fuel, failed: bad line
  big               ·█········      10ms 100 → 20 tokens
  task              ··██████··      60ms
    small           ···███····      30ms
`, "\n"), out.String())
	require.NoError(t, waterfall.Draw(&out, nil, 0))
}
