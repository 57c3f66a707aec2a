package kv

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/store"
)

// root is the name in a store under which plugins' entries are kept. The agent's hooks and tools, which are trusted, leave
// it alone.
const root = "plugins"

// Store keeps the entries of an agent's plugins. Its methods behave like those of the [store.Store] under it, except that
// they take a plugin's [Namespace].
type Store struct {
	store store.Store
	above store.Namespace // parent of all plugins' namespaces
}

// New returns a store for the plugins of an agent. It keeps their entries in s, which may hold other things and serve other
// agents too: agents with different names share nothing.
func New(s store.Store, agent string) *Store {
	return &Store{s, store.Namespace{root, nameOf(agent)}}
}

// Get returns an entry, and whether it exists.
func (s *Store) Get(ctx context.Context, ns Namespace, key string) (store.Entry, bool, error) {
	path, err := s.path(ns)
	if err != nil {
		return store.Entry{}, false, err
	}
	return s.store.Get(ctx, path, key)
}

// MaxValue is the maximum size of a value in bytes, whatever the quota.
const MaxValue = 1 << 20

// Put writes an entry and returns its version. A field of the quota that is not set means the value of [DefaultQuota].
func (s *Store) Put(ctx context.Context, ns Namespace, key string, value []byte, o store.PutOptions) (version uint64, err error) {
	path, err := s.path(ns)
	if err != nil {
		return 0, err
	}
	if len(value) > MaxValue {
		return 0, fmt.Errorf("%w: the value has %d bytes; the limit is %d", store.ErrQuota, len(value), MaxValue)
	}
	o.Quota, o.NoIndex = WithDefaults(o.Quota), true
	return s.store.Put(ctx, path, key, value, o)
}

// Delete removes an entry if it exists.
func (s *Store) Delete(ctx context.Context, ns Namespace, key string, ifVersion *uint64) error {
	path, err := s.path(ns)
	if err != nil {
		return err
	}
	return s.store.Delete(ctx, path, key, ifVersion)
}

// List returns entries ordered by the bytes of their keys.
func (s *Store) List(ctx context.Context, ns Namespace, q store.Query) (store.Page[store.Entry], error) {
	path, err := s.path(ns)
	if err != nil {
		return store.Page[store.Entry]{}, err
	}
	return s.store.List(ctx, path, q)
}

// Drop removes the entries that all plugins keep for a run or a thread that has ended for good. Its id must not be reused,
// because versions begin again.
func (s *Store) Drop(ctx context.Context, scope abi.Scope, id string) error {
	path, err := s.owner(scope, id)
	if err != nil {
		return err
	}
	return s.store.Drop(ctx, path)
}

// DefaultQuota is the quota of a namespace unless another is configured.
var DefaultQuota = store.Quota{Bytes: 1 << 20, Entries: 10_000}

// WithDefaults returns the quota with the values of [DefaultQuota] in the fields that are not set.
func WithDefaults(q store.Quota) store.Quota {
	if q.Bytes <= 0 {
		q.Bytes = DefaultQuota.Bytes
	}
	if q.Entries <= 0 {
		q.Entries = DefaultQuota.Entries
	}
	return q
}

// Status returns how a host answers a guest. An error that is not one of package store's becomes [abi.StatusFailed].
func Status(err error) abi.Status {
	switch {
	case err == nil:
		return abi.StatusOK
	case errors.Is(err, store.ErrInvalid):
		return abi.EINVAL
	case errors.Is(err, store.ErrConflict):
		return abi.ECONFLICT
	case errors.Is(err, store.ErrQuota):
		return abi.ELIMIT
	default:
		return abi.StatusFailed
	}
}
