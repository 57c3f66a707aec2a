//go:build !no_cloud

package vertex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/modeltest"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	account := cloudservers.GoogleAccount(t)
	t.Run("gemini", func(t *testing.T) {
		t.Parallel()
		modeltest.Run(t, modeltest.Target{
			New: func(t *testing.T, address string, headers map[string]string) model.Streamer {
				t.Helper()
				m := google(t, cloudservers.Vertex(t, address, account).URL, account.Variables())
				m.Headers = headers
				return m
			},
			Without: []modeltest.Feature{modeltest.MalformedCalls, modeltest.Signatures, modeltest.CallPieces},
		})
	})
	t.Run("anthropic", func(t *testing.T) {
		t.Parallel()
		modeltest.Run(t, modeltest.Target{
			New: func(t *testing.T, address string, headers map[string]string) model.Streamer {
				t.Helper()
				m := claude(t, cloudservers.Vertex(t, address, account).URL, account.Variables())
				m.Headers = headers
				var err error
				m.Settings, err = wire.MapOf(map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": 1024}})
				require.NoError(t, err)
				return m
			},
			Without: []modeltest.Feature{modeltest.MalformedCalls},
		})
	})
}
