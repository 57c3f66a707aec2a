package kvtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/kv"
)

// simple is one namespace as simply as it can be said.
type simple struct {
	entries map[string]kv.Entry
	last    uint64 // the last version
}

func (s *simple) bytes() int64 {
	n := int64(0)
	for key, e := range s.entries {
		n += kv.Size(key, e.Value)
	}
	return n
}

// put says what a write must come to.
func (s *simple) put(key, value string, o kv.PutOptions) error {
	old, exists := s.entries[key]
	before, count := s.bytes(), len(s.entries)
	if o.IfVersion != nil && *o.IfVersion != old.Version {
		return kv.ErrConflict
	}
	after := before + kv.Size(key, []byte(value))
	if exists {
		after -= kv.Size(key, old.Value)
	} else {
		count++
	}
	if (after > before && after > o.Quota.Bytes) || (!exists && count > o.Quota.Entries) {
		return kv.ErrQuota
	}
	s.last++
	s.entries[key] = kv.Entry{Value: []byte(value), Version: s.last}
	return nil
}

func (s *simple) list(q kv.Query) kv.Page {
	var page kv.Page
	for key, e := range s.entries {
		if strings.HasPrefix(key, q.Prefix) && key > q.After {
			page.Items = append(page.Items, kv.Item{Key: key, Size: len(e.Value), Version: e.Version})
		}
	}
	slices.SortFunc(page.Items, func(a, b kv.Item) int { return strings.Compare(a.Key, b.Key) })
	if len(page.Items) > q.Limit {
		page.Items, page.More = page.Items[:q.Limit], true
	}
	return page
}

// machine performs random operations on a store and on simple ones.
type machine struct {
	c      *check
	models map[kv.Namespace]*simple
	spaces []kv.Namespace
}

func (c *check) model() {
	round := 0
	rapid.Check(c.t, func(t *rapid.T) {
		round++ // each round has runs and threads of its own in the one store
		id := fmt.Sprint("round ", round)
		m := &machine{c: c, models: map[kv.Namespace]*simple{}, spaces: []kv.Namespace{
			{Plugin: "a", Scope: abi.ScopeRun, ID: id},
			{Plugin: "b", Scope: abi.ScopeRun, ID: id},
			{Plugin: "a", Scope: abi.ScopeThread, ID: id},
			{Plugin: "a" + id, Scope: abi.ScopePlugin},
		}}
		for _, ns := range m.spaces {
			m.models[ns] = &simple{entries: map[string]kv.Entry{}}
		}
		t.Repeat(map[string]func(*rapid.T){"put": m.put, "delete": m.delete, "get": m.get, "list": m.list, "drop": m.drop})
	})
}

func (m *machine) space(t *rapid.T) (kv.Namespace, *simple) {
	ns := rapid.SampledFrom(m.spaces).Draw(t, "namespace")
	return ns, m.models[ns]
}

func key(t *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom([]string{"a", "aa", "b"}), rapid.StringMatching(`[a-cÄ%_/]{1,3}`)).Draw(t, "key")
}

// condition draws none, that there is no entry, the version that there is, or any that was given.
func condition(t *rapid.T, s *simple, key string) *uint64 {
	switch rapid.IntRange(0, 3).Draw(t, "condition") {
	case 0:
		return nil
	case 1:
		return new(uint64(0))
	case 2:
		return new(s.entries[key].Version)
	default:
		return new(rapid.Uint64Range(0, s.last+1).Draw(t, "version"))
	}
}

func (m *machine) put(t *rapid.T) {
	ns, s := m.space(t)
	key := key(t)
	value := rapid.StringN(0, 60, -1).Draw(t, "value")
	o := kv.PutOptions{IfVersion: condition(t, s, key), Quota: kv.Quota{
		Bytes: rapid.Int64Range(50, 600).Draw(t, "bytes"), Entries: rapid.IntRange(1, 5).Draw(t, "entries"),
	}}
	version, err := m.c.store.Put(m.c.t.Context(), ns, key, []byte(value), o)
	require.ErrorIs(t, err, s.put(key, value, o))
	if err == nil {
		require.Equal(t, s.last, version)
	} else {
		require.Zero(t, version)
	}
}

func (m *machine) delete(t *rapid.T) {
	ns, s := m.space(t)
	key := key(t)
	ifVersion := condition(t, s, key)
	err := m.c.store.Delete(m.c.t.Context(), ns, key, ifVersion)
	if ifVersion != nil && *ifVersion != s.entries[key].Version {
		require.ErrorIs(t, err, kv.ErrConflict)
		return
	}
	require.NoError(t, err)
	delete(s.entries, key)
}

func (m *machine) get(t *rapid.T) {
	ns, s := m.space(t)
	key := key(t)
	e, ok, err := m.c.store.Get(m.c.t.Context(), ns, key)
	require.NoError(t, err)
	want, exists := s.entries[key]
	require.Equal(t, exists, ok)
	require.Equal(t, want.Version, e.Version)
	require.Equal(t, string(want.Value), string(e.Value))
}

func (m *machine) list(t *rapid.T) {
	ns, s := m.space(t)
	q := kv.Query{Limit: rapid.IntRange(1, 6).Draw(t, "limit")}
	if rapid.Bool().Draw(t, "with a prefix") {
		q.Prefix = key(t)
	}
	if rapid.Bool().Draw(t, "a later page") {
		q.After = key(t)
	}
	page, err := m.c.store.List(m.c.t.Context(), ns, q)
	require.NoError(t, err)
	require.Equal(t, s.list(q), page)
}

func (m *machine) drop(t *rapid.T) {
	scope := rapid.SampledFrom([]abi.Scope{abi.ScopeRun, abi.ScopeThread}).Draw(t, "scope")
	require.NoError(t, m.c.store.Drop(m.c.t.Context(), scope, m.spaces[0].ID))
	for ns, s := range m.models {
		if ns.Scope == scope {
			*s = simple{entries: map[string]kv.Entry{}}
		}
	}
}
