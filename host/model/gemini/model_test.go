package gemini_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
)

var _ model.Streamer = (*gemini.Model)(nil)

func TestInfo(t *testing.T) {
	t.Parallel()
	info := gemini.New("gemini-3-flash").Info()
	require.Equal(t, "gemini-3-flash", info.Name)
	require.Equal(t, "gemini", info.Provider)
}

func TestHeadersAndAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, model, want string }{
		{"", "gemini-3-flash", "/v1beta/models/gemini-3-flash:generateContent"},
		{"/", "models/gemini-3-flash", "/v1beta/models/gemini-3-flash:generateContent"},
		{"/v1beta/", "tunedModels/mine", "/v1beta/tunedModels/mine:generateContent"},
		{"/gateway/google", "gemini-3-flash", "/gateway/google/v1beta/models/gemini-3-flash:generateContent"},
	} {
		s := saying(t, hello)
		m := modelAt(t, s)
		m.BaseURL, m.Name = s.URL+test.path, test.model
		m.Headers = map[string]string{"X-Team": "weather", "X-Goog-Api-Client": "mine"}
		_, err := m.Generate(t.Context(), request(abi.Human("hi")))
		require.NoError(t, err)
		require.Equal(t, test.want, s.last(t).path)
		require.Equal(t, "test-key", s.last(t).header.Get("X-Goog-Api-Key"))
		require.Equal(t, "weather", s.last(t).header.Get("X-Team"))
		require.Equal(t, []string{"mine"}, s.last(t).header.Values("X-Goog-Api-Client"))
		require.Equal(t, "agenthost", s.last(t).header.Get("User-Agent"))
	}
}

// The server is told how long somebody waits for its answer.
func TestPatience(t *testing.T) {
	t.Parallel()
	s := saying(t, hello)
	m := modelAt(t, s)
	_, err := m.Generate(t.Context(), request(abi.Human("hi")))
	require.NoError(t, err)
	require.NotContains(t, s.last(t).header, "X-Server-Timeout")
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	_, err = m.Generate(ctx, request(abi.Human("hi")))
	require.NoError(t, err)
	require.Equal(t, "3600", s.last(t).header.Get("X-Server-Timeout"))
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	s := saying(t, hello)
	for _, test := range []struct{ name, base string }{
		{"", s.URL},
		{"../../x", s.URL},
		{"a?b", s.URL},
		{"gemini-3-flash", "nonsense"},
		{"gemini-3-flash", "ftp://localhost"},
		{"gemini-3-flash", "http://"},
		{"gemini-3-flash", "http://%zz"},
	} {
		bothWays(t, func(t *testing.T, streaming bool) {
			t.Helper()
			m := modelAt(t, s)
			m.Name, m.BaseURL = test.name, test.base
			_, err := ask(t.Context(), m, request(abi.Human("hi")), streaming)
			require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind, err)
			require.False(t, failure(t, err).Retryable)
			require.NotContains(t, err.Error(), "test-key")
		})
	}
	require.Zero(t, s.count())
}

func TestOneModelManyRequests(t *testing.T) {
	t.Parallel()
	s := saying(t, "data: "+hello+"\n\n")
	m := modelAt(t, s)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			_, resp, err := stream(t.Context(), m, request(abi.Human("hi")))
			if err != nil || resp.AI().Content.Text() != "hello" {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.Equal(t, 20, s.count())
}

// TestEnvironment sets variables, so it is not parallel.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(name, "")
	}
	for name, value := range map[string]string{
		"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_GENAI_USE_ENTERPRISE": "1", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "l",
		"GOOGLE_GEMINI_BASE_URL": "http://192.0.2.1", "GOOGLE_VERTEX_BASE_URL": "http://192.0.2.1", "GOOGLE_APPLICATION_CREDENTIALS": "/nowhere",
	} {
		t.Setenv(name, value)
	}
	ask := func(change func(m *gemini.Model)) recorded {
		t.Helper()
		s := saying(t, hello)
		m := modelAt(t, s)
		m.APIKey = ""
		change(m)
		_, err := m.Generate(t.Context(), request(abi.Human("hi")))
		require.NoError(t, err)
		return s.last(t)
	}
	got := ask(func(*gemini.Model) {})
	require.NotContains(t, got.header, "X-Goog-Api-Key", "a local server may want none")
	require.NotContains(t, got.header, "Authorization")
	require.Equal(t, "/v1beta/models/gemini-3-flash:generateContent", got.path)
	require.Equal(t, "mine", ask(func(m *gemini.Model) {
		m.Headers = map[string]string{"x-goog-api-key": "mine"}
	}).header.Get("X-Goog-Api-Key"))

	own := func() string {
		t.Helper()
		var key string
		m := gemini.New("gemini-3-flash")
		m.HTTPClient = &http.Client{Transport: noting(func(r *http.Request) { key = r.Header.Get("X-Goog-Api-Key") })}
		_, err := m.Generate(t.Context(), request(abi.Human("hi")))
		require.ErrorContains(t, err, "no request may go to")
		return key
	}
	t.Setenv("GOOGLE_API_KEY", "of Google ")
	require.Equal(t, "of Google", own())
	t.Setenv(gemini.APIKeyVariable, "of Gemini")
	require.Equal(t, "of Gemini", own())
	require.NotContains(t, ask(func(*gemini.Model) {}).header, "X-Goog-Api-Key", "another server gets neither")
	require.Equal(t, "of Google", ask(func(m *gemini.Model) { m.APIKeyEnv = "GOOGLE_API_KEY" }).header.Get("X-Goog-Api-Key"))
	require.Equal(t, "own", ask(func(m *gemini.Model) { m.APIKey = "own" }).header.Get("X-Goog-Api-Key"))
}

// noting sees all requests and refuses them.
type noting func(*http.Request)

func (f noting) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return never{}.RoundTrip(r)
}

func TestNoKey(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "")
	t.Setenv("GOOGLE_API_KEY", " ")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://192.0.2.1")
	for _, base := range []string{"", "https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1beta/"} {
		m := gemini.New("gemini-3-flash")
		m.BaseURL, m.HTTPClient = base, &http.Client{Transport: never{}}
		_, err := m.Generate(t.Context(), request(abi.Human("hi")))
		require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
		require.ErrorContains(t, err, "GEMINI_API_KEY")
		_, _, err = stream(t.Context(), m, request(abi.Human("hi")))
		require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)

		m = gemini.New("gemini-3-flash")
		m.BaseURL, m.HTTPClient, m.Headers = base, &http.Client{Transport: never{}}, map[string]string{"x-goog-api-key": "mine"}
		_, err = m.Generate(t.Context(), request(abi.Human("hi")))
		require.Equal(t, model.ErrorPermission, failure(t, err).Kind, "it was sent")
	}
}

// TestOwnAddress looks at where a request goes without a base URL.
func TestOwnAddress(t *testing.T) {
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://192.0.2.1")
	m := gemini.New("gemini-3-flash")
	m.APIKey, m.HTTPClient = "test-key", &http.Client{Transport: never{}}
	_, err := m.Generate(t.Context(), request(abi.Human("hi")))
	require.ErrorContains(t, err, "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash:generateContent")
}

// never refuses all requests.
type never struct{}

func (never) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, &model.Error{Provider: gemini.Provider, Kind: model.ErrorPermission, Err: neverError(r.URL.String())}
}

type neverError string

func (e neverError) Error() string { return "no request may go to " + string(e) }
