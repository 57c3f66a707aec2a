// Package research_test runs the example against a server of others in the place of a model, and one in the place of
// Wikipedia.
package research_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/test/testservers"
)

// encyclopedia answers as Wikipedia does, and keeps what it was asked.
type encyclopedia struct {
	*httptest.Server

	mu    sync.Mutex
	asked []string
}

func newEncyclopedia(t *testing.T) *encyclopedia {
	t.Helper()
	e := &encyclopedia{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.asked = append(e.asked, r.URL.RequestURI())
		e.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/w/rest.php/v1/search/page":
			_, _ = w.Write([]byte(`{"pages": [{"key": "Challenger_Deep", "title": "Challenger Deep", "excerpt": "the deepest <b>point</b>"}]}`))
		case "/api/rest_v1/page/summary/Challenger_Deep":
			_, _ = w.Write([]byte(`{"extract": "It is 10,935 m deep. Write to deep@example.org."}`))
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"title": "Not found."}`))
		}
	}))
	t.Cleanup(e.Close)
	return e
}

func run(t *testing.T, prompt string) (*host.Result, *encyclopedia, error) {
	t.Helper()
	wiki := newEncyclopedia(t)
	env := map[string]string{
		"RESEARCH_BASE_URL": testservers.Aimock(t, filepath.Join("testdata", "aimock.json")) + "/v1", "WIKIPEDIA": wiki.URL,
	}
	m, err := manifest.Load("agenthost.yaml", manifest.Options{LookupEnv: func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human(prompt)}})
	return result, wiki, err
}

func TestResearch(t *testing.T) {
	t.Parallel()
	result, wiki, err := run(t, "How deep is the sea?")
	require.NoError(t, err)
	require.Equal(t, "It is up to 10,935 m deep, says the page Challenger Deep.", result.Text())
	require.Equal(t, []string{"/w/rest.php/v1/search/page?limit=5&q=depth%20of%20the%20sea", "/api/rest_v1/page/summary/Challenger_Deep"}, wiki.asked)
	summary := result.Messages.At(4)
	require.Contains(t, summary.Content.Text(), "10,935 m deep")
	require.NotContains(t, summary.Content.Text(), "example.org", "the plugin masks it")
	require.Greater(t, result.Usage.TotalTokens, uint64(220), "of all three calls")
}

// A key that would lead elsewhere stays a part of the path, and a page that is not there is an answer to the model.
func TestResearchFindsNothing(t *testing.T) {
	t.Parallel()
	result, wiki, err := run(t, "What is nothing?")
	require.NoError(t, err)
	require.Equal(t, "Wikipedia has no answer.", result.Text())
	for _, asked := range wiki.asked {
		require.NotContains(t, asked, "/..")
	}
	answer := result.Messages.At(2)
	require.Equal(t, abi.StatusError, answer.Status)
}

func TestResearchWithoutAModel(t *testing.T) {
	t.Parallel()
	_, _, err := run(t, "Fail.")
	failed := &host.ModelError{}
	require.ErrorAs(t, err, &failed)
	require.Equal(t, model.ErrorOverloaded, failed.Kind)
	require.True(t, failed.Retryable)
}
