//go:build !no_cloud

package azure_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lookup returns variables, and only these.
func lookup(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}
}

func account() *cloudservers.Azure {
	return &cloudservers.Azure{Deployment: "my-gpt", APIKey: "azure-key-of-the-test"}
}

// modelAt returns a model of a server, which it trusts, with a client that keeps no connection.
func modelAt(t *testing.T, address string, p *azure.Platform) *openai.Model {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	p.TrustBaseURL = true
	return &openai.Model{
		Name: "my-gpt", BaseURL: address, LookupEnv: lookup(map[string]string{azure.KeyVariable: account().APIKey}), HTTPClient: client,
		Limits: model.Limits{MaxRetries: -1}, Platform: p,
	}
}

// answering starts a server that answers everything in the same way.
func answering(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

func hello() *model.Request { return &model.Request{Messages: history.Of(abi.Human("Hello"))} }

// failure returns the error of a failed call.
func failure(t *testing.T, err error) *model.Error {
	t.Helper()
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, azure.Provider, failed.Provider)
	return failed
}

const (
	saidByChat      = `{"id":"1","model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"Hi."}}]}`
	saidByResponses = `{"id":"1","model":"m","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi.","annotations":[]}]}]}`
)
