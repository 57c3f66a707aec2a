package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// noticing is a model that reports something during its calls.
type noticing struct{}

func (noticing) Info() model.Info { return model.Info{Name: "noticing"} }

func (noticing) Notices() bool { return true }

func (noticing) Generate(ctx context.Context, _ *model.Request) (*model.Response, error) {
	model.Notice(ctx, "the model waits")
	return model.Reply(abi.AI("hello")), nil
}

// What a model reports during a call is a warning of the run.
func TestNoticesOfModelsAreWarnings(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{Model: noticing{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	var said []string
	for event, err := range agent.Stream(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}) {
		require.NoError(t, err)
		if event.Type == host.EventWarn {
			said = append(said, event.Step+": "+event.Text)
		}
	}
	require.Equal(t, []string{"model: the model waits"}, said)
	model.Notice(t.Context(), "nobody listens")
}
