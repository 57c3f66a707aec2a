package kv_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/host/plugin/kv/kvtest"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestIn(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(*testing.T) kv.Store { return kv.In(memory.New(), "assistant") })
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
			put(t, kv.In(s, "a"), kv.Namespace{Plugin: name, Scope: abi.ScopeThread, ID: "1"})
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
			require.EqualValues(t, 1, put(t, kv.In(s, agent), ns), "%q %+v has an entry of another", agent, ns)
		}
	}

	one := kv.In(s, "a")
	require.NoError(t, one.Drop(t.Context(), abi.ScopeThread, "a/b"))
	for _, agent := range agents {
		for _, ns := range spaces {
			_, found, err := kv.In(s, agent).Get(t.Context(), ns, "k")
			require.NoError(t, err)
			require.Equal(t, agent != "a" || ns.Scope != abi.ScopeThread || ns.ID != "a/b", found, "%q %+v", agent, ns)
		}
	}
}

func put(t *testing.T, s kv.Store, ns kv.Namespace) uint64 {
	t.Helper()
	version, err := s.Put(t.Context(), ns, "k", nil, kv.PutOptions{})
	require.NoError(t, err)
	return version
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
	put(t, kv.In(s, "assistant"), kv.Namespace{Plugin: "notes", Scope: abi.ScopePlugin})
	put(t, kv.In(s, ""), kv.Namespace{Plugin: "notes", Scope: abi.ScopeThread, ID: "t1"})
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
		abi.ECONFLICT:    fmt.Errorf("store: %w", kv.ErrConflict),
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
		fmt.Sprintf("A key is a `str` of 1 to %d bytes", kv.MaxKey),
		fmt.Sprintf("anything of at most %d MiB", kv.MaxValue>>20),
		fmt.Sprintf("an entry costs the bytes of its key and of its value, plus %d", kv.Overhead),
		fmt.Sprintf("absent or 0: %d; more than 1,000", kv.DefaultPage),
		"10,000 entries",
	} {
		if !strings.Contains(string(text), said) {
			t.Errorf("SPEC.md does not say %q", said)
		}
	}
	require.Equal(t, 1000, kv.MaxPage)
	require.Equal(t, kv.Quota{Bytes: 1 << 20, Entries: 10_000}, kv.DefaultQuota)
}

// Two writers read the same version: the later one is told, and reads again.
func ExampleIn() {
	ctx := context.Background()
	plugins := kv.In(memory.New(), "assistant")
	ns := kv.Namespace{Plugin: "notes", Scope: abi.ScopeThread, ID: "t1"}
	seen, err := plugins.Put(ctx, ns, "todo", []byte("one"), kv.PutOptions{})
	fmt.Println(seen, err)

	fmt.Println(plugins.Put(ctx, ns, "todo", []byte("two"), kv.PutOptions{IfVersion: &seen}))
	fmt.Println(plugins.Put(ctx, ns, "todo", []byte("too late"), kv.PutOptions{IfVersion: &seen}))
	entry, _, err := plugins.Get(ctx, ns, "todo")
	fmt.Println(string(entry.Value), err)
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 0 the entry has another version; read it again
	// two <nil>
}

// BenchmarkIn is a write, a read and a list of ten in a full namespace.
func BenchmarkIn(b *testing.B) {
	ctx, plugins := b.Context(), kv.In(memory.New(), "assistant")
	ns := kv.Namespace{Plugin: "notes", Scope: abi.ScopePlugin}
	keys := make([]string, 5000)
	for i := range keys {
		keys[i] = fmt.Sprintf("key/%05d", i*7919%5000)
		_, err := plugins.Put(ctx, ns, keys[i], make([]byte, 100), kv.PutOptions{})
		require.NoError(b, err)
	}
	value := make([]byte, 100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := keys[i%len(keys)]
		_, _ = plugins.Put(ctx, ns, key, value, kv.PutOptions{})
		_, _, _ = plugins.Get(ctx, ns, key)
		_, _ = plugins.List(ctx, ns, kv.Query{After: key, Limit: 10})
	}
}
