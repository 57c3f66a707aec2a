package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// embedderAt is an embedding model of a server.
func embedderAt(t *testing.T, s *server) *openai.Embedder {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &openai.Embedder{Model: &openai.Model{
		Name: "text-embedding-3-small", BaseURL: s.URL + "/v1", APIKey: "test-key", HTTPClient: client, Limits: model.Limits{MaxRetries: -1},
	}}
}

// embedding starts a server that embeds a text as its length and 1, and answers in reverse order.
func embedding(t *testing.T) *server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		data := make([]string, len(asked.Input))
		for i, text := range asked.Input {
			data[i] = fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1]}`, i, len(text))
		}
		slices.Reverse(data)
		_, _ = fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"m","usage":{"prompt_tokens":1,"total_tokens":1}}`, strings.Join(data, ","))
	})
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	s := embedding(t)
	e := embedderAt(t, s)
	e.Model.Settings.Set("dimensions", wire.Int(2))
	require.NoError(t, e.Check())
	require.Equal(t, "openai:text-embedding-3-small", e.Name())
	vectors, err := e.Embed(t.Context(), []string{"a", "four", "to"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1, 1}, {4, 1}, {2, 1}}, vectors)
	last := s.last(t)
	require.Equal(t, "/v1/embeddings", last.path)
	require.Equal(t, "Bearer test-key", last.header.Get("Authorization"))
	require.JSONEq(t, `{"model":"text-embedding-3-small","input":["a","four","to"],"dimensions":2}`, last.text)

	texts := make([]string, 130)
	for i := range texts {
		texts[i] = strings.Repeat("x", i+1)
	}
	before := s.count()
	vectors, err = e.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Equal(t, before+3, s.count(), "in batches")
	for i := range vectors {
		require.Equal(t, []float32{float32(i + 1), 1}, vectors[i])
	}

	vectors, err = e.Embed(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, vectors)
	require.Equal(t, before+3, s.count(), "nothing to ask for")
}

func TestEmbedRefusesBadAnswers(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		``:                                "the response is empty",
		`<html>`:                          "the response cannot be read",
		`{"data":[{"embedding":["a"]}]}`:  "the response cannot be read",
		`{"data":[{"embedding":[1e99]}]}`: "the response cannot be read",
		`{"data":[]}`:                     "has 0 vectors for 2 texts",
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`:                                    "does not have one vector for each text",
		`{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`:                                    "does not have one vector for each text",
		`{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}`:                                   "does not have one vector for each text",
		`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[1]}]}`:                                     "has a vector of 0 dimensions",
		`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`:                                  "different numbers of dimensions",
		`{"data":[{"index":0,"embedding":[` + strings.Repeat("1,", 16384) + `1]},{"index":1,"embedding":[1]}]}`: "a vector of 16385 dimensions",
	} {
		_, err := embedderAt(t, saying(t, answer)).Embed(t.Context(), []string{"a", "b"})
		failed, ok := errors.AsType[*model.Error](err)
		require.True(t, ok, "%s: %v", answer, err)
		require.Equal(t, model.ErrorResponse, failed.Kind)
		require.ErrorContains(t, err, want)
	}
}

func TestEmbedFailsAsModelsDo(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided: test-key","type":"invalid_request_error","code":"invalid_api_key"}}`)
	})
	_, err := embedderAt(t, s).Embed(t.Context(), []string{"a"})
	failed, ok := errors.AsType[*model.Error](err)
	require.True(t, ok)
	require.Equal(t, model.ErrorAuthentication, failed.Kind)
	require.NotContains(t, err.Error(), "test-key")

	count := s.count()
	_, err = embedderAt(t, s).Embed(t.Context(), []string{""})
	require.ErrorContains(t, err, "a text to embed is empty")
	require.Equal(t, count, s.count())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = embedderAt(t, s).Embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)

	wrong := embedderAt(t, s)
	wrong.Model.Settings.Set("input", wire.String("x"))
	require.ErrorContains(t, wrong.Check(), "input")
}
