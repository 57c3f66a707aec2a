package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
)

// BenchmarkStore is a write with a TTL, a read and a list of ten values, in a store with a thousand users of a hundred entries.
func BenchmarkStore(b *testing.B) {
	const users, entries = 1000, 100
	ctx, s := b.Context(), memory.New()
	value := make([]byte, 100)
	user := func(n int) store.Namespace { return store.Namespace{"users", fmt.Sprint(n % users)} }
	key := func(n int) string { return fmt.Sprintf("key/%05d", n%entries) }
	for n := range users * entries {
		_, err := s.Put(ctx, user(n), key(n/users), value, store.PutOptions{TTL: time.Duration(n%7+1) * time.Hour})
		require.NoError(b, err)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		ns, key := user(n*7919), key(n)
		_, _ = s.Put(ctx, ns, key, value, store.PutOptions{TTL: time.Hour, Quota: store.Quota{Bytes: 1 << 20, Entries: 10_000}})
		_, _, _ = s.Get(ctx, ns, key)
		_, _ = s.List(ctx, ns, store.Query{After: key, Limit: 10, Values: true})
	}
}
