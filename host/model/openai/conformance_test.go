package openai_test

import (
	"testing"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/modeltest"
	"github.com/agenthost/agenthost/host/model/openai"
)

// once has a refusal reported at once: package provider has the tests of retries.
var once = model.Limits{MaxRetries: -1}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, api := range []openai.API{openai.ChatCompletions, openai.Responses} {
		t.Run(string(api), func(t *testing.T) {
			t.Parallel()
			modeltest.Run(t, modeltest.Target{
				New: func(_ *testing.T, address string, headers map[string]string) model.Streamer {
					return &openai.Model{
						Name: "gpt-5.2", BaseURL: address + "/v1", APIKey: "test", API: api, Headers: headers, Limits: once,
					}
				},
				Without: []modeltest.Feature{modeltest.Signatures},
			})
		})
	}
}
