package kvtest

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/kv"
)

func (c *check) lists() {
	keys := []string{"B", "a", "a%", "a%b", "a/1", "a/2", "a/2/x", "a0", "a_b", "aXb", "b", "z", "Ä", "ä", "\u4e16", "🚀"}
	versions := map[string]uint64{}
	for _, i := range []int{3, 1, 4, 15, 9, 2, 6, 5, 14, 12, 7, 8, 13, 0, 10, 11} {
		versions[keys[i]] = c.put(thread, keys[i], keys[i])
	}
	page := c.list(thread, kv.Query{})
	require.False(c.t, page.More)
	sorted := slices.Sorted(slices.Values(keys))
	for i, item := range page.Items {
		require.Equal(c.t, kv.Item{Key: sorted[i], Size: len(sorted[i]), Version: versions[sorted[i]]}, item)
	}
	require.Len(c.t, page.Items, len(keys))

	for _, q := range []struct {
		kv.Query

		keys []string
	}{
		{kv.Query{Prefix: "a/"}, []string{"a/1", "a/2", "a/2/x"}},
		{kv.Query{Prefix: "a/2"}, []string{"a/2", "a/2/x"}},
		{kv.Query{Prefix: "a_"}, []string{"a_b"}},
		{kv.Query{Prefix: "a%"}, []string{"a%", "a%b"}},
		{kv.Query{Prefix: "A"}, []string{}},
		{kv.Query{Prefix: "b"}, []string{"b"}},
		{kv.Query{Prefix: "ä"}, []string{"ä"}},
		{kv.Query{Prefix: "zz"}, []string{}},
		{kv.Query{After: "z"}, []string{"Ä", "ä", "\u4e16", "🚀"}},
		{kv.Query{After: "🚀"}, []string{}},
		{kv.Query{After: "\u4e16\u754c"}, []string{"🚀"}},
		{kv.Query{Prefix: "a/", After: "a/1"}, []string{"a/2", "a/2/x"}},
		{kv.Query{Prefix: "a/", After: "a/1x"}, []string{"a/2", "a/2/x"}},
		{kv.Query{Prefix: "a/", After: "a/"}, []string{"a/1", "a/2", "a/2/x"}},
		{kv.Query{Prefix: "a/2", After: "a/2"}, []string{"a/2/x"}},
		{kv.Query{Prefix: "a/", After: "B"}, []string{"a/1", "a/2", "a/2/x"}},
		{kv.Query{Prefix: "a/2", After: "a/1"}, []string{"a/2", "a/2/x"}},
		{kv.Query{Prefix: "a/", After: "b"}, []string{}},
	} {
		require.Equal(c.t, q.keys, c.listed(thread, q.Query), "%+v", q.Query)
	}
}

func (c *check) pages() {
	const entries = kv.MaxPage + 5
	for i := range entries {
		c.put(thread, fmt.Sprintf("%04d", i), "x")
	}
	for _, tc := range []struct{ limit, items int }{
		{0, kv.DefaultPage}, {-1, kv.DefaultPage}, {1, 1}, {7, 7}, {kv.MaxPage, kv.MaxPage}, {kv.MaxPage + 1, kv.MaxPage},
	} {
		page := c.list(thread, kv.Query{Limit: tc.limit})
		require.Len(c.t, page.Items, tc.items)
		require.True(c.t, page.More)
	}
	for _, limit := range []int{99, 201, 335} { // which ends at a page, and which does not
		q := kv.Query{Limit: limit}
		for count := 0; ; {
			page := c.list(thread, q)
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
