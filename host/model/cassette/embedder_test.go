package cassette_test

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/cassette"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
)

// vectorServer is a server with the Embeddings API: a text about tea has another vector than the others.
func vectorServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Input[0] == "fail" {
			http.Error(w, `{"error": {"message": "no such text"}}`, http.StatusBadRequest)
			return
		}
		data := []any{}
		for i, text := range asked.Input {
			vector := []float32{0.1, 1}
			if strings.Contains(text, "tea") {
				vector = []float32{1, -0.3333333}
			}
			data = append(data, map[string]any{"index": i, "embedding": vector})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(server.Close)
	return server
}

// TestEmbeddingsAreRecorded fills and searches a store with an embedding model of a server, and then from the cassette alone.
func TestEmbeddingsAreRecorded(t *testing.T) {
	t.Parallel()
	server := vectorServer(t)
	use := func(m model.Embedder) []store.Found {
		s, err := semantic.New(memory.New(), semantic.Index{Embed: m, Dims: 2})
		require.NoError(t, err)
		for _, text := range []string{"music", "green tea"} {
			_, err := store.Put(t.Context(), s, store.Namespace{"facts"}, text, text, store.PutOptions{})
			require.NoError(t, err)
		}
		found, err := store.Find(t.Context(), s, nil, store.Search{Query: "tea"})
		require.NoError(t, err)
		require.Len(t, found, 2)
		require.Equal(t, "green tea", found[0].Key)
		return found
	}
	r := cassette.NewRecorder()
	m := r.Embedder("store.index.embed", &openai.Embedder{Model: &openai.Model{Name: "small", BaseURL: server.URL, APIKey: "sk-very-secret"}})
	recorded := use(m)
	_, failed := m.Embed(t.Context(), []string{"fail"})
	require.ErrorContains(t, failed, "no such text")
	server.Close()

	read, text := again(t, r)
	require.NotContains(t, text, "very-secret")
	require.Equal(t, 4, read.Len())
	player := cassette.NewPlayer(read)
	played, err := player.Embedder("store.index.embed")
	require.NoError(t, err)
	require.Equal(t, "openai:small", played.Name())
	for i, found := range use(played) {
		require.Equal(t, recorded[i].Key, found.Key)
		require.InDelta(t, recorded[i].Score, found.Score, 0)
	}
	_, err = played.Embed(t.Context(), []string{"coffee"})
	require.ErrorContains(t, err, `call 4 of store.index.embed is not in the cassette; the nearest recorded request, exchange 4, differs in `+
		`texts[0]: "fail" → "coffee"`)
	require.Len(t, player.Mismatches(), 1)
	_, err = played.Embed(t.Context(), []string{"fail"})
	require.EqualError(t, err, failed.Error())

	_, err = player.Model("store.index.embed")
	require.ErrorContains(t, err, `the cassette has no model "store.index.embed", and no other model; record it again`)
	_, err = player.Embedder("inner.yaml store.index.embed")
	require.ErrorContains(t, err, `the cassette has no embedding model "inner.yaml store.index.embed", only store.index.embed`)
}

// vectors is an embedding model that answers with these vectors, whatever it is asked.
type vectors [][]float32

func (vectors) Name() string { return "vectors" }

func (v vectors) Embed(context.Context, []string) ([][]float32, error) { return v, nil }

func TestVectorsThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	for message, answer := range map[string]vectors{
		"the response does not fit the request":            {{1}},
		"vector 2 has a number that is not finite":         {{1}, {float32(math.NaN())}},
		"vector 2 has 8 bytes; all vectors need the same":  {{1}, {1, 2}},
		"vector 1 has 0 bytes; all vectors need the same ": {{}, {}},
	} {
		r := cassette.NewRecorder()
		got, err := r.Embedder("m", answer).Embed(t.Context(), []string{"a", "b"})
		require.NoError(t, err)
		require.Len(t, got, len(answer))
		_, err = r.Cassette()
		require.ErrorContains(t, err, "cassette: a request of m cannot be recorded: "+message)
	}
}
