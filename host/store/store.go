package store

import (
	"context"
	"time"
)

// Store keeps entries. Its methods may be called from several goroutines at once; each has its effect at one moment, as a
// whole or, with an error, not at all. They return errors that are [ErrInvalid], [ErrConflict] or [ErrQuota], the context's
// where it has ended, or the store's own.
type Store interface {
	// Get returns an entry, and whether there is one. Its value is not changed, by either side, and remains valid.
	Get(ctx context.Context, ns Namespace, key string) (Entry, bool, error)
	// Put writes an entry, in the place of the one with this key if there is one, and returns its version: 1 is the first of a
	// namespace, and each is one more than the last that was given, to whichever entry. The value is valid during the call.
	Put(ctx context.Context, ns Namespace, key string, value []byte, o PutOptions) (version uint64, err error)
	// Delete removes an entry, if there is one. ifVersion is as in [PutOptions].
	Delete(ctx context.Context, ns Namespace, key string, ifVersion *uint64) error
	// List returns the entries of a namespace, without those of the namespaces under it, in the order of their keys' bytes.
	List(ctx context.Context, ns Namespace, q Query) (Page[Entry], error)
	// Drop removes a namespace and all under it, if there are any, with the memory of the versions that they gave.
	Drop(ctx context.Context, ns Namespace) error
	// Namespaces returns the namespaces that have entries, in order (see [Namespace.Compare]): those that Drop would remove with
	// under, or all of them if that is empty; of these, if after is not empty, only those behind it. limit is as in [Query].
	Namespaces(ctx context.Context, under, after Namespace, limit int) (Page[Namespace], error)
}

// Entry is a value under its key.
type Entry struct {
	Key     string
	Value   []byte    // of any form: see [Get] for values of Go types. nil in a list without values
	Size    int       // of the value, in bytes
	Version uint64    // from 1
	Created time.Time // when the key was written that had no entry before; times are as [Moment] makes them
	Updated time.Time // when it was written last
	Expires time.Time // from when on it is absent; the zero Time: never
}

// PutOptions say under which conditions an entry is written, and for how long.
type PutOptions struct {
	TTL       time.Duration // how long the entry lives, from now on; at least [Resolution], or 0: until it is deleted
	IfVersion *uint64       // only if this is the entry's version; 0: only if there is no entry; nil: in any case
	Quota     Quota         // of the namespace
}

// Query says which entries to list.
type Query struct {
	Prefix string // of their keys
	After  string // only keys behind it; "": from the beginning
	Limit  int    // how many at the most; 0 or less: [DefaultPage], and more than [MaxPage] is that
	Values bool   // with their values; a page then ends before these are more than [MaxValue] bytes together
}

// How many entries or namespaces a list has.
const (
	DefaultPage = 100
	MaxPage     = 1000
)

// PageLimit returns how many items a page has, at the most, for a limit as it was asked for.
func PageLimit(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

// Page is a part of a list. The next one is that after the last item.
type Page[T any] struct {
	Items []T
	More  bool // there are others behind the last
}

// Resolution is that of the times of entries.
const Resolution = time.Microsecond

// Moment returns a time as stores keep it: in UTC, in whole microseconds.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(Resolution) }

// Expires returns when an entry that is written now, which is a [Moment], will expire; the zero Time: never.
func (o *PutOptions) Expires(now time.Time) time.Time {
	if o.TTL == 0 {
		return time.Time{}
	}
	return Moment(now.Add(o.TTL))
}
