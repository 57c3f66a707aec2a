//go:build !no_cloud

package azure_test

import (
	"testing"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/modeltest"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, api := range []openai.API{openai.ChatCompletions, openai.Responses} {
		for _, version := range []string{"", "2025-04-01-preview"} {
			t.Run(string(api)+version, func(t *testing.T) {
				t.Parallel()
				modeltest.Run(t, modeltest.Target{
					New: func(t *testing.T, address string, headers map[string]string) model.Streamer {
						t.Helper()
						of := account()
						of.Version = version
						m := modelAt(t, cloudservers.AzureOpenAI(t, address, of).URL, &azure.Platform{APIVersion: version})
						m.Headers, m.API = headers, api
						return m
					},
					Without: []modeltest.Feature{modeltest.Signatures},
				})
			})
		}
	}
}
