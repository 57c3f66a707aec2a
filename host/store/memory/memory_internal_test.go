package memory

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

// TestNothingIsLeft checks that what expired, was deleted or dropped takes no room.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	s, ctx := New(store.Clock(func() time.Time { return now })), t.Context()
	put := func(ns store.Namespace, key string, ttl time.Duration) {
		_, err := s.Put(ctx, ns, key, nil, store.PutOptions{TTL: ttl})
		require.NoError(t, err)
	}
	deep := store.Namespace{"a", "b", "c", "d"}
	for i := range 100 {
		put(deep, "again", time.Duration(100-i)*time.Hour)
		put(deep, fmt.Sprint(i), time.Duration(i+1)*time.Second)
	}
	require.Len(t, s.expires.turns, 101, "an entry that was written again waits once")
	now = now.Add(50 * time.Second)
	_, _, err := s.Get(ctx, store.Namespace{"elsewhere"}, "k")
	require.NoError(t, err)
	require.Len(t, s.expires.turns, 51)
	require.Len(t, s.root.find(deep).entries.at, 51)
	require.NoError(t, s.Delete(ctx, deep, "again", nil))
	require.Len(t, s.expires.turns, 50)

	put(deep[:2], "k", 0)
	require.NoError(t, s.Drop(ctx, deep[:3]))
	require.Empty(t, s.expires.turns)
	require.Nil(t, s.root.find(deep[:3]))
	require.NotNil(t, s.root.find(deep[:2]), "it has entries of its own")
	put(deep, "k", time.Hour)
	require.NoError(t, s.Drop(ctx, deep[:2]))
	require.Empty(t, s.root.under.keys, "the name above leads nowhere")
}
