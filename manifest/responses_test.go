package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/manifest"
)

func TestKeysOfTheResponsesAPI(t *testing.T) {
	t.Parallel()
	made := func(provider, keys string) (*openai.Model, error) {
		m, err := manifest.Load(setup(t, "apiVersion: agenthost/v1\nmodel: {provider: "+provider+", name: x, "+keys+"}\n", nil), manifest.Options{InMemory: true})
		if err != nil {
			return nil, err
		}
		var config host.Config
		agent, err := m.Build(t.Context(), nil, func(c *host.Config) { config = *c })
		require.NoError(t, agent.Close())
		built, _ := model.As[*openai.Model](config.Model)
		return built, err
	}
	built, err := made("openai", "api: responses, use_previous_response_id: true, background: true")
	require.NoError(t, err)
	require.True(t, built.UsePreviousResponseID)
	require.True(t, built.Background)
	for keys, says := range map[string]string{
		"use_previous_response_id: true":                               `the setting "use_previous_response_id" needs api: responses`,
		"background: true, api: chat_completions":                      `the setting "background" needs api: responses`,
		"use_previous_response_id: true, api: responses, store: false": `the setting "store" must not be false with use_previous_response_id`,
		"api: decisions, background: true":                             "background has no effect with api: decisions",
		"api: decisions, rate_limit: {requests_per_minute: 1}":         "rate_limit has no effect with api: decisions",
		"use_previous_response_id: 1, api: responses":                  "expected true or false",
		"use_previous_respons_id: true":                                `did you mean "use_previous_response_id"?`,
		"previous_response_id: resp_1":                                 "write use_previous_response_id: true",
	} {
		_, err := made("openai", keys)
		require.ErrorContains(t, err, says)
	}
	_, err = made("anthropic", "background: true")
	require.ErrorContains(t, err, `unknown key "background"`)
}
