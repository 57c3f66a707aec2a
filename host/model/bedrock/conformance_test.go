//go:build !no_cloud

package bedrock_test

import (
	"testing"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/modeltest"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.Run(t, modeltest.Target{
		New: func(t *testing.T, address string, headers map[string]string) model.Streamer {
			t.Helper()
			m := modelAt(t, cloudservers.Bedrock(t, address, account()).URL, account().Variables())
			m.Headers = headers
			m.Settings = settings(t, map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": 1024}})
			return m
		},
		Without: []modeltest.Feature{modeltest.MalformedCalls}, // the server cannot say them
	})
}
