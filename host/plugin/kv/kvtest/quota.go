package kvtest

import (
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/kv"
)

// putWithin writes within a quota.
func (c *check) putWithin(q kv.Quota, key string, size int) error {
	_, err := c.store.Put(c.t.Context(), thread, key, make([]byte, size), kv.PutOptions{Quota: q})
	return err
}

func (c *check) quotaBytes() {
	q := kv.Quota{Bytes: 1000}
	require.NoError(c.t, c.putWithin(q, "a", 500-1-kv.Overhead))
	require.ErrorIs(c.t, c.putWithin(q, "b", 500-kv.Overhead), kv.ErrQuota)
	require.Equal(c.t, "-", c.get(thread, "b"))
	require.NoError(c.t, c.putWithin(q, "b", 500-1-kv.Overhead))
	require.ErrorIs(c.t, c.putWithin(q, "c", 0), kv.ErrQuota, "a key costs something too")
	require.ErrorIs(c.t, c.putWithin(q, "a", 500-kv.Overhead), kv.ErrQuota)
	require.Len(c.t, c.get(thread, "a"), 500-1-kv.Overhead, "an entry that does not fit leaves the old one")
	require.NoError(c.t, c.putWithin(q, "a", 500-1-kv.Overhead), "as large as the old one")
	require.NoError(c.t, c.putWithin(q, "a", 0))
	require.NoError(c.t, c.putWithin(q, "b", 500-1-kv.Overhead+500-1-kv.Overhead))
	c.delete(thread, "b")
	require.NoError(c.t, c.putWithin(q, strings.Repeat("k", 200), 500))

	other := thread
	other.ID = "t2"
	_, err := c.store.Put(c.t.Context(), other, "a", make([]byte, 900), kv.PutOptions{Quota: q})
	require.NoError(c.t, err, "each thread has a quota of its own")

	require.NoError(c.t, c.store.Drop(c.t.Context(), abi.ScopeThread, thread.ID))
	require.NoError(c.t, c.putWithin(q, "a", 1000-1-kv.Overhead), "what is dropped counts no more")
	require.ErrorIs(c.t, c.putWithin(kv.Quota{}, "b", kv.MaxValue), kv.ErrQuota, "1 MiB with key and overhead are beyond the default")
}

func (c *check) quotaEntries() {
	q := kv.Quota{Entries: 3}
	for i := range 3 {
		require.NoError(c.t, c.putWithin(q, strconv.Itoa(i), 1))
	}
	require.ErrorIs(c.t, c.putWithin(q, "3", 1), kv.ErrQuota)
	require.NoError(c.t, c.putWithin(q, "2", 2))
	c.delete(thread, "0")
	require.NoError(c.t, c.putWithin(q, "3", 1))
	require.Equal(c.t, []string{"1", "2", "3"}, c.listed(thread, kv.Query{}))
}

// loweredQuota checks that what is beyond a quota can be made smaller step by step, and read.
func (c *check) loweredQuota() {
	for i := range 10 {
		require.NoError(c.t, c.putWithin(kv.Quota{}, strconv.Itoa(i), 100))
	}
	low := kv.Quota{Bytes: 500, Entries: 5}
	require.ErrorIs(c.t, c.putWithin(low, "0", 101), kv.ErrQuota)
	require.ErrorIs(c.t, c.putWithin(low, "x", 0), kv.ErrQuota)
	require.NoError(c.t, c.putWithin(low, "0", 100))
	require.NoError(c.t, c.putWithin(low, "0", 99))
	require.Len(c.t, c.get(thread, "9"), 100)
	c.delete(thread, "1")
	require.ErrorIs(c.t, c.putWithin(low, "1", 0), kv.ErrQuota)
}
