package manifest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/manifest"
)

// limitsOf builds a model with these keys and returns its limits.
func limitsOf(t *testing.T, provider, keys string) (limits model.Limits, err error) {
	t.Helper()
	m, err := manifest.Load(setup(t, "apiVersion: agenthost/v1\nmodel: {provider: "+provider+", name: x"+keys+"}\n", nil), manifest.Options{InMemory: true})
	if err != nil {
		return limits, err
	}
	agent, err := m.Build(t.Context(), nil, func(c *host.Config) {
		if made, ok := model.As[*openai.Model](c.Model); ok {
			limits = made.Limits
		}
		if made, ok := model.As[*anthropic.Model](c.Model); ok {
			limits = made.Limits
		}
		if made, ok := model.As[*gemini.Model](c.Model); ok {
			limits = made.Limits
		}
	})
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	return limits, nil
}

func TestLimitsOfCalls(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		limits, err := limitsOf(t, provider, ", timeout: 5m, first_token_timeout: 30s, idle_timeout: 0s, max_retries: 0")
		require.NoError(t, err)
		require.Equal(t, model.Limits{Timeout: 5 * time.Minute, FirstTokenTimeout: 30 * time.Second, IdleTimeout: -1, MaxRetries: -1}, limits)
		require.Equal(t, model.Limits{Timeout: 5 * time.Minute, FirstTokenTimeout: 30 * time.Second}, limits.WithDefaults())

		limits, err = limitsOf(t, provider, "")
		require.NoError(t, err)
		require.Equal(t, model.Limits{
			Timeout: 10 * time.Minute, FirstTokenTimeout: 2 * time.Minute, IdleTimeout: time.Minute, MaxRetries: 2,
		}, limits.WithDefaults())
	}
	for keys, says := range map[string]string{
		", timeout: 5":        "timeout",
		", timeout: 1ms":      "timeout must be at least 1s, such as 5m; 0s is no limit",
		", idle_timeout: -1s": "idle_timeout must be at least 1s",
		", max_retries: -1":   "max_retries must be from 0 to 20",
		", max_retires: 1":    `did you mean "max_retries"?`,
	} {
		_, err := limitsOf(t, "openai", keys)
		require.ErrorContains(t, err, says)
	}
}
