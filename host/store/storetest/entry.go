package storetest

import (
	"context"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

func (c *check) holds() {
	require.Equal(c.t, "-", c.get(user, "a"))
	c.delete(user, "a")
	require.Empty(c.t, c.list(user, store.Query{}))

	first := c.put(user, "a", "one\x00\xff")
	require.Equal(c.t, "one\x00\xff", c.get(user, "a"))
	c.clock.wait(time.Hour + time.Nanosecond)
	second := c.putFor(user, "a", "two", time.Minute)
	require.Greater(c.t, second, first)
	require.Equal(c.t, store.Entry{
		Key: "a", Value: []byte("two"), Size: 3, Version: second,
		Created: start, Updated: start.Add(time.Hour), Expires: start.Add(time.Hour + time.Minute),
	}, c.entry(user, "a"))

	c.put(user, "b", "")
	require.Empty(c.t, c.get(user, "b"), "an empty value is a value")
	c.delete(user, "a")
	require.Equal(c.t, "-", c.get(user, "a"))
	require.Equal(c.t, []string{"b"}, c.listed(user, store.Query{}))
	c.put(user, "a", "three")
	require.Equal(c.t, start.Add(time.Hour), c.entry(user, "a").Created, "what was deleted is another entry")
	require.Zero(c.t, c.entry(user, "a").Expires)
}

func (c *check) isolated() {
	value := []byte("before")
	_, err := c.store.Put(c.t.Context(), user, "a", value, store.PutOptions{})
	require.NoError(c.t, err)
	copy(value, "AFTER!")
	require.Equal(c.t, "before", c.get(user, "a"))

	e, page := c.entry(user, "a"), c.list(user, store.Query{Values: true})
	c.put(user, "a", "after!")
	c.delete(user, "a")
	require.Equal(c.t, "before", string(e.Value))
	require.Equal(c.t, "before", string(page.Items[0].Value))
}

// names are texts that are easily mistaken for something else.
var names = []string{
	" ", "%", "*", ".", "..", "../a", "/", "//", "A", "_", "a", "a ", "a%", "a/b", "a\\b", "a_b", "a'b", `a"b`, "aa", "b", "größe", "Ä", "ä",
	"a\u0308", "\u4e16\u754c", "🚀", "\ufeff", "\uffff", "\U0010ffff", "null", "0", "00", "1e3", "'; DROP TABLE entries; --", "$1", "?", ":a", "{}",
}

func (c *check) keys() {
	keys := append([]string{strings.Repeat("k", store.MaxKey), strings.Repeat("ü", store.MaxKey/2)}, names...)
	for _, key := range keys {
		c.put(user, key, "value of "+key)
	}
	for _, key := range keys {
		require.Equal(c.t, "value of "+key, c.get(user, key))
		require.Equal(c.t, key, c.entry(user, key).Key)
	}
	require.Len(c.t, c.listed(user, store.Query{}), len(keys))
	for i, key := range keys {
		c.delete(user, key)
		require.Len(c.t, c.listed(user, store.Query{}), len(keys)-1-i)
	}
}

func (c *check) sizes() {
	for _, size := range []int{0, 1, 255, 4096, 1 << 20, store.MaxValue} {
		value := strings.Repeat("v", size)
		c.put(user, "a", value)
		require.Equal(c.t, strings.Count(c.get(user, "a"), "v"), size)
		require.Equal(c.t, size, c.list(user, store.Query{}).Items[0].Size)
	}
	_, err := c.store.Put(c.t.Context(), user, "a", make([]byte, store.MaxValue+1), store.PutOptions{})
	require.ErrorIs(c.t, err, store.ErrQuota)
	require.Len(c.t, c.get(user, "a"), store.MaxValue)
}

// every performs each operation with a namespace and a key, and returns the errors. It tries List only if the key is not
// empty.
func (c *check) every(ctx context.Context, ns store.Namespace, key string) (errs []error) {
	add := func(err error) { errs = append(errs, err) }
	_, _, err := c.store.Get(ctx, ns, key)
	add(err)
	_, err = c.store.Put(ctx, ns, key, nil, store.PutOptions{})
	add(err)
	add(c.store.Delete(ctx, ns, key, nil))
	if key != "" {
		_, err = c.store.List(ctx, ns, store.Query{Prefix: key})
		add(err)
		_, err = c.store.List(ctx, ns, store.Query{After: key})
		add(err)
	}
	return errs
}

// everySpace performs each operation with a namespace.
func (c *check) everySpace(ctx context.Context, ns store.Namespace) []error {
	errs := append(c.every(ctx, ns, "a"), c.store.Drop(ctx, ns))
	if len(ns) > 0 {
		_, under := c.store.Namespaces(ctx, ns, nil, 0)
		_, after := c.store.Namespaces(ctx, nil, ns, 0)
		errs = append(errs, under, after)
	}
	return errs
}

func (c *check) refuses() {
	wrong := []string{"", "a\x00", "\n", "\x1f", "\x7f", "\u0085", "\xff", "a\xc3", "\xed\xa0\x80"}
	for _, key := range append(wrong, strings.Repeat("k", store.MaxKey+1)) {
		for _, err := range c.every(c.t.Context(), user, key) {
			require.ErrorIs(c.t, err, store.ErrInvalid, "%q", key)
		}
	}
	long := strings.Repeat("n", store.MaxNamespace)
	spaces := make([]store.Namespace, 0, 100)
	spaces = append(spaces, nil, store.Namespace{}, store.Namespace{long, "n"}, strings.Split(long[:len(long)/2+1], ""))
	for _, name := range wrong {
		spaces = append(spaces, store.Namespace{name}, store.Namespace{"a", name}, store.Namespace{name, "a"})
	}
	for _, ns := range spaces {
		for _, err := range c.everySpace(c.t.Context(), ns) {
			require.ErrorIs(c.t, err, store.ErrInvalid, "%q", ns)
		}
	}
	for _, o := range []store.PutOptions{
		{TTL: -time.Second},
		{TTL: store.Resolution - 1},
		{Quota: store.Quota{Bytes: -1}},
		{Quota: store.Quota{Entries: -1}},
	} {
		_, err := c.store.Put(c.t.Context(), user, "a", nil, o)
		require.ErrorIs(c.t, err, store.ErrInvalid, "%+v", o)
	}
	require.Empty(c.t, c.spaces())
}

func (c *check) ended() {
	ctx, cancel := context.WithCancel(c.t.Context())
	cancel()
	for _, err := range c.everySpace(ctx, user) {
		require.ErrorIs(c.t, err, context.Canceled)
	}
	require.Empty(c.t, c.spaces())
}
