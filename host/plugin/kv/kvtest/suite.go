// Package kvtest holds what every store of plugins must do, as tests for any implementation.
package kvtest

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/kv"
)

// Run tests the stores that open makes. Each is empty.
func Run(t *testing.T, open func(t *testing.T) kv.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(c *check)
	}{
		{"an entry holds what was written", (*check).holds},
		{"what was written or read stays as it is", (*check).isolated},
		{"keys are any text", (*check).keys},
		{"what there cannot be is refused", (*check).refuses},
		{"namespaces have nothing in common", (*check).namespaces},
		{"versions never come back", (*check).versions},
		{"a condition holds for a write", (*check).conditionalPut},
		{"a condition holds for a deletion", (*check).conditionalDelete},
		{"a list has all entries in order", (*check).lists},
		{"a list has pages", (*check).pages},
		{"the quota of bytes", (*check).quotaBytes},
		{"the quota of entries", (*check).quotaEntries},
		{"a lowered quota", (*check).loweredQuota},
		{"what ended is dropped", (*check).drops},
		{"a context that has ended", (*check).ended},
		{"of many that write on one condition one does", (*check).race},
		{"namespaces are used at once", (*check).concurrent},
		{"any sequence of operations", (*check).model},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(&check{t, open(t)})
		})
	}
}

// check is one test of one store.
type check struct {
	t     *testing.T
	store kv.Store
}

// thread is the namespace of most tests.
var thread = kv.Namespace{Plugin: "notes", Scope: abi.ScopeThread, ID: "t1"}

// put writes in any case.
func (c *check) put(ns kv.Namespace, key, value string) uint64 {
	c.t.Helper()
	version, err := c.store.Put(c.t.Context(), ns, key, []byte(value), kv.PutOptions{})
	require.NoError(c.t, err)
	return version
}

func (c *check) delete(ns kv.Namespace, key string) {
	c.t.Helper()
	require.NoError(c.t, c.store.Delete(c.t.Context(), ns, key, nil))
}

// get returns a value; "-" of no entry.
func (c *check) get(ns kv.Namespace, key string) string {
	c.t.Helper()
	e, ok, err := c.store.Get(c.t.Context(), ns, key)
	require.NoError(c.t, err)
	if !ok {
		require.Zero(c.t, e)
		return "-"
	}
	return string(e.Value)
}

func (c *check) list(ns kv.Namespace, q kv.Query) kv.Page {
	c.t.Helper()
	page, err := c.store.List(c.t.Context(), ns, q)
	require.NoError(c.t, err)
	return page
}

// listed returns the keys of a page.
func (c *check) listed(ns kv.Namespace, q kv.Query) []string {
	c.t.Helper()
	items := c.list(ns, q).Items
	keys := make([]string, 0, len(items))
	for _, item := range items {
		keys = append(keys, item.Key)
	}
	return keys
}

func (c *check) holds() {
	require.Equal(c.t, "-", c.get(thread, "a"))
	c.delete(thread, "a")
	require.Empty(c.t, c.list(thread, kv.Query{}))

	first := c.put(thread, "a", "one\x00\xff")
	require.Equal(c.t, "one\x00\xff", c.get(thread, "a"))
	second := c.put(thread, "a", "two")
	require.Greater(c.t, second, first)
	e, ok, err := c.store.Get(c.t.Context(), thread, "a")
	require.NoError(c.t, err)
	require.True(c.t, ok)
	require.Equal(c.t, kv.Entry{Value: []byte("two"), Version: second}, e)

	c.put(thread, "b", "")
	require.Empty(c.t, c.get(thread, "b"), "an empty value is a value")
	c.delete(thread, "a")
	require.Equal(c.t, "-", c.get(thread, "a"))
	require.Equal(c.t, []string{"b"}, c.listed(thread, kv.Query{}))
}

func (c *check) isolated() {
	value := []byte("before")
	_, err := c.store.Put(c.t.Context(), thread, "a", value, kv.PutOptions{})
	require.NoError(c.t, err)
	copy(value, "AFTER!")
	require.Equal(c.t, "before", c.get(thread, "a"))

	e, _, err := c.store.Get(c.t.Context(), thread, "a")
	require.NoError(c.t, err)
	c.put(thread, "a", "after!")
	c.delete(thread, "a")
	require.Equal(c.t, "before", string(e.Value))
}

func (c *check) keys() {
	keys := []string{
		" ", "%", "*", ".", "..", "../a", "/", "//", "A", "_", "a", "a ", "a%", "a/b", "a\\b", "a_b", "a'b", `a"b`, "aa", "b", "größe", "Ä", "ä",
		"a\u0308", "\u4e16\u754c", "🚀", strings.Repeat("k", kv.MaxKey), strings.Repeat("ü", kv.MaxKey/2), "null", "0", "'; DROP TABLE kv; --",
	}
	for _, key := range keys {
		c.put(thread, key, "value of "+key)
	}
	for _, key := range keys {
		require.Equal(c.t, "value of "+key, c.get(thread, key))
	}
	require.Len(c.t, c.listed(thread, kv.Query{}), len(keys))
	for i, key := range keys {
		c.delete(thread, key)
		require.Len(c.t, c.listed(thread, kv.Query{}), len(keys)-1-i)
	}
}

func (c *check) refuses() {
	ctx := c.t.Context()
	for _, key := range []string{"", "a\x00", "\n", "\x7f", "\u0085", "\xff", "a\xc3", strings.Repeat("k", kv.MaxKey+1)} {
		_, _, err := c.store.Get(ctx, thread, key)
		require.ErrorIs(c.t, err, kv.ErrInvalid, "%q", key)
		_, err = c.store.Put(ctx, thread, key, nil, kv.PutOptions{})
		require.ErrorIs(c.t, err, kv.ErrInvalid, "%q", key)
		require.ErrorIs(c.t, c.store.Delete(ctx, thread, key, nil), kv.ErrInvalid, "%q", key)
		if key != "" {
			_, err = c.store.List(ctx, thread, kv.Query{Prefix: key})
			require.ErrorIs(c.t, err, kv.ErrInvalid, "%q", key)
			_, err = c.store.List(ctx, thread, kv.Query{After: key})
			require.ErrorIs(c.t, err, kv.ErrInvalid, "%q", key)
		}
	}
	for _, ns := range []kv.Namespace{
		{},
		{Scope: abi.ScopePlugin},
		{Plugin: "p"},
		{Plugin: "p", Scope: "global"},
		{Plugin: "p", Scope: abi.ScopeRun},
		{Plugin: "p", Scope: abi.ScopeThread},
		{Plugin: "p", Scope: abi.ScopePlugin, ID: "t1"},
	} {
		_, _, err := c.store.Get(ctx, ns, "a")
		require.ErrorIs(c.t, err, kv.ErrInvalid, "%+v", ns)
		_, err = c.store.Put(ctx, ns, "a", nil, kv.PutOptions{})
		require.ErrorIs(c.t, err, kv.ErrInvalid, "%+v", ns)
		require.ErrorIs(c.t, c.store.Delete(ctx, ns, "a", nil), kv.ErrInvalid, "%+v", ns)
		_, err = c.store.List(ctx, ns, kv.Query{})
		require.ErrorIs(c.t, err, kv.ErrInvalid, "%+v", ns)
	}
	require.ErrorIs(c.t, c.store.Drop(ctx, abi.ScopePlugin, "p"), kv.ErrInvalid)
	require.ErrorIs(c.t, c.store.Drop(ctx, abi.ScopeRun, ""), kv.ErrInvalid)
	_, err := c.store.Put(ctx, thread, "a", make([]byte, kv.MaxValue+1), kv.PutOptions{Quota: kv.Quota{Bytes: 1 << 40}})
	require.ErrorIs(c.t, err, kv.ErrQuota)
}

func (c *check) namespaces() {
	spaces := []kv.Namespace{
		{Plugin: "a", Scope: abi.ScopePlugin},
		{Plugin: "A", Scope: abi.ScopePlugin},
		{Plugin: "a ", Scope: abi.ScopePlugin},
		{Plugin: "a", Scope: abi.ScopeRun, ID: "1"},
		{Plugin: "a", Scope: abi.ScopeThread, ID: "1"},
		{Plugin: "a", Scope: abi.ScopeThread, ID: "1/k"},
		{Plugin: "a/1", Scope: abi.ScopeThread, ID: "k"},
		{Plugin: "a", Scope: abi.ScopeThread, ID: "../a"},
		{Plugin: "a", Scope: abi.ScopeThread, ID: "%"},
		{Plugin: "a\x1fthread", Scope: abi.ScopeThread, ID: "1"},
		{Plugin: "b", Scope: abi.ScopeThread, ID: "1"},
	}
	for i, ns := range spaces {
		require.Equal(c.t, "-", c.get(ns, "k"))
		require.EqualValues(c.t, 1, c.put(ns, "k", strconv.Itoa(i)), "versions begin with 1 everywhere")
	}
	for i, ns := range spaces {
		require.Equal(c.t, strconv.Itoa(i), c.get(ns, "k"))
		require.Equal(c.t, []string{"k"}, c.listed(ns, kv.Query{}))
		c.delete(ns, "k")
	}
}

func (c *check) ended() {
	ctx, cancel := context.WithCancel(c.t.Context())
	cancel()
	_, _, err := c.store.Get(ctx, thread, "a")
	require.ErrorIs(c.t, err, context.Canceled)
	_, err = c.store.Put(ctx, thread, "a", nil, kv.PutOptions{})
	require.ErrorIs(c.t, err, context.Canceled)
	require.ErrorIs(c.t, c.store.Delete(ctx, thread, "a", nil), context.Canceled)
	_, err = c.store.List(ctx, thread, kv.Query{})
	require.ErrorIs(c.t, err, context.Canceled)
	require.ErrorIs(c.t, c.store.Drop(ctx, abi.ScopeThread, "t1"), context.Canceled)
	require.Equal(c.t, "-", c.get(thread, "a"))
}

func (c *check) drops() {
	other := kv.Namespace{Plugin: "other", Scope: abi.ScopeRun, ID: "1"}
	run := kv.Namespace{Plugin: "notes", Scope: abi.ScopeRun, ID: "1"}
	stay := []kv.Namespace{
		{Plugin: "notes", Scope: abi.ScopeRun, ID: "2"},
		{Plugin: "notes", Scope: abi.ScopeThread, ID: "1"},
		{Plugin: "1", Scope: abi.ScopePlugin},
	}
	for _, ns := range append([]kv.Namespace{run, other}, stay...) {
		c.put(ns, "a", "x")
	}
	require.NoError(c.t, c.store.Drop(c.t.Context(), abi.ScopeRun, "1"))
	require.NoError(c.t, c.store.Drop(c.t.Context(), abi.ScopeRun, "1"), "again")
	require.Equal(c.t, "-", c.get(run, "a"))
	require.Equal(c.t, "-", c.get(other, "a"))
	require.Empty(c.t, c.list(run, kv.Query{}))
	for _, ns := range stay {
		require.Equal(c.t, "x", c.get(ns, "a"))
	}
	require.NoError(c.t, c.store.Drop(c.t.Context(), abi.ScopeThread, "1"))
	require.Equal(c.t, "-", c.get(stay[1], "a"))
	c.put(run, "a", "again")
	require.Equal(c.t, "again", c.get(run, "a"))
}

// race writes one entry from several goroutines at once: each adds one, and tries again on a conflict.
func (c *check) race() {
	const writers, each = 8, 10
	var workers sync.WaitGroup
	failures := make(chan error, writers)
	for range writers {
		workers.Go(func() { failures <- c.count(each) })
	}
	workers.Wait()
	close(failures)
	for err := range failures {
		require.NoError(c.t, err)
	}
	require.Len(c.t, c.get(thread, "count"), writers*each)
}

// count makes an entry longer, so many times.
func (c *check) count(times int) error {
	for done := 0; done < times; {
		e, _, err := c.store.Get(c.t.Context(), thread, "count")
		if err != nil {
			return err
		}
		longer := append(append([]byte(nil), e.Value...), 'x')
		_, err = c.store.Put(c.t.Context(), thread, "count", longer, kv.PutOptions{IfVersion: &e.Version})
		switch kv.Status(err) {
		case abi.StatusOK:
			done++
		case abi.ECONFLICT:
		default:
			return err
		}
	}
	return nil
}

func (c *check) concurrent() {
	const threads, entries = 8, 20
	var workers sync.WaitGroup
	failures := make(chan error, threads)
	space := func(n int) kv.Namespace {
		return kv.Namespace{Plugin: "notes", Scope: abi.ScopeThread, ID: strconv.Itoa(n)}
	}
	for n := range threads {
		workers.Go(func() {
			var err error
			for i := range entries {
				if err == nil {
					_, err = c.store.Put(c.t.Context(), space(n), strconv.Itoa(i), []byte(strconv.Itoa(n)), kv.PutOptions{})
				}
			}
			failures <- err
		})
	}
	workers.Wait()
	close(failures)
	for err := range failures {
		require.NoError(c.t, err)
	}
	for n := range threads {
		require.Len(c.t, c.listed(space(n), kv.Query{}), entries)
		require.Equal(c.t, strconv.Itoa(n), c.get(space(n), "0"))
	}
}
