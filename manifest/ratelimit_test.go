package manifest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/manifest"
)

// The agents of a process that use the same account and model share its rate limit, until the agent that sets it is closed.
func TestAgentsShareARateLimit(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, wholeAnswers[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	const limit = ", rate_limit: {requests_per_minute: 0.01, max_wait: 1s}, on_cut_off: fail"
	agent := func(keys string) *manifest.Agent {
		lines := "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, stream: false, base_url: '" + server.URL + "'" + keys + "}\n"
		m, err := manifest.Load(setup(t, lines, nil), manifest.Options{InMemory: true})
		require.NoError(t, err)
		built, err := m.Build(t.Context(), nil, nil)
		require.NoError(t, err)
		return built
	}
	run := func(a *manifest.Agent) error {
		_, err := a.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		return err
	}
	limited, other, elsewhere := agent(limit), agent(""), agent(", headers: {Authorization: another-key}")
	require.NoError(t, run(other))
	err := run(limited)
	var refused *host.ModelError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, model.ErrorRateLimit, refused.Kind)
	require.ErrorContains(t, err, "its rate_limit of 0.01 requests a minute leaves no room within the longest wait, 1s")
	require.Error(t, run(other))
	require.NoError(t, run(elsewhere))
	require.NoError(t, limited.Close())
	require.NoError(t, run(other))
	require.NoError(t, other.Close())
	require.NoError(t, elsewhere.Close())
}

func TestRateLimitsAreChecked(t *testing.T) {
	t.Parallel()
	for keys, says := range map[string]string{
		"{}":                             "rate_limit needs requests_per_minute, tokens_per_minute or both",
		"{max_wait: 1m}":                 "rate_limit needs requests_per_minute",
		"{requests_per_minute: 0}":       "model.rate_limit.requests_per_minute",
		"{requests_per_second: 1}":       "valid keys: requests_per_minute, tokens_per_minute",
		"{tokens_per_minute: -1}":        "tokens_per_minute must be from 1 to",
		"{tokens_per_minute: 30000000k}": "tokens_per_minute must be from 1 to",
		"{tokens_per_minute: 30k, max_bucket_size: 2}": "max_bucket_size needs requests_per_minute",
		"{requests_per_minute: 9, max_wait: 0s}":       "max_wait",
		"60":                                           "expected a mapping",
	} {
		_, err := limitsOf(t, "openai", ", rate_limit: "+keys)
		require.ErrorContains(t, err, says, keys)
	}
	_, err := limitsOf(t, "openai", ", rate_limiter: {}")
	require.ErrorContains(t, err, "write rate_limit: {requests_per_minute: 60, tokens_per_minute: 30k}")
	limits, err := limitsOf(t, "anthropic", ", timeout: 5m, rate_limit: {requests_per_minute: 50, tokens_per_minute: 30k, max_bucket_size: 5, max_wait: 2m}")
	require.NoError(t, err)
	require.Equal(t, 5*time.Minute, limits.Timeout)
}
