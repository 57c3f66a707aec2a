package storetest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

// alike returns namespaces, in order, that are easily confused.
func alike() []store.Namespace {
	long := strings.Repeat("n", store.MaxNamespace)
	all := make([]store.Namespace, 0, 100)
	all = append(all, strings.Split(long[:len(long)/2], ""), store.Namespace{long}, store.Namespace{long[:len(long)/2], long[len(long)/2+1:]})
	for path := range strings.FieldsSeq("a a|a a|a|a a|b a|b|c a|b/c a|k a! a!|b a|!b aa a/b a/b|c A ab b|a a%|b a_|b") {
		all = append(all, strings.Split(path, "|"))
	}
	for _, name := range names {
		all = append(all, store.Namespace{"names", name}, store.Namespace{name, "names"})
	}
	slices.SortFunc(all, store.Namespace.Compare)
	return slices.CompactFunc(all, slices.Equal)
}

func (c *check) namespaces() {
	spaces := alike()
	for i, ns := range spaces {
		require.Equal(c.t, "-", c.get(ns, "k"))
		require.EqualValues(c.t, 1, c.put(ns, "k", strconv.Itoa(i)), "versions begin with 1 everywhere")
	}
	for i, ns := range spaces {
		require.Equal(c.t, strconv.Itoa(i), c.get(ns, "k"))
		require.Equal(c.t, []string{"k"}, c.listed(ns, store.Query{}))
		require.EqualValues(c.t, 2, c.put(ns, "k", "x"))
		c.delete(ns, "k")
	}
}

func (c *check) listsNamespaces() {
	require.Empty(c.t, c.spaces())
	require.Empty(c.t, c.spaces("a"))
	all := alike()
	for i := range all {
		ns := all[(i*31)%len(all)]
		c.put(ns, "k", "x")
		c.put(ns, "l", "x")
	}
	require.Equal(c.t, all, c.spaces())
	for _, under := range append(all, store.Namespace{"names"}) {
		var want []store.Namespace
		for _, ns := range all {
			if len(ns) >= len(under) && slices.Equal(ns[:len(under)], under) {
				want = append(want, ns)
			}
		}
		require.Equal(c.t, want, c.spaces(under...))
	}

	c.delete(store.Namespace{"a", "b"}, "k")
	require.Contains(c.t, c.spaces("a"), store.Namespace{"a", "b"})
	c.delete(store.Namespace{"a", "b"}, "l")
	require.Equal(c.t, []store.Namespace{{"a", "b", "c"}}, c.spaces("a", "b"), "one without entries is not listed")
	require.Empty(c.t, c.spaces("nobody"))
}

func (c *check) pagesNamespaces() {
	const count = store.MaxPage + 5
	all := make([]store.Namespace, count)
	for i := range count {
		all[i] = store.Namespace{"a", fmt.Sprintf("%04d", i/3), strconv.Itoa(i % 3)}
		c.put(all[i], "k", "x")
	}
	c.put(store.Namespace{"0"}, "k", "x")
	c.put(store.Namespace{"b"}, "k", "x")
	page := func(after store.Namespace, limit int) store.Page[store.Namespace] {
		page, err := c.store.Namespaces(c.t.Context(), store.Namespace{"a"}, after, limit)
		require.NoError(c.t, err)
		return page
	}
	for _, tc := range []struct{ limit, items int }{
		{0, store.DefaultPage}, {-1, store.DefaultPage}, {1, 1}, {store.MaxPage, store.MaxPage}, {store.MaxPage + 1, store.MaxPage},
	} {
		require.Equal(c.t, store.Page[store.Namespace]{Items: all[:tc.items], More: true}, page(nil, tc.limit))
	}
	for _, limit := range []int{99, 201, 335} {
		var seen []store.Namespace
		for more := true; more; {
			next := page(nil, limit)
			if seen != nil {
				next = page(seen[len(seen)-1], limit)
			}
			seen, more = append(seen, next.Items...), next.More
			require.LessOrEqual(c.t, len(seen), count)
		}
		require.Equal(c.t, all, seen)
	}
	for _, tc := range []struct {
		after store.Namespace
		items []store.Namespace
	}{
		{store.Namespace{"0"}, all[:2]},
		{store.Namespace{"a"}, all[:2]},
		{store.Namespace{"a", "0000"}, all[:2]},
		{store.Namespace{"a", "0000", "0", "x"}, all[1:3]},
		{store.Namespace{"a", "0000", "00"}, all[1:3]},
		{store.Namespace{"a", "0000x"}, all[3:5]},
		{all[count-2], all[count-1:]},
		{all[count-1], nil},
		{store.Namespace{"b"}, nil},
		{store.Namespace{"a "}, nil},
	} {
		require.Equal(c.t, tc.items, page(tc.after, 2).Items, "%q", tc.after)
	}
}

func (c *check) drops() {
	dropped := []store.Namespace{{"a", "b"}, {"a", "b", "a"}, {"a", "b", "c", "d"}}
	stay := []store.Namespace{{"a"}, {"a", "a"}, {"a", "b "}, {"a", "b!"}, {"a", "b/c"}, {"a", "bb"}, {"a", "B"}, {"a", "%"}, {"b"}, {"b", "a", "b"}, {"ab"}}
	for _, ns := range append(slices.Clone(dropped), stay...) {
		c.put(ns, "k", "x")
	}
	c.put(dropped[0], "l", "x")
	c.drop(store.Namespace{"a", "b"})
	c.drop(store.Namespace{"a", "b"}) // again
	c.drop(store.Namespace{"nobody"})
	for _, ns := range dropped {
		require.Equal(c.t, "-", c.get(ns, "k"))
		require.Empty(c.t, c.list(ns, store.Query{}))
	}
	require.Empty(c.t, c.spaces("a", "b"))
	for _, ns := range stay {
		require.Equal(c.t, "x", c.get(ns, "k"))
	}
	for _, ns := range dropped {
		require.EqualValues(c.t, 1, c.put(ns, "k", "again"), "it is another namespace")
	}
	require.Equal(c.t, dropped, c.spaces("a", "b"))

	c.drop(store.Namespace{"a", "b", "c"})
	require.Equal(c.t, dropped[:2], c.spaces("a", "b"))
	for _, name := range []string{"a", "b", "ab"} {
		c.drop(store.Namespace{name})
	}
	require.Empty(c.t, c.spaces())
}
