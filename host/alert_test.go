package host_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestAlertsOfCallsThatRunAtOnceComeInTheOrderOfTheCalls(t *testing.T) {
	t.Parallel()
	for range 50 {
		b := setup(t, calls("search", "search", "search", "search"), scripted.Say("done")).answering("search", "x")
		b.ToolCalls.Alert = map[string]int{"*": 2}
		events, err := b.stream()
		require.NoError(t, err)
		at := slices.IndexFunc(events, func(e host.Event) bool { return e.Type == host.EventAlert })
		require.Equal(t, "3", events[at].Call.ID)
	}
}

func TestAnAlertEndsAndComesAgain(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0).UTC()
	script := make([]scripted.Turn, 0, 10)
	for range 9 {
		script = append(script, calls("search"))
	}
	b := setup(t, append(script, scripted.Say("done"))...).answering("search", "found")
	b.Clock = func() time.Time { return now }
	b.ToolCalls.Alert = map[string]int{"search": 2}
	gaps := []int{0, 1, 1, 1, 70, 1, 1, 70, 1, 1} // seconds before each model step
	b.use(host.BeforeModel("waits", func(context.Context, *host.Runtime) (*host.Update, error) {
		now, gaps = now.Add(time.Duration(gaps[0])*time.Second), gaps[1:]
		return nil, nil
	}))
	events, err := b.stream()
	require.NoError(t, err)
	calls := 0
	var alerts []int
	for _, event := range events {
		switch {
		case event.Type == host.EventAlert:
			alerts = append(alerts, calls+1)
		case event.Type == host.EventTool && event.Messages != nil:
			calls++
		}
	}
	require.Equal(t, []int{3, 7}, alerts, "at the third call of each row that is close enough")
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0).UTC()
	b := setup(t, calls("search", "search", "direct", "search", "search"), calls("search"), calls("search"), scripted.Say("done"))
	b.Clock = func() time.Time { return now }
	b.ToolCalls = host.ToolCallConfig{Parallel: 1, Alert: map[string]int{"search": 2, "*": 4}}
	b.answering("search", "found").answering("direct", "over")
	b.use(host.BeforeModel("waits", func(context.Context, *host.Runtime) (*host.Update, error) {
		now = now.Add(59 * time.Second)
		return nil, nil
	}))
	events, err := b.stream()
	require.NoError(t, err)
	var alerts []string
	for _, event := range events {
		if event.Type == host.EventAlert {
			alerts = append(alerts, event.Call.ID+": "+event.Text)
		}
	}
	require.Equal(t, []string{
		`4: calls of the tool "search" exceed 2 a minute`,
		`5: tool calls exceed 4 a minute`,
	}, alerts, "each once, as long as it lasts")
}
