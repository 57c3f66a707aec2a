package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// Embedder is a model of OpenAI's Embeddings API, which many servers have: see https://platform.openai.com/docs/api-reference/embeddings.
// Model must be set, as for a chat. Its fields that only concern chats have no effect, and settings such as dimensions become fields of
// the request.
type Embedder struct{ Model *Model }

var _ model.Embedder = (*Embedder)(nil)

const (
	embedBatch    = 64    // texts of a request; the least limit of a known server is 100, Gemini's
	maxDimensions = 16384 // of a vector; no known model has more than 8192
)

// errNoText is the error for a text that no server accepts.
var errNoText = errors.New("a text to embed is empty")

// Name returns the provider and the model, such as "openai:text-embedding-3-small".
func (e *Embedder) Name() string { return e.Model.provider() + ":" + e.Model.Name }

// Check finds mistakes in the address, the headers and the settings.
func (e *Embedder) Check() error {
	if err := e.Model.preset().service().Check(e.Model.options()); err != nil {
		return err
	}
	_, err := e.settings()
	return err
}

func (e *Embedder) settings() (object, error) {
	return provider.Settings(e.Model.provider(), e.Model.Settings, nil, "model", "input", "encoding_format")
}

// Embed returns the vectors of texts. It sends at most 64 texts in a request.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := e.Model.connect(); err != nil {
		return nil, err
	}
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		batch := texts[:min(len(texts), embedBatch)]
		texts = texts[len(batch):]
		vectors, err := e.batch(ctx, batch)
		if err != nil {
			return nil, err
		}
		if len(out) > 0 && len(vectors[0]) != len(out[0]) {
			return nil, provider.Broken(e.Model.provider(), "the vectors of two responses have different numbers of dimensions")
		}
		out = append(out, vectors...)
	}
	return out, nil
}

// batch embeds texts with one request.
func (e *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := e.settings()
	if err != nil {
		return nil, err
	}
	if slices.Contains(texts, "") {
		return nil, e.Model.refused(errNoText)
	}
	body["model"], body["input"] = e.Model.Name, texts
	answer, err := e.Model.endpoint.Ask(ctx, provider.Call{Path: "embeddings", Body: body})
	if _, err := e.Model.endpoint.Hide(nil, err); err != nil {
		return nil, err
	}
	var said struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, e.Model.unreadable(answer, "cannot be read: "+err.Error())
	}
	if len(said.Data) != len(texts) {
		return nil, e.Model.unreadable(answer, fmt.Sprintf("has %d vectors for %d texts", len(said.Data), len(texts)))
	}
	out := make([][]float32, len(texts))
	for i := range said.Data {
		at, vector := said.Data[i].Index, said.Data[i].Embedding
		switch {
		case at < 0 || at >= len(out) || out[at] != nil:
			return nil, e.Model.unreadable(answer, "does not have one vector for each text")
		case len(vector) == 0 || len(vector) > maxDimensions:
			return nil, e.Model.unreadable(answer, fmt.Sprintf("has a vector of %d dimensions; the limit is %d", len(vector), maxDimensions))
		case len(vector) != len(said.Data[0].Embedding):
			return nil, e.Model.unreadable(answer, "has vectors with different numbers of dimensions")
		}
		out[at] = vector
	}
	return out, nil
}
