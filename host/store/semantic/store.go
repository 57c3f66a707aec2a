package semantic

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/store"
)

// MaxDims is the largest number of dimensions of an index.
const MaxDims = 16384

// Index says what is embedded, and how.
type Index struct {
	Embed model.Embedder
	Dims  int // number of dimensions of the vectors, from 1 to [MaxDims]
	// Fields are the paths of the texts in a value, each of which gets a vector of its own. As in LangGraph, a path is "$" for the whole
	// value as JSON, or names of fields with dots between them, such as "profile.name". After a field, [0] is an element of a list, [-1]
	// its last one, and [*] each of them; "*" is each field; {a,b.c} is several fields. Fields that a value lacks are left out. Default
	// ["$"].
	Fields []string
}

// Store is a store with an index. Its methods are those of the store that it wraps, except for Put and Search.
type Store struct {
	store.Store

	embed model.Embedder
	dims  int
	paths []path
}

var _ store.Searcher = (*Store)(nil)

// New adds an index to a store. Entries that were written before, or with another embedding model or number of dimensions, are not in the
// index until they are written again.
func New(s store.Store, index Index) (*Store, error) {
	if _, ok := s.(store.Searcher); ok {
		return nil, errors.New("the store has an index already")
	}
	if index.Embed == nil {
		return nil, errors.New("the index has no embedding model")
	}
	if index.Dims < 1 || index.Dims > MaxDims {
		return nil, fmt.Errorf("the index has %d dimensions; it must have from 1 to %d", index.Dims, MaxDims)
	}
	out := &Store{Store: s, embed: index.Embed, dims: index.Dims}
	fields := index.Fields
	if len(fields) == 0 {
		fields = []string{"$"}
	}
	for _, field := range fields {
		p, err := parsePath(field)
		if err != nil {
			return nil, err
		}
		out.paths = append(out.paths, p)
	}
	return out, nil
}

// WithoutIndex makes a store without an index searchable by the fields of values. A query is ignored, as in LangGraph.
func WithoutIndex(s store.Store) *Store { return &Store{Store: s} }

// Put embeds the value and writes the entry, see [store.Store]. If the value cannot be embedded, nothing is written, and the error is that
// of the embedding model. A value that is not msgpack, or has none of the fields, is written without being in the index.
func (s *Store) Put(ctx context.Context, ns store.Namespace, key string, value []byte, o store.PutOptions) (version uint64, err error) {
	if err := store.CheckPut(ctx, ns, key, value, &o); err != nil {
		return 0, err
	}
	if o.NoIndex || s.embed == nil {
		return s.Store.Put(ctx, ns, key, value, o)
	}
	texts := s.texts(value)
	if err := s.checkTexts(texts); err != nil {
		return 0, fmt.Errorf("entry %q of %q: %w", key, []string(ns), err)
	}
	o.Vectors = nil
	if len(texts) > 0 {
		vectors, err := s.vectors(ctx, texts)
		if err != nil {
			return 0, fmt.Errorf("entry %q of %q cannot be embedded, and is not written: %w", key, []string(ns), err)
		}
		o.Vectors = encode(s.embed.Name(), vectors)
	}
	return s.Store.Put(ctx, ns, key, value, o)
}

// vectors embeds texts and checks the result.
func (s *Store) vectors(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := s.embed.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("the embedding model %q returned %d vectors for %d texts", s.embed.Name(), len(vectors), len(texts))
	}
	out := make([][]float32, len(vectors))
	for i, v := range vectors {
		if len(v) != s.dims {
			return nil, fmt.Errorf("the embedding model %q returned a vector with %d dimensions, and the index has %d; set dims to %d, or use another model",
				s.embed.Name(), len(v), s.dims, len(v))
		}
		if out[i], err = normal(v); err != nil {
			return nil, fmt.Errorf("the embedding model %q returned %w", s.embed.Name(), err)
		}
	}
	return out, nil
}
