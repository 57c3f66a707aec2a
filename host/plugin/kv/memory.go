package kv

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/abi"
)

// Memory is a store that lives as long as the process. The zero value is not usable; see [NewMemory].
type Memory struct {
	mu     sync.RWMutex
	owners map[owner]map[string]*space // by plugin
}

// owner is what entries live as long as: a run or a thread, or with neither the plugins themselves.
type owner struct {
	scope abi.Scope
	id    string
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{owners: map[owner]map[string]*space{}} }

// space is one namespace. It stays when its last entry is deleted, for the sake of the version.
type space struct {
	entries map[string]Entry
	keys    []string // sorted
	bytes   int64    // of all entries, as the quota counts
	version uint64   // the last that was given
}

// Get returns an entry, see [Store].
func (m *Memory) Get(ctx context.Context, ns Namespace, key string) (Entry, bool, error) {
	if err := check(ctx, ns, CheckKey(key)); err != nil {
		return Entry{}, false, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := m.space(ns)
	if s == nil {
		return Entry{}, false, nil
	}
	e, ok := s.entries[key]
	return e, ok, nil
}

// Put writes an entry, see [Store].
func (m *Memory) Put(ctx context.Context, ns Namespace, key string, value []byte, o PutOptions) (uint64, error) {
	if err := check(ctx, ns, CheckPut(key, value)); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.space(ns)
	isNew := s == nil
	if isNew {
		s = &space{entries: map[string]Entry{}}
	}
	version, err := s.put(key, value, o)
	if err == nil && isNew {
		m.add(ns, s)
	}
	return version, err
}

// space returns a namespace; nil if nothing was ever written to it.
func (m *Memory) space(ns Namespace) *space { return m.owners[owner{ns.Scope, ns.ID}][ns.Plugin] }

func (m *Memory) add(ns Namespace, s *space) {
	o := owner{ns.Scope, ns.ID}
	if m.owners[o] == nil {
		m.owners[o] = map[string]*space{}
	}
	m.owners[o][ns.Plugin] = s
}

func (s *space) put(key string, value []byte, o PutOptions) (uint64, error) {
	old, exists := s.entries[key]
	if o.IfVersion != nil && *o.IfVersion != old.Version {
		return 0, ErrConflict
	}
	bytes, entries := s.bytes+Size(key, value), len(s.entries)+1
	if exists {
		bytes, entries = bytes-Size(key, old.Value), entries-1
	}
	if err := o.Quota.CheckGrowth(s.bytes, bytes, len(s.entries), entries); err != nil {
		return 0, err
	}
	if !exists {
		i, _ := slices.BinarySearch(s.keys, key)
		s.keys = slices.Insert(s.keys, i, key)
	}
	s.version++
	s.bytes = bytes
	s.entries[key] = Entry{Value: slices.Clone(value), Version: s.version}
	return s.version, nil
}

// Delete removes an entry, see [Store].
func (m *Memory) Delete(ctx context.Context, ns Namespace, key string, ifVersion *uint64) error {
	if err := check(ctx, ns, CheckKey(key)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var old Entry
	exists := false
	s := m.space(ns)
	if s != nil {
		old, exists = s.entries[key]
	}
	if ifVersion != nil && *ifVersion != old.Version {
		return ErrConflict
	}
	if exists {
		i, _ := slices.BinarySearch(s.keys, key)
		s.keys = slices.Delete(s.keys, i, i+1)
		s.bytes -= Size(key, old.Value)
		delete(s.entries, key)
	}
	return nil
}

// List returns entries, see [Store].
func (m *Memory) List(ctx context.Context, ns Namespace, q Query) (Page, error) {
	if err := check(ctx, ns, q.Check()); err != nil {
		return Page{}, err
	}
	q = q.WithDefaults()
	m.mu.RLock()
	defer m.mu.RUnlock()
	var page Page
	s := m.space(ns)
	if s == nil {
		return page, nil
	}
	from, isThere := slices.BinarySearch(s.keys, max(q.Prefix, q.After))
	if isThere && q.After >= q.Prefix && q.After != "" {
		from++
	}
	for _, key := range s.keys[from:] {
		if !strings.HasPrefix(key, q.Prefix) {
			break
		}
		if len(page.Items) == q.Limit {
			page.More = true
			break
		}
		e := s.entries[key]
		page.Items = append(page.Items, Item{Key: key, Size: len(e.Value), Version: e.Version})
	}
	return page, nil
}

// Drop removes what all plugins keep for a run or a thread, see [Store].
func (m *Memory) Drop(ctx context.Context, scope abi.Scope, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckDrop(scope, id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.owners, owner{scope, id})
	return nil
}

// check is what comes before every operation; what the operation itself found comes last.
func check(ctx context.Context, ns Namespace, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if nsErr := ns.Check(); nsErr != nil {
		return nsErr
	}
	return err
}
