package anthropic_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

func TestInfo(t *testing.T) {
	t.Parallel()
	m := anthropic.New("claude-haiku-4-5")
	require.Equal(t, model.Lookup("anthropic", "claude-haiku-4-5"), m.Info())
	require.True(t, m.Info().Caching)
	m.Profile = &model.Info{Name: "other", MaxInputTokens: 7}
	require.Equal(t, model.Info{Name: "claude-haiku-4-5", Provider: "anthropic", MaxInputTokens: 7}, m.Info())
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t, answers(plain))
	m := s.model(t)
	m.BaseURL += "/proxy/"
	m.Headers = map[string]string{"Anthropic-Beta": "a,b", "User-Agent": "agenthost"}
	for range 2 {
		_, err := m.Generate(t.Context(), request(abi.Human("hi")))
		require.NoError(t, err)
	}
	_, err := stream(t, m, request(abi.Human("hi")))
	require.Error(t, err)
	require.Len(t, s.requests, 3)
	for _, r := range s.requests {
		require.Equal(t, "/proxy/v1/messages", r.path)
		require.Equal(t, http.MethodPost, r.method)
		for name, want := range map[string]string{
			"X-Api-Key": "sk-ant-test", "Anthropic-Version": "2023-06-01", "Anthropic-Beta": "a,b", "User-Agent": "agenthost",
			"Content-Type": "application/json", "Accept": "application/json",
		} {
			require.Equal(t, want, r.header.Get(name), name)
		}
		for _, name := range []string{"Authorization", "X-Stainless-Timeout", "Traceparent"} {
			require.Empty(t, r.header.Values(name), name)
		}
	}
}

// transport answers without a server.
type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestKeys(t *testing.T) {
	var mu sync.Mutex
	var keys []string
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, r.URL.Host+" "+r.Header.Get("X-Api-Key")+r.Header.Get("Authorization"))
		return nil, errPlain
	})}
	for _, test := range []struct {
		name, base, key, variable string
		headers                   map[string]string
		want                      string // "": no key, nothing is sent
	}{
		{"the model's", "", "mine", "theirs", nil, "api.anthropic.com mine"},
		{"the environment's", "", "", " theirs\n", nil, "api.anthropic.com theirs"},
		{"none", "", "", "", nil, ""},
		{"none, and the address said", "https://api.anthropic.com", "", "", nil, ""},
		{"none, but a token", "", "", "", map[string]string{"authorization": "Bearer x"}, "api.anthropic.com Bearer x"},
		{"none, but a header", "", "", "", map[string]string{"x-api-key": "x"}, "api.anthropic.com x"},
		{"none for another server", "http://localhost:4010/x", "", "", nil, "localhost:4010 "},
		{"the environment's not for another server", "http://localhost:4010/x", "", "theirs", nil, "localhost:4010 "},
		{"the model's for another server", "http://localhost:4010/x", "mine", "theirs", nil, "localhost:4010 mine"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(anthropic.APIKeyVariable, test.variable)
			keys = nil
			m := &anthropic.Model{Name: "m", BaseURL: test.base, APIKey: test.key, Headers: test.headers, HTTPClient: client}
			_, err := m.Generate(t.Context(), request(abi.Human("hi")))
			if test.want == "" {
				require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
				require.False(t, failure(t, err).Retryable)
				require.Contains(t, err.Error(), "ANTHROPIC_API_KEY")
				_, err = stream(t, m, request(abi.Human("hi")))
				require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
				require.Empty(t, keys)
				return
			}
			require.ErrorIs(t, err, errPlain)
			require.Equal(t, []string{test.want}, keys, "and there are no retries")
		})
	}
}

func TestTheEnvironmentChangesNothing(t *testing.T) { //nolint:paralleltest // it sets the environment
	s := serve(t, answers(plain))
	ask := func() recorded {
		_, err := s.model(t).Generate(t.Context(), request(abi.Human("hi")))
		require.NoError(t, err)
		return s.requests[len(s.requests)-1]
	}
	before := ask()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "active_config"), []byte("x"), 0o600))
	for name, set := range map[string]string{
		"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_API_KEY": "other", "ANTHROPIC_AUTH_TOKEN": "other", "ANTHROPIC_PROFILE": "none",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Custom: yes", "ANTHROPIC_CONFIG_DIR": dir, "ANTHROPIC_WEBHOOK_SIGNING_KEY": "x",
		"ANTHROPIC_FEDERATION_RULE_ID": "fdrl_x", "ANTHROPIC_ORGANIZATION_ID": "x", "ANTHROPIC_IDENTITY_TOKEN": "x", "ANTHROPIC_WORKSPACE_ID": "x",
		"ANTHROPIC_OPEN_TELEMETRY": "true", "ANTHROPIC_OPEN_TELEMETRY_PROPAGATION": "true", "ANTHROPIC_MODEL": "x", "ANTHROPIC_LOG": "debug",
	} {
		t.Setenv(name, set)
	}
	after := ask()
	require.Equal(t, before.header, after.header)
	require.Equal(t, string(before.body), string(after.body))
	require.Equal(t, before.path, after.path)
}

func TestTheAddressFromTheEnvironment(t *testing.T) {
	s := serve(t, answers(plain))
	t.Setenv(anthropic.BaseURLVariable, s.model(t).BaseURL)
	t.Setenv(anthropic.APIKeyVariable, "sk-ant-key")
	m := anthropic.New("claude-haiku-4-5")
	_, err := m.Generate(t.Context(), request(abi.Human("hi")))
	require.NoError(t, err)
	require.Equal(t, "/v1/messages", s.requests[0].path)
	require.Equal(t, "sk-ant-key", s.requests[0].header.Get("X-Api-Key"))
}

func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"localhost:4010", "ftp://localhost", "http://", ":", "/v1", "http://user:sk-ant-test@%zz"} {
		m := &anthropic.Model{Name: "m", BaseURL: address, APIKey: "sk-ant-test"}
		for range 2 {
			_, err := m.Generate(t.Context(), request(abi.Human("hi")))
			require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
			require.False(t, failure(t, err).Retryable)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		streams(file(t, "answers", "text.sse"))(w, r)
	}).model(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for chunk, err := range m.Stream(t.Context(), request(abi.Human(strings.Repeat("hi", 1000)))) {
				if err != nil || chunk.Response != nil && chunk.Response.StopReason != "end_turn" {
					t.Errorf("%v %v", chunk, err)
				}
			}
		})
	}
	all.Wait()
}
