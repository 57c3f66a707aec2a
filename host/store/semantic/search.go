package semantic

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host/store"
)

// MaxCandidates is how many entries a search reads. If there are more under the namespace, a search with a query fails: it would have to
// leave some out.
const MaxCandidates = 10_000

// Search returns the entries that fit best, see [store.Searcher]. It compares the query with every entry under the namespace, at most
// [MaxCandidates]; the score of an entry is that of its nearest text. Entries that change meanwhile may be missing. The results end before
// their values exceed [store.MaxValue] together.
func (s *Store) Search(ctx context.Context, under store.Namespace, q store.Search) ([]store.Found, error) {
	if err := store.CheckSearch(ctx, under, &q); err != nil {
		return nil, err
	}
	if err := checkFilter(q.Filter); err != nil {
		return nil, err
	}
	if len(q.Query) > MaxText {
		return nil, fmt.Errorf("%w: the query has %d bytes; the limit is %d", store.ErrInvalid, len(q.Query), MaxText)
	}
	found := &ranking{store: s, search: &q, most: q.Offset + cmp.Or(q.Limit, store.DefaultResults)}
	if q.Query != "" && s.embed != nil {
		vectors, err := s.vectors(ctx, []string{q.Query})
		if err != nil {
			return nil, fmt.Errorf("the query cannot be embedded: %w", err)
		}
		found.query = vectors[0]
	}
	if err := found.read(ctx, under); err != nil {
		return nil, err
	}
	return found.results(ctx)
}

// ranking holds the best entries so far, without their values.
type ranking struct {
	store  *Store
	search *store.Search
	query  []float32 // nil: there is none
	most   int
	seen   int // entries that were read
	best   []store.Found
}

// full reports whether no entry can be added anymore.
func (r *ranking) full() bool { return r.query == nil && len(r.best) == r.most }

// read ranks the entries of a namespace and of those under it.
func (r *ranking) read(ctx context.Context, under store.Namespace) error {
	var after store.Namespace
	for {
		page, err := r.store.Namespaces(ctx, under, after, store.MaxPage)
		if err != nil {
			return err
		}
		for _, ns := range page.Items {
			if err := r.entries(ctx, ns); err != nil || r.full() {
				return err
			}
		}
		if !page.More {
			return nil
		}
		after = page.Items[len(page.Items)-1]
	}
}

// entries ranks the entries of one namespace.
func (r *ranking) entries(ctx context.Context, ns store.Namespace) error {
	for q := (store.Query{Limit: store.MaxPage, Values: len(r.search.Filter) > 0, Vectors: r.query != nil}); ; {
		page, err := r.store.List(ctx, ns, q)
		if err != nil {
			return err
		}
		for i := range page.Items {
			r.seen++
			if r.seen > MaxCandidates {
				return fmt.Errorf("%w: there are more than %d entries to search; search a namespace with fewer", store.ErrInvalid, MaxCandidates)
			}
			r.add(ns, &page.Items[i])
			if r.full() {
				return nil
			}
		}
		if !page.More {
			return nil
		}
		q.After = page.Items[len(page.Items)-1].Key
	}
}

// add ranks an entry. Of entries with the same score the first stays before the others.
func (r *ranking) add(ns store.Namespace, e *store.Entry) {
	if !matches(e.Value, r.search.Filter) {
		return
	}
	found := store.Found{Namespace: ns, Entry: *e}
	found.Value, found.Vectors = nil, nil
	if r.query != nil {
		var ok bool
		if found.Score, ok = best(r.query, r.store.embed.Name(), e.Vectors); !ok {
			return
		}
	}
	at, _ := slices.BinarySearchFunc(r.best, found.Score, func(f store.Found, score float64) int {
		if f.Score >= score {
			return -1
		}
		return 1
	})
	if at < r.most {
		r.best = slices.Insert(r.best[:min(len(r.best), r.most-1)], at, found)
	}
}

// results reads the values of the best entries.
func (r *ranking) results(ctx context.Context) ([]store.Found, error) {
	size := 0
	out := []store.Found{}
	for _, f := range r.best[min(r.search.Offset, len(r.best)):] {
		e, ok, err := r.store.Get(ctx, f.Namespace, f.Key)
		if err != nil {
			return nil, err
		}
		if !ok || e.Version != f.Version {
			continue
		}
		if size += e.Size; size > store.MaxValue {
			break
		}
		f.Entry = e
		out = append(out, f)
	}
	return out, nil
}
