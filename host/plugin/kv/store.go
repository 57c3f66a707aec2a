package kv

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/store"
)

// Store keeps entries. Its methods may be called from several goroutines at once. Each takes effect atomically or, with an
// error, not at all. They return errors that are [ErrInvalid], [ErrConflict] or [ErrQuota], the context's if it has ended,
// or the store's own.
type Store interface {
	// Get returns an entry, and whether it exists. Neither side may change its value, which remains valid.
	Get(ctx context.Context, ns Namespace, key string) (Entry, bool, error)
	// Put writes an entry and returns its version. The first version of a namespace is 1, and each later one is one more
	// than the last, even if the entry with the last version was deleted since. The value is valid during the call.
	Put(ctx context.Context, ns Namespace, key string, value []byte, o PutOptions) (version uint64, err error)
	// Delete removes an entry, if it exists. ifVersion is as in [PutOptions].
	Delete(ctx context.Context, ns Namespace, key string, ifVersion *uint64) error
	// List returns entries ordered by the bytes of their keys.
	List(ctx context.Context, ns Namespace, q Query) (Page, error)
	// Drop removes what all plugins keep for a run or a thread that has ended for good. Its id must not be reused: versions
	// begin again.
	Drop(ctx context.Context, scope abi.Scope, id string) error
}

// Namespace identifies a plugin's entries for one run, for one thread, or for itself. Namespaces that differ in any field
// share nothing.
type Namespace struct {
	Plugin string // the middleware's name
	Scope  abi.Scope
	ID     string // of the run or the thread; "" in the scope of the plugin
}

// Entry is a value with its version.
type Entry struct {
	Value   []byte
	Version uint64 // from 1
}

// PutOptions set the conditions under which an entry is written.
type PutOptions struct {
	IfVersion *uint64 // only if this is the entry's version; 0: only if there is no entry; nil: always
	Quota     Quota
}

// Quota is what a namespace may hold. A zero field means the value of [DefaultQuota].
type Quota struct {
	Bytes   int64 // of all entries: see [Size]
	Entries int
}

// DefaultQuota is the quota of a namespace unless another is configured.
var DefaultQuota = Quota{Bytes: 1 << 20, Entries: 10_000}

// WithDefaults fills in what is not set. Every store calls it.
func (q Quota) WithDefaults() Quota {
	if q.Bytes <= 0 {
		q.Bytes = DefaultQuota.Bytes
	}
	if q.Entries <= 0 {
		q.Entries = DefaultQuota.Entries
	}
	return q
}

// Overhead is what an entry costs besides its key and value, in bytes.
const Overhead = store.Overhead

// Size returns what an entry counts against the quota, in bytes.
func Size(key string, value []byte) int64 { return store.Size(key, len(value)) }

// Query says which entries to list.
type Query struct {
	Prefix string // of their keys
	After  string // only keys after it; "": from the beginning
	Limit  int    // the maximum number; 0: [DefaultPage]; more than [MaxPage] means MaxPage
}

// How many entries a list has.
const (
	DefaultPage = store.DefaultPage
	MaxPage     = store.MaxPage
)

// Page is a list of entries.
type Page struct {
	Items []Item
	More  bool // there are more after the last one
}

// Item is an entry without its value.
type Item struct {
	Key     string
	Size    int // of the value, in bytes
	Version uint64
}
