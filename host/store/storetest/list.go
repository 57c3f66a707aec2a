package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

func (c *check) lists() {
	keys := []string{"B", "a", "a%", "a%b", "a/1", "a/2", "a/2/x", "a0", "a_b", "aXb", "b", "z", "Ä", "ä", "\u4e16", "🚀"}
	for _, i := range []int{3, 1, 4, 15, 9, 2, 6, 5, 14, 12, 7, 8, 13, 0, 10, 11} {
		c.clock.wait(time.Second)
		c.putFor(user, keys[i], keys[i], time.Duration(i)*time.Hour)
	}
	c.put(user[:1], "a", "outside")
	c.put(append(slices.Clone(user), "below"), "a", "below")
	want := make([]store.Entry, len(keys))
	for i, key := range slices.Sorted(slices.Values(keys)) {
		want[i] = c.entry(user, key)
	}
	require.Equal(c.t, store.Page[store.Entry]{Items: want}, c.list(user, store.Query{Values: true}))
	for i := range want {
		want[i].Value = nil
	}
	require.Equal(c.t, store.Page[store.Entry]{Items: want}, c.list(user, store.Query{}))

	for _, q := range []struct {
		store.Query

		keys []string
	}{
		{store.Query{Prefix: "a/"}, []string{"a/1", "a/2", "a/2/x"}},
		{store.Query{Prefix: "a/2"}, []string{"a/2", "a/2/x"}},
		{store.Query{Prefix: "a_"}, []string{"a_b"}},
		{store.Query{Prefix: "a%"}, []string{"a%", "a%b"}},
		{store.Query{Prefix: "A"}, []string{}},
		{store.Query{Prefix: "b"}, []string{"b"}},
		{store.Query{Prefix: "ä"}, []string{"ä"}},
		{store.Query{Prefix: "🚀"}, []string{"🚀"}},
		{store.Query{Prefix: "zz"}, []string{}},
		{store.Query{After: "z"}, []string{"Ä", "ä", "\u4e16", "🚀"}},
		{store.Query{After: "🚀"}, []string{}},
		{store.Query{After: "\u4e16\u754c"}, []string{"🚀"}},
		{store.Query{Prefix: "a/", After: "a/1"}, []string{"a/2", "a/2/x"}},
		{store.Query{Prefix: "a/", After: "a/1x"}, []string{"a/2", "a/2/x"}},
		{store.Query{Prefix: "a/", After: "a/"}, []string{"a/1", "a/2", "a/2/x"}},
		{store.Query{Prefix: "a/2", After: "a/2"}, []string{"a/2/x"}},
		{store.Query{Prefix: "a/", After: "B"}, []string{"a/1", "a/2", "a/2/x"}},
		{store.Query{Prefix: "a/2", After: "a/1"}, []string{"a/2", "a/2/x"}},
		{store.Query{Prefix: "a/", After: "b"}, []string{}},
	} {
		require.Equal(c.t, q.keys, c.listed(user, q.Query), "%+v", q.Query)
	}
}

func (c *check) pages() {
	const entries = store.MaxPage + 5
	for i := range entries {
		c.put(user, fmt.Sprintf("%04d", i), "x")
	}
	for _, tc := range []struct{ limit, items int }{
		{0, store.DefaultPage}, {-1, store.DefaultPage}, {1, 1}, {7, 7}, {store.MaxPage, store.MaxPage}, {store.MaxPage + 1, store.MaxPage},
	} {
		page := c.list(user, store.Query{Limit: tc.limit})
		require.Len(c.t, page.Items, tc.items)
		require.True(c.t, page.More)
	}
	for _, limit := range []int{99, 201, 335} { // some end at a page boundary
		q := store.Query{Limit: limit, Values: limit == 201}
		for count := 0; ; {
			page := c.list(user, q)
			for _, item := range page.Items {
				require.Equal(c.t, fmt.Sprintf("%04d", count), item.Key)
				count++
			}
			require.Equal(c.t, count < entries, page.More)
			if !page.More {
				break
			}
			q.After = page.Items[len(page.Items)-1].Key
		}
	}
}

// pagesUnderChange checks that a page begins after a key, whether or not the key still exists.
func (c *check) pagesUnderChange() {
	for _, key := range []string{"b", "d", "f", "h"} {
		c.put(user, key, "x")
	}
	require.Equal(c.t, []string{"b", "d"}, c.listed(user, store.Query{Limit: 2}))
	c.delete(user, "d")
	c.delete(user, "f")
	for _, key := range []string{"a", "c", "e", "g"} {
		c.put(user, key, "x")
	}
	require.Equal(c.t, []string{"e", "g"}, c.listed(user, store.Query{After: "d", Limit: 2}))
	page := c.list(user, store.Query{After: "g", Limit: 1})
	require.Equal(c.t, "h", page.Items[0].Key)
	require.False(c.t, page.More)
}

// largePages checks that a page's values together may be as large as one value may be, but no larger.
func (c *check) largePages() {
	half := strings.Repeat("v", store.MaxValue/2)
	for _, key := range []string{"a", "b", "c", "e"} {
		c.put(user, key, half)
	}
	c.put(user, "d", half+half)
	var pages [][]string
	for q := (store.Query{Values: true}); ; {
		page := c.list(user, q)
		var keys []string
		for _, item := range page.Items {
			require.Len(c.t, item.Value, item.Size)
			keys = append(keys, item.Key)
		}
		pages = append(pages, keys)
		if !page.More || len(pages) > 4 {
			break
		}
		q.After = keys[len(keys)-1]
	}
	require.Equal(c.t, [][]string{{"a", "b"}, {"c"}, {"d"}, {"e"}}, pages)
	require.Len(c.t, c.list(user, store.Query{}).Items, 5, "without values nothing is too large")
}
