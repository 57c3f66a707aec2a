//go:build !no_serve

package served_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/server/config"
)

func TestWhatCannotBeServed(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	free, err := config.Parse("serve.yaml", []byte("{}"), config.Options{})
	require.NoError(t, err)
	limited, err := config.Parse("serve.yaml", []byte("limits: {run_cost: 0.5}"), config.Options{})
	require.NoError(t, err)
	owners, err := config.Parse("serve.yaml", []byte("limits: {owner_cost: 5}"), config.Options{})
	require.NoError(t, err)
	for _, test := range []struct {
		name  string
		serve *config.Config
		says  string
	}{
		{"", free, "agent.yaml: the agent has no name"},
		{"helper", free, ""},
		{"helper", limited, "agent.yaml: limits.run_cost in serve.yaml: "},
		{"helper", owners, "agent.yaml: limits.owner_cost in serve.yaml: "},
	} {
		a := served.Agent{Path: "agent.yaml"}
		c := host.Config{Name: test.name, Model: scripted.NewTurns(scripted.Say("hi"))}
		a.Adjust(log, test.serve)(&c)
		require.Equal(t, host.DurabilityStep, a.Config.Durability)
		require.Equal(t, model.Amount(test.serve.Limits.RunCost), c.MaxCost)
		if test.says == "" {
			require.NoError(t, a.Check(test.serve))
			continue
		}
		require.ErrorContains(t, a.Check(test.serve), test.says)
	}
}
