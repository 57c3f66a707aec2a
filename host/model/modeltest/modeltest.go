// Package modeltest is the conformance suite for models of providers: all of them must give equal answers to the same
// conversations. It runs against aimock, a third-party server that speaks the APIs of OpenAI, Anthropic and Gemini, so it
// needs no key.
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
	// New makes a model that talks to a server. The headers, which may be nil, are sent with each of its requests.
	New func(t *testing.T, address string, headers map[string]string) model.Streamer
	// Without lists the features below that the provider's API lacks.
	Without []Feature
}

// Feature is a capability that an API may lack.
type Feature string

// These are the features.
const (
	CallIDs        Feature = "call ids"        // ids of tool calls, made by the provider
	MalformedCalls Feature = "malformed calls" // calls whose arguments are not valid JSON
	CallPieces     Feature = "call pieces"     // tool calls in pieces, as the model writes them
	Reasoning      Feature = "reasoning"       // reasoning that the server shows
	Signatures     Feature = "signatures"      // signatures of reasoning, which must be sent back
	Usage          Feature = "usage"           // token counts from this server
)

// Run tests a provider. It needs the test servers, installed by make servers or in the directory that AGENTHOST_TESTSERVERS
// names. Without them the suite is skipped, or fails if the environment variable CI is set.
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
