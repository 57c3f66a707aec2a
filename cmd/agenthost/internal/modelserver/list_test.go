package modelserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/modelserver"
	"github.com/agenthost/agenthost/host/model"
)

func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

func TestModels(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 201)
	for name, test := range map[string]struct {
		provider, path, body string
		want                 []string
		says                 string
	}{
		"Ollama":        {provider: "ollama", path: "/api/tags", body: `{"models":[{"name":"a:8b"},{"name":""},{"name":"` + long + `"}]}`, want: []string{"a:8b"}},
		"others":        {provider: "vllm", path: "/v1/models", body: `{"object":"list","data":[{"id":"a/b"},{"id":"c"}]}`, want: []string{"a/b", "c"}},
		"none":          {provider: "vllm", path: "/v1/models", body: `{}`},
		"no list":       {provider: "vllm", path: "/v1/models", body: `<html>`, says: "the server does not answer with a list of models"},
		"another kind":  {provider: "vllm", path: "/v1/models", body: `{"data":{"id":1}}`, says: "the server does not answer with a list of models"},
		"another path":  {provider: "vllm", path: "/nowhere", body: `{}`, says: "the server answers /v1/models with HTTP 404"},
		"far too long":  {provider: "vllm", path: "/v1/models", body: strings.Repeat(" ", 5<<20), says: "longer than 4 MiB"},
		"very many":     {provider: "vllm", path: "/v1/models", body: `{"data":[` + strings.Repeat(`{"id":"a"},`, 2000) + `{"id":"a"}]}`, want: strings.Split(strings.Repeat("a", 1000), "")},
		"a redirection": {provider: "vllm", path: "/v1/models", body: "", says: "HTTP 307"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path != test.path:
					w.WriteHeader(http.StatusNotFound)
				case test.body == "":
					http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
				case r.Header.Get("Authorization") != "Bearer k":
					w.WriteHeader(http.StatusUnauthorized)
				default:
					_, _ = io.WriteString(w, test.body)
				}
			})
			s := modelserver.Server{Provider: test.provider, Account: model.Account{BaseURL: address + "/v1"}, Key: "k"}
			require.True(t, s.Local())
			models, err := s.Models(t.Context())
			if test.says != "" {
				require.ErrorContains(t, err, test.says)
				var unreachable *modelserver.UnreachableError
				require.NotErrorAs(t, err, &unreachable)
				return
			}
			require.NoError(t, err)
			require.Empty(t, len(models)-len(test.want))
			require.Subset(t, models, test.want)
		})
	}
}

func TestAServerThatDoesNotRun(t *testing.T) {
	t.Parallel()
	s := modelserver.Server{Provider: "ollama", Account: model.Account{BaseURL: "http://127.0.0.1:1/v1"}}
	_, err := s.Models(t.Context())
	var unreachable *modelserver.UnreachableError
	require.ErrorAs(t, err, &unreachable)
	require.NotContains(t, err.Error(), "http://", "the caller names the address")
	for address, local := range map[string]bool{
		"http://localhost:1/v1": true, "http://[::1]:1": true, "http://127.0.0.9": true, "http://127.example.com": false, "http://box:1": false, "https://10.0.0.1": false,
	} {
		s.Account.BaseURL = address
		require.Equal(t, local, s.Local(), address)
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	ollama, other := modelserver.Server{Provider: "ollama"}, modelserver.Server{Provider: "vllm"}
	models := []string{"a:latest", "b:8b"}
	require.True(t, ollama.Has(models, "a"))
	require.True(t, ollama.Has(models, "a:latest"))
	require.True(t, ollama.Has(models, "b:8b"))
	require.False(t, ollama.Has(models, "b"))
	require.False(t, other.Has(models, "a"))
}
