package gemini_test

import (
	"testing"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/modeltest"
)

// once has a refusal reported at once: package provider has the tests of retries.
var once = model.Limits{MaxRetries: -1}

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.Run(t, modeltest.Target{
		New: func(_ *testing.T, address string, headers map[string]string) model.Streamer {
			return &gemini.Model{Name: "gemini-3-flash", BaseURL: address, APIKey: "test", Headers: headers, Limits: once}
		},
		Without: []modeltest.Feature{modeltest.MalformedCalls, modeltest.Signatures, modeltest.CallPieces},
	})
}
