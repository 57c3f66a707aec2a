package manifest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/manifest"
)

// withStore builds an agent with the keys of a store, and calls a function with its configuration.
func withStore(t *testing.T, keys string, use func(*host.Config), set ...string) error {
	t.Helper()
	m, err := manifest.Load(setup(t, echo+"store: "+keys+"\n", nil), manifest.Options{
		Set: set,
		LookupEnv: func(name string) (string, bool) {
			if name == "OPENAI_API_KEY" || name == "EMBED_KEY" {
				return "a-long-secret", true
			}
			return "", false
		},
	})
	if err != nil {
		return err
	}
	agent, err := m.Build(t.Context(), nil, use)
	require.NoError(t, agent.Close())
	return err
}

func TestStoreIndex(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Model != "small" || len(asked.Input) != 1 || r.URL.Path != "/v1/embeddings" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer := `{"data":[{"index":0,"embedding":[0,1]}]}`
		if strings.Contains(asked.Input[0], "tea") {
			answer = `{"data":[{"index":0,"embedding":[1,0]}]}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	keys := `{index: {embed: {provider: openai, name: small, base_url: "` + server.URL + `/v1", api_key_env: EMBED_KEY}, dims: 2, fields: [text]}}`
	err := withStore(t, keys, func(c *host.Config) {
		ns := store.Namespace{"users"}
		for key, text := range map[string]string{"a": "music", "b": "green tea"} {
			_, err := store.Put(t.Context(), c.Store, ns, key, map[string]any{"text": text}, store.PutOptions{})
			require.NoError(t, err)
		}
		found, err := store.Find(t.Context(), c.Store, nil, store.Search{Query: "tea", Limit: 1})
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, "b", found[0].Key)
		require.InDelta(t, 1, found[0].Score, 0)
	})
	require.NoError(t, err)

	indexed := func(c *host.Config) {
		_, ok := c.Store.(store.Searcher)
		require.True(t, ok)
	}
	require.NoError(t, withStore(t, "{index: {embed: openai:text-embedding-3-small, dims: 1536}}", indexed))
	require.NoError(t, withStore(t, "{index: {embed: openai:text-embedding-3-small, dims: 1536}}", indexed, "store.index.embed.name=other"))
	require.NoError(t, withStore(t, "{index: {embed: ollama:nomic-embed-text, dims: 768}}", indexed))
	require.NoError(t, withStore(t, "{}", func(c *host.Config) {
		_, ok := c.Store.(store.Searcher)
		require.False(t, ok)
	}))
	for keys, says := range map[string]string{
		"{indx: {}}":            `did you mean "index"?`,
		"{index: {dims: 1536}}": `"embed"`,
		"{index: {embed: openai:text-embedding-3-small}}":                                              `"dims"`,
		"{index: {embed: openai:text-embedding-3-small, dims: 0}}":                                     "dims",
		"{index: {embed: openai:text-embedding-3-small, dims: 2, fields: [\"a[\"]}}":                   `the field "a[" of the index has no ] after [`,
		"{index: {embed: anthropic:claude-opus-4-1, dims: 2}}":                                         "embedding models are those of openai",
		"{index: {embed: {provider: scripted, echo: true}, dims: 2}}":                                  "embedding models are those of openai",
		"{index: {embed: {provider: openai, name: x, rate_limit: {requests_per_minute: 1}}, dims: 2}}": "rate_limit has no effect on an embedding model",
		"{index: {embed: {provider: openai, name: x, settings: {input: x}}, dims: 2}}":                 "input",
	} {
		require.ErrorContains(t, withStore(t, keys, nil), says, keys)
	}
}
