package semantic_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/host/store/storetest"
)

// topics is an embedding model with a dimension for each topic: how often a text names it.
type topics struct {
	name   string
	failed error
	calls  atomic.Int64
}

var words = []string{"tea", "music", "travel"}

func (e *topics) Name() string { return e.name }

func (e *topics) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.calls.Add(1)
	if err := errors.Join(ctx.Err(), e.failed); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		for _, word := range words {
			out[i] = append(out[i], float32(strings.Count(text, word)))
		}
	}
	return out, nil
}

func indexed(t *testing.T, s store.Store, embed *topics, fields ...string) *semantic.Store {
	t.Helper()
	out, err := semantic.New(s, semantic.Index{Embed: embed, Dims: len(words), Fields: fields})
	require.NoError(t, err)
	return out
}

func TestStoreWithIndexIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		t.Helper()
		return indexed(t, memory.New(store.Clock(now)), &topics{})
	})
}

var ada = store.Namespace{"users", "ada"}

func put(t *testing.T, s store.Store, ns store.Namespace, key string, value any, o store.PutOptions) {
	t.Helper()
	_, err := store.Put(t.Context(), s, ns, key, value, o)
	require.NoError(t, err)
}

// found returns the keys that a search finds.
func found(t *testing.T, s store.Store, under store.Namespace, q store.Search) []string {
	t.Helper()
	results, err := store.Find(t.Context(), s, under, q)
	require.NoError(t, err)
	keys := []string{}
	for _, r := range results {
		keys = append(keys, r.Key)
		require.Len(t, r.Value, r.Size)
	}
	return keys
}

func TestSearch(t *testing.T) {
	t.Parallel()
	stores := map[string]func(*testing.T, func() time.Time) store.Store{
		"memory": func(_ *testing.T, now func() time.Time) store.Store { return memory.New(store.Clock(now)) },
		"SQLite": func(t *testing.T, now func() time.Time) store.Store {
			t.Helper()
			db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			return db.Values(store.Clock(now))
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var passed atomic.Int64
			kept := open(t, func() time.Time { return time.Unix(1_700_000_000+passed.Load(), 0) })
			s := indexed(t, kept, &topics{name: "m"}, "text")
			put(t, s, ada, "drinks", map[string]any{"text": "tea tea music", "year": 2024}, store.PutOptions{})
			put(t, s, ada, "hobby", map[string]any{"text": "music", "year": 2025}, store.PutOptions{})
			put(t, s, append(ada, "old"), "trip", map[string]any{"text": "travel tea", "year": 2020}, store.PutOptions{TTL: time.Minute})
			put(t, s, ada, "hidden", map[string]any{"text": "tea"}, store.PutOptions{NoIndex: true})
			put(t, s, ada, "other", map[string]any{"note": "tea"}, store.PutOptions{})
			put(t, s, store.Namespace{"users", "bob"}, "drinks", map[string]any{"text": "tea"}, store.PutOptions{})

			tea := store.Search{Query: "tea"}
			require.Equal(t, []string{"drinks", "trip", "hobby"}, found(t, s, ada, tea))
			require.Equal(t, []string{"drinks", "drinks", "trip", "hobby"}, found(t, s, nil, tea))
			require.Equal(t, []string{"trip"}, found(t, s, ada, store.Search{Query: "tea", Limit: 1, Offset: 1}))
			require.Empty(t, found(t, s, ada, store.Search{Query: "tea", Offset: 9}))
			require.Equal(t, []string{"drinks", "hidden", "hobby", "other", "trip"}, found(t, s, ada, store.Search{}))
			require.Equal(t, []string{"hidden", "hobby"}, found(t, s, ada, store.Search{Limit: 2, Offset: 1}))
			recent, err := wire.MapOf(map[string]any{"year": map[string]any{"$gte": 2024.0, "$ne": 2025}})
			require.NoError(t, err)
			require.Equal(t, []string{"drinks"}, found(t, s, ada, store.Search{Query: "music", Filter: recent}))

			results, err := s.Search(t.Context(), ada, tea)
			require.NoError(t, err)
			require.InDelta(t, 2/2.2360679, results[0].Score, 1e-6)
			require.Zero(t, results[2].Score)
			require.Equal(t, append(ada, "old"), results[1].Namespace)

			put(t, s, ada, "hobby", map[string]any{"text": "tea"}, store.PutOptions{})
			require.NoError(t, s.Delete(t.Context(), ada, "drinks", nil))
			passed.Store(60)
			require.Equal(t, []string{"hobby"}, found(t, s, ada, tea), "what is replaced, deleted or expired")
			require.Equal(t, []string{"hobby"}, found(t, indexed(t, kept, &topics{name: "m"}), ada, tea), "the index is in the store")
			require.Empty(t, found(t, indexed(t, kept, &topics{name: "other"}), ada, tea), "vectors of two models cannot be compared")
		})
	}
}

// TestFailingModelWritesNothing checks that an entry stays as it was if its new value cannot be embedded.
func TestFailingModelWritesNothing(t *testing.T) {
	t.Parallel()
	embed := &topics{name: "m"}
	s := indexed(t, memory.New(), embed)
	put(t, s, ada, "a", "tea", store.PutOptions{})
	embed.failed = errors.New("overloaded")
	_, err := store.Put(t.Context(), s, ada, "a", "music", store.PutOptions{})
	require.ErrorIs(t, err, embed.failed)
	require.EqualError(t, err, `entry "a" of ["users" "ada"] cannot be embedded, and is not written: overloaded`)
	_, err = s.Search(t.Context(), ada, store.Search{Query: "tea"})
	require.ErrorIs(t, err, embed.failed)
	put(t, s, ada, "b", "music", store.PutOptions{NoIndex: true})
	embed.failed = nil
	results, err := s.Search(t.Context(), ada, store.Search{Query: "tea"})
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.EqualValues(t, 1, results[0].Version)
	require.Equal(t, wire.String("tea"), wire.Raw(results[0].Value))

	calls := embed.calls.Load()
	_, err = store.Put(t.Context(), s, ada, "", "tea", store.PutOptions{})
	require.ErrorIs(t, err, store.ErrInvalid)
	require.Equal(t, calls, embed.calls.Load(), "an invalid write embeds nothing")
}

// TestFields checks which texts of a value are embedded: each alone finds the value.
func TestFields(t *testing.T) {
	t.Parallel()
	value := map[string]any{
		"text": "tea", "none": nil, "profile": map[string]any{"name": "music"},
		"list": []any{map[string]any{"say": "travel"}, map[string]any{"say": "music"}, "tea"},
	}
	for field, want := range map[string]string{
		"$": "tea music travel", "text": "tea", "none": "", "missing": "", "text.deeper": "", "profile": "music", "profile.name": "music", "profile.*": "music",
		"list[0].say": "travel", "list[1]": "music", "list[-1]": "tea", "list[9]": "", "list[*].say": "travel music", "list.*.say": "travel music",
		"{text,profile.name}": "tea music", "{ text , missing}": "tea", "*.name": "music",
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			s := indexed(t, memory.New(), &topics{}, field)
			put(t, s, ada, "a", value, store.PutOptions{})
			for _, word := range words {
				results, err := s.Search(t.Context(), ada, store.Search{Query: word})
				require.NoError(t, err)
				require.Equal(t, strings.Contains(want, word), len(results) == 1 && results[0].Score > 0, word)
			}
		})
	}
	for _, field := range []string{"", ".", "a.", "a..b", "a[", "a[x]", "a]", "{a", "{a,}", "{a[0]}", "a}"} {
		_, err := semantic.New(memory.New(), semantic.Index{Embed: &topics{}, Dims: 3, Fields: []string{field}})
		require.ErrorContains(t, err, fmt.Sprintf("the field %q of the index", field))
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for want, index := range map[string]semantic.Index{
		"the index has no embedding model":                             {Dims: 3},
		"the index has 0 dimensions; it must have from 1 to 16384":     {Embed: &topics{}},
		"the index has 16385 dimensions; it must have from 1 to 16384": {Embed: &topics{}, Dims: 16385},
	} {
		_, err := semantic.New(memory.New(), index)
		require.EqualError(t, err, want)
	}
	s := indexed(t, memory.New(), &topics{name: "m"}, "*")
	_, err := semantic.New(s, semantic.Index{Embed: &topics{}, Dims: 3})
	require.EqualError(t, err, "the store has an index already")
	_, err = store.Find(t.Context(), memory.New(), ada, store.Search{Query: "tea"})
	require.ErrorContains(t, err, "the store has no index to search")

	small, err := semantic.New(memory.New(), semantic.Index{Embed: &topics{name: "m"}, Dims: 2})
	require.NoError(t, err)
	_, err = store.Put(t.Context(), small, ada, "a", "tea", store.PutOptions{})
	require.ErrorContains(t, err, `the embedding model "m" returned a vector with 3 dimensions, and the index has 2`)

	many := make([]string, 5000)
	for i := range many {
		many[i] = "tea"
	}
	_, err = store.Put(t.Context(), s, ada, "a", many, store.PutOptions{})
	require.ErrorIs(t, err, store.ErrInvalid)
	require.ErrorContains(t, err, "more than 3449 texts")
	_, err = store.Put(t.Context(), s, ada, "a", []string{strings.Repeat("x", semantic.MaxText+1)}, store.PutOptions{})
	require.ErrorContains(t, err, "a text to embed has 262145 bytes")

	for want, q := range map[string]store.Search{
		"the limit of the search is -1":    {Limit: -1},
		"the limit of the search is 101":   {Limit: 101},
		"the offset of the search is 901":  {Offset: 901},
		`the unknown operator "$gtt"; use`: {Filter: wire.Map{{Key: "a", Value: wire.Map{{Key: "$gtt", Value: wire.Int(1)}}.Raw()}}},
		"the query has 262145 bytes":       {Query: strings.Repeat("x", semantic.MaxText+1)},
		"the filter cannot be read":        {Filter: wire.Map{{Key: "a", Value: wire.Raw{0xc1}}}},
	} {
		_, err := s.Search(t.Context(), ada, q)
		require.ErrorIs(t, err, store.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// TestTooManyCandidates checks that a search never leaves out entries silently.
func TestTooManyCandidates(t *testing.T) {
	t.Parallel()
	s := indexed(t, memory.New(), &topics{name: "m"})
	for i := range semantic.MaxCandidates {
		put(t, s, ada, fmt.Sprint(i), "tea", store.PutOptions{NoIndex: true})
	}
	put(t, s, ada, "0", "tea", store.PutOptions{})
	require.Equal(t, []string{"0"}, found(t, s, ada, store.Search{Query: "tea"}))
	put(t, s, ada, "x", "tea", store.PutOptions{})
	_, err := s.Search(t.Context(), ada, store.Search{Query: "tea"})
	require.ErrorContains(t, err, "more than 10000 entries to search")
}

func TestFilter(t *testing.T) {
	t.Parallel()
	s := indexed(t, memory.New(), &topics{name: "m"})
	put(t, s, ada, "a", map[string]any{"n": 1, "s": "b", "m": map[string]any{"x": true, "y": 2}, "l": []any{1, "z"}, "nil": nil}, store.PutOptions{})
	put(t, s, ada, "b", "no map", store.PutOptions{})
	for i, c := range []struct {
		filter map[string]any
		fits   bool
	}{
		{map[string]any{"n": 1.0}, true},
		{map[string]any{"n": 2}, false},
		{map[string]any{"n": "1"}, false},
		{map[string]any{"s": "b", "n": 1}, true},
		{map[string]any{"m": map[string]any{"x": true}}, true},
		{map[string]any{"m": map[string]any{"x": 1}}, false},
		{map[string]any{"m": map[string]any{"y": map[string]any{"$lt": 3}}}, true},
		{map[string]any{"l": []any{1, "z"}}, true},
		{map[string]any{"l": []any{1}}, false},
		{map[string]any{"nil": nil, "missing": nil}, true},
		{map[string]any{"missing": 1}, false},
		{map[string]any{"n": map[string]any{"$gt": 0, "$lte": 1}}, true},
		{map[string]any{"n": map[string]any{"$gt": 1}}, false},
		{map[string]any{"s": map[string]any{"$gt": "a"}}, true},
		{map[string]any{"s": map[string]any{"$gt": 1}}, false},
		{map[string]any{"s": map[string]any{"$eq": "b"}}, true},
		{map[string]any{"missing": map[string]any{"$ne": 1}}, true},
	} {
		filter, err := wire.MapOf(c.filter)
		require.NoError(t, err)
		require.Equal(t, c.fits, len(found(t, s, ada, store.Search{Filter: filter})) == 1, "%d: %v", i, c.filter)
	}
}
