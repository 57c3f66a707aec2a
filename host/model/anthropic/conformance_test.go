package anthropic_test

import (
	"testing"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/modeltest"
)

// once has a refusal reported at once: package provider has the tests of retries.
var once = model.Limits{MaxRetries: -1}

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.Run(t, modeltest.Target{
		New: func(t *testing.T, address string, headers map[string]string) model.Streamer {
			t.Helper()
			return &anthropic.Model{
				Name: "claude-haiku-4-5", BaseURL: address, APIKey: "test", Headers: headers, Limits: once,
				Settings: settings(t, `{"thinking":{"type":"enabled","budget_tokens":1024}}`), // of which aimock wants the thoughts back
			}
		},
		Without: []modeltest.Feature{modeltest.MalformedCalls}, // the server cannot say them
	})
}
