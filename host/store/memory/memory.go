// Package memory has a store that lives as long as the process.
package memory

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host/store"
)

// Store is a [store.Store] in memory. The zero value is not usable; see [New].
type Store struct {
	options *store.Options
	mu      sync.Mutex
	root    space
	expires expiry
}

// New returns an empty store.
func New(options ...store.Option) *Store { return &Store{options: store.NewOptions(options...)} }

// pass removes expired entries and returns the time. Every operation calls it first, under the lock, so that nothing else
// needs to handle expiry.
func (s *Store) pass() time.Time {
	now := s.options.Now()
	s.expires.remove(now)
	return now
}

// Get returns an entry, see [store.Store].
func (s *Store) Get(ctx context.Context, ns store.Namespace, key string) (store.Entry, bool, error) {
	if err := store.CheckEntry(ctx, ns, key); err != nil {
		return store.Entry{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	e := s.root.find(ns).entry(key)
	if e == nil {
		return store.Entry{}, false, nil
	}
	out := e.Entry
	out.Vectors = nil
	return out, true, nil
}

// Put writes an entry, see [store.Store].
func (s *Store) Put(ctx context.Context, ns store.Namespace, key string, value []byte, o store.PutOptions) (uint64, error) {
	if err := store.CheckPut(ctx, ns, key, value, &o); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.pass()
	present := s.root.find(ns)
	old := present.entry(key)
	if err := store.CheckVersion(o.IfVersion, old.version()); err != nil {
		return 0, err
	}
	before := present.holds()
	after := store.Usage{Bytes: before.Bytes + store.Size(key, len(value)) - old.size(), Entries: before.Entries}
	if old == nil {
		after.Entries++
	}
	if err := o.Quota.Check(before, after); err != nil {
		return 0, err
	}
	into := s.root.make(ns)
	into.version++
	e := &entry{space: into, Entry: store.Entry{
		Key: key, Value: append([]byte{}, value...), Size: len(value),
		Version: into.version, Created: now, Updated: now, Expires: o.Expires(now),
		Vectors: bytes.Clone(o.Vectors),
	}}
	if old != nil {
		e.Created = old.Created
		s.expires.forget(old)
	}
	into.put(e, after.Bytes)
	s.expires.watch(e)
	return e.Version, nil
}

// Delete removes an entry, see [store.Store].
func (s *Store) Delete(ctx context.Context, ns store.Namespace, key string, ifVersion *uint64) error {
	if err := store.CheckEntry(ctx, ns, key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	e := s.root.find(ns).entry(key)
	if err := store.CheckVersion(ifVersion, e.version()); err != nil || e == nil {
		return err
	}
	s.expires.forget(e)
	e.space.remove(e)
	return nil
}

// List returns entries, see [store.Store].
func (s *Store) List(ctx context.Context, ns store.Namespace, q store.Query) (store.Page[store.Entry], error) {
	var page store.Page[store.Entry]
	if err := store.CheckList(ctx, ns, &q); err != nil {
		return page, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	present := s.root.find(ns)
	if present == nil {
		return page, nil
	}
	values := 0 // bytes of values in the page
	for e := range present.entries.from(q.Prefix, q.After) {
		if !strings.HasPrefix(e.Key, q.Prefix) {
			break
		}
		item := e.Entry
		if !q.Values {
			item.Value = nil
		}
		if !q.Vectors {
			item.Vectors = nil
		}
		values += len(item.Value)
		if len(page.Items) == q.PageLimit() || values > store.MaxValue {
			page.More = true
			break
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// Drop removes a namespace and everything under it, see [store.Store].
func (s *Store) Drop(ctx context.Context, ns store.Namespace) error {
	if err := store.CheckDrop(ctx, ns); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	s.root.drop(ns, s.expires.forget)
	return nil
}

// Namespaces returns namespaces, see [store.Store].
func (s *Store) Namespaces(ctx context.Context, under, after store.Namespace, limit int) (store.Page[store.Namespace], error) {
	var page store.Page[store.Namespace]
	if err := store.CheckNamespaces(ctx, under, after); err != nil {
		return page, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	present := s.root.find(under)
	if present == nil {
		return page, nil
	}
	for path := range present.walk(slices.Clone(under), after) {
		if len(page.Items) == store.PageLimit(limit) {
			page.More = true
			break
		}
		page.Items = append(page.Items, slices.Clone(path))
	}
	return page, nil
}
