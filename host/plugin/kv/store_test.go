package kv_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// thread is the namespace of most tests.
var thread = kv.Namespace{Plugin: "notes", Scope: abi.ScopeThread, ID: "t1"}

// write writes a value and returns its version.
func write(t *testing.T, s *kv.Store, ns kv.Namespace, key, value string) uint64 {
	t.Helper()
	version, err := s.Put(t.Context(), ns, key, []byte(value), store.PutOptions{})
	require.NoError(t, err)
	return version
}

// read returns a value, or "-" if there is no entry.
func read(t *testing.T, s *kv.Store, ns kv.Namespace, key string) string {
	t.Helper()
	e, found, err := s.Get(t.Context(), ns, key)
	require.NoError(t, err)
	if !found {
		require.Zero(t, e)
		return "-"
	}
	return string(e.Value)
}

// listed returns the keys of a page.
func listed(t *testing.T, s *kv.Store, ns kv.Namespace, q store.Query) []string {
	t.Helper()
	page, err := s.List(t.Context(), ns, q)
	require.NoError(t, err)
	keys := make([]string, len(page.Items))
	for i := range page.Items {
		keys[i] = page.Items[i].Key
	}
	return keys
}

// every calls each method that takes a namespace, and returns the errors.
func every(ctx context.Context, s *kv.Store, ns kv.Namespace, key string) []error {
	_, _, get := s.Get(ctx, ns, key)
	_, put := s.Put(ctx, ns, key, nil, store.PutOptions{})
	_, list := s.List(ctx, ns, store.Query{Prefix: key})
	_, later := s.List(ctx, ns, store.Query{After: key})
	return []error{get, put, list, later, s.Delete(ctx, ns, key, nil)}
}

// TestEntriesAreThoseOfTheStore checks that each argument and each result passes between the plugin and the store unchanged.
func TestEntriesAreThoseOfTheStore(t *testing.T) {
	t.Parallel()
	under := memory.New()
	s, path := kv.New(under, "assistant"), store.Namespace{"plugins", "assistant", "thread", "t1", "notes"}
	require.Equal(t, "-", read(t, s, thread, "a"))
	require.Empty(t, listed(t, s, thread, store.Query{}))

	written, err := s.Put(t.Context(), thread, "a", []byte("one\x00\xff"), store.PutOptions{TTL: time.Hour, IfVersion: new(uint64(0))})
	require.NoError(t, err)
	kept, found, err := under.Get(t.Context(), path, "a")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "one\x00\xff", string(kept.Value))
	require.Equal(t, written, kept.Version)
	require.Equal(t, kept.Updated.Add(time.Hour), kept.Expires)
	e, found, err := s.Get(t.Context(), thread, "a")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, kept, e)

	for _, key := range []string{"b/1", "b/2", "b/3", "c"} {
		write(t, s, thread, key, "value")
	}
	for _, q := range []store.Query{{}, {Prefix: "b/"}, {After: "b/1"}, {Limit: 2}, {Values: true}, {Prefix: "b/", After: "b/1", Limit: 1}} {
		want, err := under.List(t.Context(), path, q)
		require.NoError(t, err)
		page, err := s.List(t.Context(), thread, q)
		require.NoError(t, err)
		require.Equal(t, want, page, "%+v", q)
	}
	require.Equal(t, []string{"b/2"}, listed(t, s, thread, store.Query{Prefix: "b/", After: "b/1", Limit: 1}))

	require.NoError(t, s.Delete(t.Context(), thread, "a", &written))
	require.Equal(t, "-", read(t, s, thread, "a"))
	require.NoError(t, s.Delete(t.Context(), thread, "a", nil), "an entry that does not exist can be deleted")
}

func TestVersionsNeverComeBack(t *testing.T) {
	t.Parallel()
	s := kv.New(memory.New(), "assistant")
	put := func(ifVersion uint64) error {
		_, err := s.Put(t.Context(), thread, "a", []byte("late"), store.PutOptions{IfVersion: &ifVersion})
		return err
	}
	require.EqualValues(t, 1, write(t, s, thread, "a", "x"))
	require.EqualValues(t, 2, write(t, s, thread, "b", "x"))
	require.ErrorIs(t, put(0), store.ErrConflict)
	require.ErrorIs(t, s.Delete(t.Context(), thread, "a", new(uint64(2))), store.ErrConflict)
	require.NoError(t, s.Delete(t.Context(), thread, "a", new(uint64(1))))
	require.NoError(t, s.Delete(t.Context(), thread, "b", nil))
	require.ErrorIs(t, put(1), store.ErrConflict)
	require.EqualValues(t, 3, write(t, s, thread, "a", "x"))
	require.ErrorIs(t, put(1), store.ErrConflict, "the same value again is another entry")
	require.ErrorIs(t, s.Delete(t.Context(), thread, "a", new(uint64(1))), store.ErrConflict)
	require.Equal(t, "x", read(t, s, thread, "a"))
}

func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	under := memory.New()
	s := kv.New(under, "assistant")
	for _, key := range []string{"a\x00", "\n", "\x7f", "\u0085", "\xff", "a\xc3", strings.Repeat("k", store.MaxKey+1)} {
		for _, err := range every(t.Context(), s, thread, key) {
			require.ErrorIs(t, err, store.ErrInvalid, "%q", key)
		}
	}
	_, err := s.Put(t.Context(), thread, "", nil, store.PutOptions{})
	require.ErrorIs(t, err, store.ErrInvalid)
	for want, spaces := range map[string][]kv.Namespace{
		"the namespace names no plugin":               {{}, {Scope: abi.ScopePlugin}, {Scope: abi.ScopeRun, ID: "1"}},
		`the scope is ""`:                             {{Plugin: "p"}, {Plugin: "p", ID: "1"}},
		`the scope is "global"`:                       {{Plugin: "p", Scope: "global"}, {Plugin: "p", Scope: "global", ID: "1"}},
		"the scope run needs an id":                   {{Plugin: "p", Scope: abi.ScopeRun}},
		"the scope thread needs an id":                {{Plugin: "p", Scope: abi.ScopeThread}},
		"a namespace with the scope plugin has no id": {{Plugin: "p", Scope: abi.ScopePlugin, ID: "t1"}},
	} {
		for _, ns := range spaces {
			for _, err := range every(t.Context(), s, ns, "a") {
				require.ErrorIs(t, err, store.ErrInvalid, "%+v", ns)
				require.ErrorContains(t, err, want, "%+v", ns)
			}
		}
	}
	require.ErrorIs(t, s.Drop(t.Context(), abi.ScopePlugin, "p"), store.ErrInvalid)
	require.ErrorIs(t, s.Drop(t.Context(), "", "1"), store.ErrInvalid)
	require.ErrorIs(t, s.Drop(t.Context(), abi.ScopeRun, ""), store.ErrInvalid)
	require.ErrorIs(t, s.Drop(t.Context(), abi.ScopeThread, ""), store.ErrInvalid)
	page, err := under.Namespaces(t.Context(), nil, nil, 0)
	require.NoError(t, err)
	require.Empty(t, page.Items)
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := kv.New(memory.New(), "assistant")
	for _, err := range append(every(ctx, s, thread, "a"), s.Drop(ctx, abi.ScopeThread, "t1")) {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Equal(t, "-", read(t, s, thread, "a"))
}

func TestQuota(t *testing.T) {
	t.Parallel()
	s := kv.New(memory.New(), "assistant")
	put := func(ns kv.Namespace, key string, size int, q store.Quota) error {
		_, err := s.Put(t.Context(), ns, key, make([]byte, size), store.PutOptions{Quota: q})
		return err
	}
	bytes, entries := store.Quota{Bytes: 1000}, store.Quota{Entries: 2}
	require.NoError(t, put(thread, "a", 1000-1-store.Overhead, bytes))
	require.ErrorIs(t, put(thread, "b", 0, bytes), store.ErrQuota)
	require.NoError(t, put(thread, "b", 0, entries))
	require.ErrorIs(t, put(thread, "c", 0, entries), store.ErrQuota)
	for _, other := range []kv.Namespace{
		{Plugin: "notes", Scope: abi.ScopeThread, ID: "t2"},
		{Plugin: "other", Scope: abi.ScopeThread, ID: "t1"},
		{Plugin: "notes", Scope: abi.ScopeRun, ID: "t1"},
		{Plugin: "notes", Scope: abi.ScopePlugin},
	} {
		require.NoError(t, put(other, "a", 900, bytes), "each namespace has its own quota")
	}
	require.NoError(t, s.Drop(t.Context(), abi.ScopeThread, "t1"))
	require.NoError(t, put(thread, "a", 1000-1-store.Overhead, bytes), "a dropped entry no longer counts")
}

func TestDefaultQuota(t *testing.T) {
	t.Parallel()
	s := kv.New(memory.New(), "assistant")
	put := func(key string, size int, q store.Quota) error {
		_, err := s.Put(t.Context(), thread, key, make([]byte, size), store.PutOptions{Quota: q})
		return err
	}
	require.ErrorIs(t, put("a", kv.MaxValue, store.Quota{}), store.ErrQuota, "the key and the overhead exceed the default")
	require.NoError(t, put("a", kv.MaxValue-1-store.Overhead, store.Quota{}))
	require.ErrorIs(t, put("b", 0, store.Quota{Entries: 5}), store.ErrQuota)
	require.NoError(t, put("b", kv.MaxValue, store.Quota{Bytes: 1 << 40}))
	require.ErrorIs(t, put("b", kv.MaxValue+1, store.Quota{Bytes: 1 << 40}), store.ErrQuota)
	require.NoError(t, s.Drop(t.Context(), abi.ScopeThread, "t1"))
	for i := range kv.DefaultQuota.Entries {
		require.NoError(t, put(strconv.Itoa(i), 0, store.Quota{}))
	}
	require.ErrorIs(t, put("one more", 0, store.Quota{Bytes: 1 << 40}), store.ErrQuota)

	require.Equal(t, kv.DefaultQuota, kv.WithDefaults(store.Quota{Bytes: -1, Entries: -1}))
	require.Equal(t, store.Quota{Bytes: 7, Entries: 10_000}, kv.WithDefaults(store.Quota{Bytes: 7}))
	require.Equal(t, store.Quota{Bytes: 1 << 20, Entries: 7}, kv.WithDefaults(store.Quota{Entries: 7}))
}

func TestNamespacesShareNothing(t *testing.T) {
	t.Parallel()
	s := kv.New(memory.New(), "assistant")
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
		require.Equal(t, "-", read(t, s, ns, "k"))
		require.EqualValues(t, 1, write(t, s, ns, "k", strconv.Itoa(i)), "versions begin with 1 everywhere")
	}
	for i, ns := range spaces {
		require.Equal(t, strconv.Itoa(i), read(t, s, ns, "k"))
		require.Equal(t, []string{"k"}, listed(t, s, ns, store.Query{}))
		require.NoError(t, s.Delete(t.Context(), ns, "k", nil))
	}
}

func TestDrop(t *testing.T) {
	t.Parallel()
	s := kv.New(memory.New(), "assistant")
	run := kv.Namespace{Plugin: "notes", Scope: abi.ScopeRun, ID: "1"}
	other := kv.Namespace{Plugin: "other", Scope: abi.ScopeRun, ID: "1"}
	ofThread := kv.Namespace{Plugin: "notes", Scope: abi.ScopeThread, ID: "1"}
	stay := []kv.Namespace{
		{Plugin: "notes", Scope: abi.ScopeRun, ID: "2"},
		{Plugin: "notes", Scope: abi.ScopeRun, ID: "1/notes"},
		{Plugin: "1", Scope: abi.ScopePlugin},
	}
	for _, ns := range append([]kv.Namespace{run, other, ofThread}, stay...) {
		write(t, s, ns, "a", "x")
	}
	require.NoError(t, s.Drop(t.Context(), abi.ScopeRun, "1"))
	require.NoError(t, s.Drop(t.Context(), abi.ScopeRun, "1"), "again")
	require.NoError(t, s.Drop(t.Context(), abi.ScopeRun, "notes"), "a plugin's name is not a run's id")
	for _, ns := range []kv.Namespace{run, other} {
		require.Equal(t, "-", read(t, s, ns, "a"))
		require.Empty(t, listed(t, s, ns, store.Query{}))
	}
	for _, ns := range append(stay, ofThread) {
		require.Equal(t, "x", read(t, s, ns, "a"))
	}
	require.NoError(t, s.Drop(t.Context(), abi.ScopeThread, "1"))
	require.Equal(t, "-", read(t, s, ofThread, "a"))
	for _, ns := range stay {
		require.Equal(t, "x", read(t, s, ns, "a"))
	}
	require.EqualValues(t, 1, write(t, s, run, "a", "again"))
	require.Equal(t, "again", read(t, s, run, "a"))
}

// TestNothingBreaksOutOfItsName writes under names that try to be other names, and finds a namespace for each.
func TestNothingBreaksOutOfItsName(t *testing.T) {
	t.Parallel()
	names := []string{
		"a", "a/b", "a\x1fb", "a\x00b", "\x00", "\x1f", "a\nb", "..", "%", "%25", "run", "plugin", "thread", "\xff", "a\xc3", "\ufffd", "ä", "a\u0308",
		strings.Repeat("n", 5000), strings.Repeat("n", 5001), strings.Repeat("ü", 100), strings.Repeat("ü", 101),
	}
	for range 2 { // what stands for a name is a name too
		for _, name := range names {
			s := memory.New()
			write(t, kv.New(s, "a"), kv.Namespace{Plugin: name, Scope: abi.ScopeThread, ID: "1"}, "k", "")
			page, err := s.Namespaces(t.Context(), nil, nil, 0)
			require.NoError(t, err)
			names = append(names, page.Items[0][4])
		}
		names = unique(names)
	}
	s := memory.New()
	var spaces []kv.Namespace
	for _, name := range names {
		spaces = append(spaces,
			kv.Namespace{Plugin: name, Scope: abi.ScopePlugin},
			kv.Namespace{Plugin: name, Scope: abi.ScopeThread, ID: "a"},
			kv.Namespace{Plugin: "a", Scope: abi.ScopeThread, ID: name},
			kv.Namespace{Plugin: "a", Scope: abi.ScopeRun, ID: name})
	}
	spaces = unique(spaces)
	agents := append([]string{""}, names...)
	for _, agent := range agents {
		for _, ns := range spaces {
			require.EqualValues(t, 1, write(t, kv.New(s, agent), ns, "k", ""), "%q %+v has an entry of another", agent, ns)
		}
	}

	one := kv.New(s, "a")
	require.NoError(t, one.Drop(t.Context(), abi.ScopeThread, "a/b"))
	for _, agent := range agents {
		for _, ns := range spaces {
			_, found, err := kv.New(s, agent).Get(t.Context(), ns, "k")
			require.NoError(t, err)
			require.Equal(t, agent != "a" || ns.Scope != abi.ScopeThread || ns.ID != "a/b", found, "%q %+v", agent, ns)
		}
	}
}

func unique[T comparable](values []T) []T {
	seen := map[T]bool{}
	var out []T
	for _, v := range values {
		if !seen[v] {
			out = append(out, v)
		}
		seen[v] = true
	}
	return out
}

func TestPluginsLeaveTheRestOfAStoreAlone(t *testing.T) {
	t.Parallel()
	s := memory.New()
	_, err := s.Put(t.Context(), store.Namespace{"users", "42"}, "k", []byte("mine"), store.PutOptions{})
	require.NoError(t, err)
	write(t, kv.New(s, "assistant"), kv.Namespace{Plugin: "notes", Scope: abi.ScopePlugin}, "k", "")
	write(t, kv.New(s, ""), thread, "k", "")
	page, err := s.Namespaces(t.Context(), nil, nil, 0)
	require.NoError(t, err)
	require.Equal(t, []store.Namespace{
		{"plugins", "%e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "thread", "t1", "notes"},
		{"plugins", "assistant", "plugin", "notes"},
		{"users", "42"},
	}, page.Items)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for want, err := range map[abi.Status]error{
		abi.StatusOK:     nil,
		abi.EINVAL:       store.CheckKey(""),
		abi.ECONFLICT:    fmt.Errorf("store: %w", store.ErrConflict),
		abi.ELIMIT:       store.Quota{Bytes: 1}.Check(store.Usage{}, store.Usage{Bytes: 2}),
		abi.StatusFailed: errors.New("the disk is full"),
	} {
		require.Equal(t, want, kv.Status(err), err)
	}
}

// TestTheSpecificationSaysTheLimits holds what SPEC.md tells plugin authors against the constants.
func TestTheSpecificationSaysTheLimits(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../abi/SPEC.md")
	require.NoError(t, err)
	for _, said := range []string{
		fmt.Sprintf("A key is a `str` of 1 to %d bytes", store.MaxKey),
		fmt.Sprintf("anything of at most %d MiB", kv.MaxValue>>20),
		fmt.Sprintf("an entry costs the bytes of its key and of its value, plus %d", store.Overhead),
		fmt.Sprintf("absent or 0: %d; more than 1,000", store.DefaultPage),
		"10,000 entries",
	} {
		if !strings.Contains(string(text), said) {
			t.Errorf("SPEC.md does not say %q", said)
		}
	}
	require.Equal(t, 1000, store.MaxPage)
	require.Equal(t, store.Quota{Bytes: 1 << 20, Entries: 10_000}, kv.DefaultQuota)
}

// Two writers read the same version: the later one is told, and reads again.
func ExampleStore() {
	ctx := context.Background()
	plugins := kv.New(memory.New(), "assistant")
	ns := kv.Namespace{Plugin: "notes", Scope: abi.ScopeThread, ID: "t1"}
	seen, err := plugins.Put(ctx, ns, "todo", []byte("one"), store.PutOptions{})
	fmt.Println(seen, err)

	fmt.Println(plugins.Put(ctx, ns, "todo", []byte("two"), store.PutOptions{IfVersion: &seen}))
	fmt.Println(plugins.Put(ctx, ns, "todo", []byte("too late"), store.PutOptions{IfVersion: &seen}))
	entry, _, err := plugins.Get(ctx, ns, "todo")
	fmt.Println(string(entry.Value), err)
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 0 the entry has another version; read it again
	// two <nil>
}

// BenchmarkStore is a write, a read and a list of ten in a full namespace.
func BenchmarkStore(b *testing.B) {
	ctx, plugins := b.Context(), kv.New(memory.New(), "assistant")
	ns := kv.Namespace{Plugin: "notes", Scope: abi.ScopePlugin}
	keys := make([]string, 5000)
	for i := range keys {
		keys[i] = fmt.Sprintf("key/%05d", i*7919%5000)
		_, err := plugins.Put(ctx, ns, keys[i], make([]byte, 100), store.PutOptions{})
		require.NoError(b, err)
	}
	value := make([]byte, 100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := keys[i%len(keys)]
		_, _ = plugins.Put(ctx, ns, key, value, store.PutOptions{})
		_, _, _ = plugins.Get(ctx, ns, key)
		_, _ = plugins.List(ctx, ns, store.Query{After: key, Limit: 10})
	}
}
