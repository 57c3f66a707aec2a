package store

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
)

// Searcher is a store that finds entries by what their values mean: see package semantic.
type Searcher interface {
	Store
	// Search returns the entries of a namespace and of those under it that fit best; everything is under an empty namespace.
	Search(ctx context.Context, under Namespace, s Search) ([]Found, error)
}

// Search selects entries, like LangGraph's BaseStore.search.
type Search struct {
	// Query is a text. The entries that mean the most similar come first, and those that are not in the index are left out. Without a
	// query, entries are in the order of their namespaces and keys.
	Query string
	// Filter holds what the fields of a value must be: a value, or a map of the operators $eq, $ne, $gt, $gte, $lt and $lte.
	Filter wire.Map
	Limit  int // maximum number of results; 0: [DefaultResults]; at most [MaxResults]
	Offset int // how many of the best are left out; at most [MaxPage] - [MaxResults]
}

// These bound the number of results of a search.
const (
	DefaultResults = 10
	MaxResults     = 100
)

// Found is a result of a search, with its value.
type Found struct {
	Namespace Namespace
	Entry

	Score float64 // cosine similarity with the query, from -1 to 1; 0 without a query
}

// Find searches a store that may not be able to, such as one without an index. It then fails with [ErrInvalid].
func Find(ctx context.Context, s Store, under Namespace, search Search) ([]Found, error) {
	searcher, ok := s.(Searcher)
	if !ok {
		return nil, fmt.Errorf("%w: the store has no index to search; add store.index to the manifest, or wrap the store with semantic.New", ErrInvalid)
	}
	return searcher.Search(ctx, under, search)
}

// CheckSearch is the initial check of Search.
func CheckSearch(ctx context.Context, under Namespace, s *Search) error {
	return first(ctx.Err, under.checkIfAny, func() error {
		switch {
		case s.Limit < 0 || s.Limit > MaxResults:
			return fmt.Errorf("%w: the limit of the search is %d; it must be from 0 to %d", ErrInvalid, s.Limit, MaxResults)
		case s.Offset < 0 || s.Offset+MaxResults > MaxPage:
			return fmt.Errorf("%w: the offset of the search is %d; it must be from 0 to %d", ErrInvalid, s.Offset, MaxPage-MaxResults)
		default:
			return nil
		}
	})
}
