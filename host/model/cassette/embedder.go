package cassette

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// embedding is what an embedding model is asked.
type embedding struct {
	Texts []string `json:"texts"`
}

// vectorBytes returns vectors as they are in the file: as 32-bit little-endian numbers, which JSON shows in base64. Decimal numbers would
// take twice the space, and nobody reads them.
func vectorBytes(vectors [][]float32) [][]byte {
	out := make([][]byte, len(vectors))
	for i, vector := range vectors {
		for _, x := range vector {
			out[i] = binary.LittleEndian.AppendUint32(out[i], math.Float32bits(x))
		}
	}
	return out
}

// vectorsIn returns the vectors of a file, which must be as [model.Embedder] promises.
func vectorsIn(from [][]byte) ([][]float32, error) {
	out := make([][]float32, len(from))
	for i, b := range from {
		if len(b) == 0 || len(b)%4 != 0 || len(b) != len(from[0]) {
			return nil, fmt.Errorf("vector %d has %d bytes; all vectors need the same number, a multiple of 4", i+1, len(b))
		}
		for ; len(b) > 0; b = b[4:] {
			x := math.Float32frombits(binary.LittleEndian.Uint32(b))
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, fmt.Errorf("vector %d has a number that is not finite", i+1)
			}
			out[i] = append(out[i], x)
		}
	}
	return out, nil
}

// checkEmbedding checks the answer of an embedding model.
func (l *line) checkEmbedding() error {
	if len(l.Response.Vectors) != len(l.Embedding.Texts) {
		return errNoFit
	}
	_, err := vectorsIn(l.Response.Vectors)
	return err
}

// Embedder returns an embedding model that asks another one and records the exchanges under a name, like [Recorder.Model].
func (r *Recorder) Embedder(name string, inner model.Embedder) model.Embedder {
	r.add(&line{Model: name, Info: &info{Name: inner.Name(), Embedder: true}})
	return &recordedEmbedder{inner, r, name}
}

// recordedEmbedder records what an embedding model is asked.
type recordedEmbedder struct {
	model.Embedder
	to   *Recorder
	name string
}

// Embed asks the inner model.
func (m *recordedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, failed := m.Embedder.Embed(ctx, texts)
	l := &line{Model: m.name, Embedding: &embedding{slices.Clone(texts)}}
	if failed == nil {
		l.Response = &response{Vectors: vectorBytes(vectors)}
		if err := l.checkEmbedding(); err != nil {
			m.to.fail(m.name, err)
			return vectors, nil
		}
	}
	m.to.note(ctx, l, failed)
	return vectors, failed
}

// Embedder returns the embedding model that was recorded under a name. The error says that there is none.
func (p *Player) Embedder(name string) (model.Embedder, error) {
	recorded, err := p.info(name, true)
	if err != nil {
		return nil, err
	}
	return &playedEmbedder{p, name, recorded.Name}, nil
}

// playedEmbedder is an embedding model that answers from a cassette.
type playedEmbedder struct {
	player   *Player
	name     string
	recorded string // the name of the model that was asked
}

// Name identifies the model as it was recorded.
func (m *playedEmbedder) Name() string { return m.recorded }

// Embed answers from the cassette.
func (m *playedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	resp, err := m.player.play(ctx, m.name, &embedding{texts}, embeddingIn)
	if err != nil {
		return nil, err
	}
	return vectorsIn(resp.Vectors)
}

func embeddingIn(l *line) (wire.Raw, error) {
	if l.Embedding == nil {
		return nil, nil
	}
	return documentOf(l.Embedding)
}

var errNoFit = errors.New("the response does not fit the request")
