// Package modeltest is the conformance suite of models that talk to a provider: what every one of them must make of the same
// conversations. It runs against aimock, a server that others wrote and that speaks the languages of OpenAI, Anthropic and
// Gemini, so nothing of it needs a key.
package modeltest

import (
	"embed"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/test/testservers"
)

//go:embed testdata/fixtures.json
var fixtures embed.FS

// Target is a provider under test.
type Target struct {
	// New makes a model that talks to a server. The headers, which may be nil, go with each of its requests.
	New func(t *testing.T, address string, headers map[string]string) model.Streamer
	// Without names what the provider's API cannot say, of the features below.
	Without []Feature
}

// Feature is something that an API may lack.
type Feature string

// The features.
const (
	CallIDs        Feature = "call ids"        // of tool calls, made by the provider
	MalformedCalls Feature = "malformed calls" // arguments that are no JSON
	Reasoning      Feature = "reasoning"       // shown by the server
	Signatures     Feature = "signatures"      // of reasoning, that must be sent back
	Usage          Feature = "usage"           // from this server
)

// Run tests a provider. The test servers must be installed, with make servers or in the folder that AGENTHOST_TESTSERVERS
// names; without them the suite is skipped, and fails where the environment variable CI is set.
func Run(t *testing.T, target Target) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fixtures.json")
	content, err := fixtures.ReadFile("testdata/fixtures.json")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, content, 0o600))
	s := &suite{target: target, address: testservers.Aimock(t, file)}
	for _, group := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"answers", s.answers},
		{"a turn with tools", s.turns},
		{"reasoning goes back", s.reasoning},
		{"refusals", s.refusals},
		{"broken answers", s.broken},
		{"cancellation", s.cancellation},
		{"a consumer that stops", s.stopping},
		{"many at once", s.many},
	} {
		t.Run(group.name, group.run)
	}
}
