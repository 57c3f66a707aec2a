package runs_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
)

// What clients learn of an agent can change while they look.
func TestDescribe(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{Name: "ann", Model: &scripted.Echo{}, Checkpointer: memory.New()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	service, err := runs.NewService(runs.ServiceConfig{
		Store: runsmemory.New(runsmemory.Options{}), Agents: map[string]runs.Agent{"ann": {Agent: agent, Description: "first"}},
	})
	require.NoError(t, err)
	defer service.Close()
	var looking errgroup.Group
	for range 4 {
		looking.Go(func() error {
			for range 100 {
				found, err := service.Resolve(t.Context(), "owner", "ann")
				if err != nil {
					return err
				}
				all, total, err := service.FindAssistants(t.Context(), "owner", &runs.AssistantQuery{})
				if err != nil || total != 1 || all[0].ID != found.ID {
					return fmt.Errorf("found %d assistants: %w", total, err)
				}
			}
			return nil
		})
	}
	schema := wire.Map{{Key: "type", Value: wire.String("object")}}.Raw()
	require.NoError(t, service.Describe(runs.Agent{Name: "ann", Description: "second", Models: []string{"small"}, Context: schema}))
	require.NoError(t, looking.Wait())
	described, err := service.Agent("ann")
	require.NoError(t, err)
	require.Equal(t, "second", described.Description)
	require.Equal(t, []string{"small"}, described.Models)
	require.Equal(t, schema, described.Context)
	require.Same(t, agent, described.Agent, "the agent is the same")
	require.ErrorIs(t, service.Describe(runs.Agent{Name: "bob"}), runs.ErrNoAgent)
}
