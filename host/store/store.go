package store

import (
	"context"
	"time"
)

// Store keeps entries. Its methods are safe for concurrent use and atomic: a method that fails changes nothing. Errors are
// [ErrInvalid], [ErrConflict] or [ErrQuota], the error of a context that has ended, or the store's own.
type Store interface {
	// Get returns an entry, and whether it exists. Neither side changes its value, which remains valid.
	Get(ctx context.Context, ns Namespace, key string) (Entry, bool, error)
	// Put writes an entry, replacing any with the same key, and returns its version. The first version in a namespace is 1, and
	// each write to any entry gets the next one. The value need only be valid during the call.
	Put(ctx context.Context, ns Namespace, key string, value []byte, o PutOptions) (version uint64, err error)
	// Delete removes an entry if it exists. ifVersion is as in [PutOptions].
	Delete(ctx context.Context, ns Namespace, key string, ifVersion *uint64) error
	// List returns the entries of a namespace, without those of the namespaces under it, ordered by the bytes of their keys.
	List(ctx context.Context, ns Namespace, q Query) (Page[Entry], error)
	// Drop removes a namespace and everything under it, if they exist, including their version counters.
	Drop(ctx context.Context, ns Namespace) error
	// Namespaces returns the namespaces that have entries, in order (see [Namespace.Compare]): under and everything below it, or
	// all if under is empty. If after is not empty, it returns only those after it. limit is as in [Query].
	Namespaces(ctx context.Context, under, after Namespace, limit int) (Page[Namespace], error)
}

// Entry is a value under its key.
type Entry struct {
	Key     string
	Value   []byte    // value in any format: see [Get] for values of Go types; nil in a list without values
	Size    int       // size of the value, in bytes
	Version uint64    // version, from 1
	Created time.Time // when the key was written while absent; times are as [Moment] makes them
	Updated time.Time // when it was last written
	Expires time.Time // when it becomes absent; the zero Time: never
	Vectors []byte    // what was written with it as PutOptions.Vectors; only in a list with vectors
}

// PutOptions sets the conditions for writing an entry, and its lifetime.
type PutOptions struct {
	TTL       time.Duration // lifetime from now on, at least [Resolution]; 0: until it is deleted
	IfVersion *uint64       // write only if the entry has this version; 0: only if there is no entry; nil: always
	Quota     Quota         // quota of the namespace
	NoIndex   bool          // a store with an index does not embed the value, so that a search by meaning does not find it
	// Vectors are kept with the value and replaced with it, in any format, and do not count against the quota. A store with an index
	// sets them: see package semantic. They have at most [MaxVectors] bytes.
	Vectors []byte
}

// Query selects entries to list.
type Query struct {
	Prefix string // prefix of the keys
	After  string // list only later keys; "": from the beginning
	Limit  int    // maximum number; 0 or less: [DefaultPage]; capped at [MaxPage]
	Values bool   // include values; a page then ends before they exceed [MaxValue] bytes together
	// Vectors includes the vectors of entries, which do not count as values.
	Vectors bool
}

// These bound the number of entries or namespaces in a page.
const (
	DefaultPage = 100
	MaxPage     = 1000
	VectorPage  = 100 // the most in a page with vectors
)

// PageLimit returns the maximum number of items in a page for a requested limit.
func PageLimit(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

// PageLimit returns the maximum number of entries in a page of the list.
func (q *Query) PageLimit() int {
	if q.Vectors {
		return min(PageLimit(q.Limit), VectorPage)
	}
	return PageLimit(q.Limit)
}

// Page is a part of a list. The next page starts after the last item.
type Page[T any] struct {
	Items []T
	More  bool // more items follow
}

// Resolution is the precision of an entry's times.
const Resolution = time.Microsecond

// Moment returns a time as stores keep it: in UTC, in whole microseconds.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(Resolution) }

// Expires returns when an entry written now, which is a [Moment], expires; the zero Time: never.
func (o *PutOptions) Expires(now time.Time) time.Time {
	if o.TTL == 0 {
		return time.Time{}
	}
	return Moment(now.Add(o.TTL))
}
