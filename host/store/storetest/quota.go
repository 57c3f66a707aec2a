package storetest

import (
	"strconv"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

// putWithin writes within a quota.
func (c *check) putWithin(q store.Quota, key string, size int) error {
	_, err := c.store.Put(c.t.Context(), user, key, make([]byte, size), store.PutOptions{Quota: q})
	return err
}

func (c *check) quotaBytes() {
	q := store.Quota{Bytes: 1000}
	require.NoError(c.t, c.putWithin(q, "a", 500-1-store.Overhead))
	require.ErrorIs(c.t, c.putWithin(q, "b", 500-store.Overhead), store.ErrQuota)
	require.Equal(c.t, "-", c.get(user, "b"))
	require.NoError(c.t, c.putWithin(q, "b", 500-1-store.Overhead))
	require.ErrorIs(c.t, c.putWithin(q, "c", 0), store.ErrQuota, "a key costs something too")
	require.ErrorIs(c.t, c.putWithin(q, "a", 500-store.Overhead), store.ErrQuota)
	require.Len(c.t, c.get(user, "a"), 500-1-store.Overhead, "an entry that does not fit leaves the old one")
	require.NoError(c.t, c.putWithin(q, "a", 500-1-store.Overhead), "as large as the old one")
	require.NoError(c.t, c.putWithin(q, "a", 0))
	require.NoError(c.t, c.putWithin(q, "b", 500-1-store.Overhead+500-1-store.Overhead))
	c.delete(user, "b")
	require.NoError(c.t, c.putWithin(q, strings.Repeat("k", 200), 500))

	for _, other := range []store.Namespace{{"users"}, {"users", "43"}, {"users", "42", "notes"}} {
		_, err := c.store.Put(c.t.Context(), other, "a", make([]byte, 900), store.PutOptions{Quota: q})
		require.NoError(c.t, err, "each namespace has a quota of its own")
	}
	require.NoError(c.t, c.putWithin(store.Quota{}, "b", 1<<20), "without a quota anything fits")
	c.drop(user)
	require.NoError(c.t, c.putWithin(q, "a", 1000-1-store.Overhead), "what is dropped counts no more")
}

func (c *check) quotaEntries() {
	q := store.Quota{Entries: 3}
	for i := range 3 {
		require.NoError(c.t, c.putWithin(q, strconv.Itoa(i), 1))
	}
	require.ErrorIs(c.t, c.putWithin(q, "3", 1), store.ErrQuota)
	require.NoError(c.t, c.putWithin(q, "2", 2))
	c.delete(user, "0")
	c.delete(user, "nothing")
	require.NoError(c.t, c.putWithin(q, "3", 1))
	require.ErrorIs(c.t, c.putWithin(q, "4", 1), store.ErrQuota)
	require.Equal(c.t, []string{"1", "2", "3"}, c.listed(user, store.Query{}))
}

// loweredQuota checks that contents above a quota can be read and made smaller step by step.
func (c *check) loweredQuota() {
	for i := range 10 {
		require.NoError(c.t, c.putWithin(store.Quota{}, strconv.Itoa(i), 100))
	}
	low := store.Quota{Bytes: 500, Entries: 5}
	require.ErrorIs(c.t, c.putWithin(low, "0", 101), store.ErrQuota)
	require.ErrorIs(c.t, c.putWithin(low, "x", 0), store.ErrQuota)
	require.NoError(c.t, c.putWithin(low, "0", 100))
	require.NoError(c.t, c.putWithin(low, "0", 99))
	require.Len(c.t, c.get(user, "9"), 100)
	c.delete(user, "1")
	require.ErrorIs(c.t, c.putWithin(low, "1", 0), store.ErrQuota)
}

// quotaRace writes from several goroutines at once: exactly as much as fits must get in.
func (c *check) quotaRace() {
	const writers, each, fit = 8, 10, 20
	q := store.Quota{Bytes: fit * store.Size("0/0", 10), Entries: fit + 1}
	var workers sync.WaitGroup
	results := make(chan error, writers*each)
	for writer := range writers {
		workers.Go(func() {
			for i := range each {
				results <- c.putWithin(q, strconv.Itoa(writer)+"/"+strconv.Itoa(i), 10)
			}
		})
	}
	workers.Wait()
	close(results)
	for err := range results {
		if err != nil {
			require.ErrorIs(c.t, err, store.ErrQuota)
		}
	}
	require.Len(c.t, c.listed(user, store.Query{}), fit)
	c.delete(user, c.listed(user, store.Query{})[0])
	require.NoError(c.t, c.putWithin(q, "x/x", 10))
	require.ErrorIs(c.t, c.putWithin(q, "y/y", 10), store.ErrQuota)
}
