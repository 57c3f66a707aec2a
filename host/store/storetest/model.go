package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/host/store"
)

// simple is the simplest model of a namespace.
type simple struct {
	entries map[string]store.Entry
	last    uint64 // the last version
}

// live removes expired entries.
func (s *simple) live(now time.Time) {
	maps.DeleteFunc(s.entries, func(_ string, e store.Entry) bool { return !e.Expires.IsZero() && !e.Expires.After(now) })
}

func (s *simple) usage() store.Usage {
	u := store.Usage{Entries: len(s.entries)}
	for key, e := range s.entries {
		u.Bytes += store.Size(key, e.Size)
	}
	return u
}

// put applies a write and returns the expected error.
func (s *simple) put(key, value string, o store.PutOptions, now time.Time) error {
	old, exists := s.entries[key]
	if o.IfVersion != nil && *o.IfVersion != old.Version {
		return store.ErrConflict
	}
	before := s.usage()
	after := store.Usage{Bytes: before.Bytes + store.Size(key, len(value)), Entries: before.Entries + 1}
	if exists {
		after.Bytes, after.Entries = after.Bytes-store.Size(key, old.Size), before.Entries
	}
	if (after.Bytes > before.Bytes && after.Bytes > o.Quota.Bytes) || (!exists && after.Entries > o.Quota.Entries) {
		return store.ErrQuota
	}
	s.last++
	e := store.Entry{Key: key, Value: []byte(value), Size: len(value), Version: s.last, Created: now, Updated: now}
	if exists {
		e.Created = old.Created
	}
	if o.TTL > 0 {
		e.Expires = now.Add(o.TTL)
	}
	s.entries[key] = e
	return nil
}

func (s *simple) list(q store.Query) store.Page[store.Entry] {
	var page store.Page[store.Entry]
	for _, key := range slices.Sorted(maps.Keys(s.entries)) {
		if !strings.HasPrefix(key, q.Prefix) || key <= q.After {
			continue
		}
		if page.More = len(page.Items) == q.Limit; page.More {
			break
		}
		e := s.entries[key]
		if !q.Values {
			e.Value = nil
		}
		page.Items = append(page.Items, e)
	}
	return page
}

// machine performs random operations on a store and on its models.
type machine struct {
	c      *check
	models map[string]*simple // by path
	spaces []store.Namespace  // in order
}

func (c *check) model() {
	round := 0
	rapid.Check(c.t, func(t *rapid.T) {
		round++ // each round uses its own namespaces in the same store
		root := fmt.Sprint("round ", round)
		m := &machine{c: c, models: map[string]*simple{}, spaces: []store.Namespace{
			{root}, {root, "a"}, {root, "a", "b"}, {root, "a", "c"}, {root, "a!"}, {root, "aa"}, {root + "!"},
		}}
		for _, ns := range m.spaces {
			m.models[ns.Path()] = &simple{entries: map[string]store.Entry{}}
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": m.put, "put again": m.put, "delete": m.delete, "get": m.get, "list": m.list, "drop": m.drop, "namespaces": m.namespaces, "wait": m.wait,
		})
	})
}

func (m *machine) space(t *rapid.T) (store.Namespace, *simple) {
	ns := rapid.SampledFrom(m.spaces).Draw(t, "namespace")
	return ns, m.models[ns.Path()]
}

func key(t *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom([]string{"a", "aa", "b"}), rapid.StringMatching(`[a-cÄ%_/]{1,3}`)).Draw(t, "key")
}

// condition draws one of: none, no entry, the present version, or any version ever given.
func condition(t *rapid.T, s *simple, key string) *uint64 {
	switch rapid.IntRange(0, 5).Draw(t, "condition") {
	case 0:
		return new(uint64(0))
	case 1:
		return new(s.entries[key].Version)
	case 2:
		return new(rapid.Uint64Range(0, s.last+1).Draw(t, "version"))
	default:
		return nil
	}
}

func (m *machine) put(t *rapid.T) {
	ns, s := m.space(t)
	key := key(t)
	value := rapid.StringN(0, 60, -1).Draw(t, "value")
	o := store.PutOptions{IfVersion: condition(t, s, key), Quota: store.Quota{
		Bytes: rapid.Int64Range(50, 600).Draw(t, "bytes"), Entries: rapid.IntRange(1, 5).Draw(t, "entries"),
	}}
	if rapid.Bool().Draw(t, "expires") {
		o.TTL = time.Duration(rapid.IntRange(1, 5).Draw(t, "ttl")) * time.Second
	}
	version, err := m.c.store.Put(m.c.t.Context(), ns, key, []byte(value), o)
	require.ErrorIs(t, err, s.put(key, value, o, m.c.clock.Now()))
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
		require.ErrorIs(t, err, store.ErrConflict)
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
	require.Equal(t, string(want.Value), string(e.Value))
	want.Value, e.Value = nil, nil
	require.Equal(t, want, e)
}

func (m *machine) list(t *rapid.T) {
	ns, s := m.space(t)
	q := store.Query{Limit: rapid.IntRange(1, 6).Draw(t, "limit"), Values: rapid.Bool().Draw(t, "with values")}
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

// under reports whether ns is above or is under it.
func under(ns, above store.Namespace) bool {
	return len(ns) >= len(above) && slices.Equal(ns[:len(above)], above)
}

func (m *machine) drop(t *rapid.T) {
	dropped, _ := m.space(t)
	require.NoError(t, m.c.store.Drop(m.c.t.Context(), dropped))
	for _, ns := range m.spaces {
		if under(ns, dropped) {
			*m.models[ns.Path()] = simple{entries: map[string]store.Entry{}}
		}
	}
}

func (m *machine) namespaces(t *rapid.T) {
	above, _ := m.space(t)
	after, _ := m.space(t)
	limit := rapid.IntRange(1, 6).Draw(t, "limit")
	var want store.Page[store.Namespace]
	for _, ns := range m.spaces {
		if !under(ns, above) || ns.Compare(after) <= 0 || len(m.models[ns.Path()].entries) == 0 {
			continue
		}
		if want.More = len(want.Items) == limit; want.More {
			break
		}
		want.Items = append(want.Items, ns)
	}
	page, err := m.c.store.Namespaces(m.c.t.Context(), above, after, limit)
	require.NoError(t, err)
	require.Equal(t, want, page)
}

func (m *machine) wait(t *rapid.T) {
	m.c.clock.wait(time.Duration(rapid.IntRange(1, 3).Draw(t, "seconds")) * time.Second)
	for _, s := range m.models {
		s.live(m.c.clock.Now())
	}
}
