package modeltest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/modeltest"
	"github.com/agenthost/agenthost/host/model/openai"
)

// What was recorded of a server is replayed without it, and has nothing in it of the key.
func TestACassetteIsRecordedAndReplayed(t *testing.T) {
	answers := []string{`{"choices":[{"message":{"content":"one"},"finish_reason":"stop"}]}`, `{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}`}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		if asked == 2 {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, answers[asked-1])
	}))
	path := filepath.Join(t.TempDir(), "cassette.json")
	converse := func(t *testing.T) {
		t.Helper()
		m := &openai.Model{Name: "m", BaseURL: server.URL + "/v1?key=s3cret", APIKey: "s3cret", HTTPClient: modeltest.Cassette(t, path), Limits: model.Limits{MaxRetries: -1}}
		resp, err := m.Generate(t.Context(), saying("first"))
		require.NoError(t, err)
		require.Equal(t, "one", resp.AI().Content.Text())
		_, err = m.Generate(t.Context(), saying("second"))
		require.Equal(t, model.ErrorRateLimit, failure(t, err).Kind)
		require.NotZero(t, failure(t, err).RetryAfter)
	}
	t.Run("record", func(t *testing.T) {
		t.Setenv(modeltest.RecordVariable, "1")
		converse(t)
	})
	server.Close()
	t.Run("replay", func(t *testing.T) {
		t.Setenv(modeltest.RecordVariable, "")
		converse(t)
	})
	require.Equal(t, 2, asked)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "s3cret")
	require.NotContains(t, string(text), server.URL)

	t.Run("another request", func(t *testing.T) {
		t.Setenv(modeltest.RecordVariable, "")
		m := &openai.Model{Name: "m", BaseURL: server.URL + "/v1", HTTPClient: modeltest.Cassette(t, path), Limits: model.Limits{MaxRetries: -1}}
		_, err := m.Generate(t.Context(), saying("something else"))
		require.ErrorContains(t, err, "request 1 is POST /v1/chat/completions")
		for range 2 {
			_, err = m.Generate(t.Context(), saying("first"))
		}
		require.ErrorContains(t, err, "request 2 is POST")
	})
}
