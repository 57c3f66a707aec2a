//go:build !no_cloud

package bedrock_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/bedrock"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const modelID = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"

// account is an account of AWS, with temporary credentials.
func account() *cloudservers.AWS {
	return &cloudservers.AWS{
		KeyID: "ASIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", Session: "session-token-of-the-role==", Region: "eu-central-1",
	}
}

// lookup returns variables, and only these.
func lookup(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}
}

// modelAt returns a model of a server, which it trusts, with a client that keeps no connection.
func modelAt(t *testing.T, address string, variables map[string]string) *anthropic.Model {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &anthropic.Model{
		Name: modelID, BaseURL: address, LookupEnv: lookup(variables), HTTPClient: client, Limits: model.Limits{MaxRetries: -1},
		Platform: &bedrock.Platform{TrustBaseURL: true},
	}
}

// answering starts a server of Anthropic's API that answers everything in the same way.
func answering(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

func hello() *model.Request { return &model.Request{Messages: history.Of(abi.Human("Hello"))} }

func settings(t *testing.T, of map[string]any) wire.Map {
	t.Helper()
	out, err := wire.MapOf(of)
	require.NoError(t, err)
	return out
}

// failure returns the error of a failed call.
func failure(t *testing.T, err error) *model.Error {
	t.Helper()
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, bedrock.Provider, failed.Provider)
	return failed
}

const text = `{"id":"msg_1","type":"message","model":"claude-sonnet-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"Hi."}]}`
