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
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(*testing.T) kv.Store { return kv.NewMemory() })
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for want, err := range map[abi.Status]error{
		abi.StatusOK:     nil,
		abi.EINVAL:       kv.CheckKey(""),
		abi.ECONFLICT:    fmt.Errorf("store: %w", kv.ErrConflict),
		abi.ELIMIT:       kv.Quota{Bytes: 1}.CheckGrowth(0, 2, 0, 1),
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
		fmt.Sprintf("an entry costs the bytes of its key and of its value, and %d", kv.Overhead),
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
func ExampleMemory_Put() {
	ctx := context.Background()
	store := kv.NewMemory()
	ns := kv.Namespace{Plugin: "notes", Scope: abi.ScopeThread, ID: "t1"}
	seen, err := store.Put(ctx, ns, "todo", []byte("one"), kv.PutOptions{})
	fmt.Println(seen, err)

	fmt.Println(store.Put(ctx, ns, "todo", []byte("two"), kv.PutOptions{IfVersion: &seen}))
	fmt.Println(store.Put(ctx, ns, "todo", []byte("too late"), kv.PutOptions{IfVersion: &seen}))
	entry, _, err := store.Get(ctx, ns, "todo")
	fmt.Println(string(entry.Value), err)
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 0 the entry has another version; read it again
	// two <nil>
}

// BenchmarkMemory is a write, a read and a list of ten in a full namespace.
func BenchmarkMemory(b *testing.B) {
	ctx, store := b.Context(), kv.NewMemory()
	ns := kv.Namespace{Plugin: "notes", Scope: abi.ScopePlugin}
	keys := make([]string, 5000)
	for i := range keys {
		keys[i] = fmt.Sprintf("key/%05d", i*7919%5000)
		_, err := store.Put(ctx, ns, keys[i], make([]byte, 100), kv.PutOptions{})
		require.NoError(b, err)
	}
	value := make([]byte, 100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := keys[i%len(keys)]
		_, _ = store.Put(ctx, ns, key, value, kv.PutOptions{})
		_, _, _ = store.Get(ctx, ns, key)
		_, _ = store.List(ctx, ns, kv.Query{After: key, Limit: 10})
	}
}
