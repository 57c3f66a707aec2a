//go:build !no_cloud

package vertex_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/vertex"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lookup returns variables, and only these.
func lookup(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}
}

func client(t *testing.T) *http.Client {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// trusted is the platform of a server of the test.
func trusted() *vertex.Platform {
	return &vertex.Platform{TrustBaseURL: true, ProcessEnv: lookup(nil)}
}

func google(t *testing.T, address string, variables map[string]string) *gemini.Model {
	t.Helper()
	return &gemini.Model{
		Name: "gemini-3-flash", BaseURL: address, LookupEnv: lookup(variables), HTTPClient: client(t), Limits: model.Limits{MaxRetries: -1}, Platform: trusted(),
	}
}

func claude(t *testing.T, address string, variables map[string]string) *anthropic.Model {
	t.Helper()
	return &anthropic.Model{
		Name: "claude-haiku-4-5@20251001", BaseURL: address, LookupEnv: lookup(variables), HTTPClient: client(t), Limits: model.Limits{MaxRetries: -1},
		Platform: trusted(),
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
	return failed
}

const (
	saidByGoogle    = `{"responseId":"1","modelVersion":"m","candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"text":"Hi."}]}}]}`
	saidByAnthropic = `{"id":"1","type":"message","model":"claude-haiku-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"Hi."}]}`
)
