package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// selfServing is a model whose provider searches.
type selfServing struct{ noticing }

func (selfServing) ProviderToolNames() []string { return []string{"search"} }

// A model that New has not seen is refused when a middleware chooses it.
func TestAGuardedToolOfAProviderIsRefusedDuringARun(t *testing.T) {
	t.Parallel()
	choose := func(ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithModel(selfServing{}))
		return resp, nil, err
	}
	for _, guard := range []string{"search", "other"} {
		agent, err := host.New(host.Config{Model: noticing{}, Middleware: []host.Middleware{&middleware{name: "m", hooks: host.Hooks{
			MayGuard: []string{guard}, WrapModelCall: host.WrapModelHook{Func: choose},
		}}}})
		require.NoError(t, err)
		_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, agent.Close())
		if guard == "other" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, `it guards the tool "search", which the provider of the model noticing runs itself`)
	}
	_, err := host.New(host.Config{Model: selfServing{}, Middleware: []host.Middleware{&middleware{name: "m", hooks: host.Hooks{MayGuard: []string{"search"}}}}})
	var wrong *host.ConfigError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, host.SubjectMiddleware, wrong.Subject.Kind)
}
