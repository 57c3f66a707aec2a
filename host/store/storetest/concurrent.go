package storetest

import (
	"errors"
	"strconv"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

// atOnce runs do in several goroutines at once.
func (c *check) atOnce(workers int, do func(n int) error) {
	c.t.Helper()
	var group sync.WaitGroup
	failures := make(chan error, workers)
	for n := range workers {
		group.Go(func() { failures <- do(n) })
	}
	group.Wait()
	close(failures)
	for err := range failures {
		require.NoError(c.t, err)
	}
}

// race updates one entry from several goroutines at once: each increments it, and retries on a conflict.
func (c *check) race() {
	const writers, each = 8, 10
	c.atOnce(writers, func(int) error {
		for done := 0; done < each; {
			count, version, err := store.Get[int](c.t.Context(), c.store, user, "count")
			if err != nil {
				return err
			}
			_, err = store.Put(c.t.Context(), c.store, user, "count", count+1, store.PutOptions{IfVersion: &version})
			switch {
			case err == nil:
				done++
			case !errors.Is(err, store.ErrConflict):
				return err
			}
		}
		return nil
	})
	count, version, err := store.Get[int](c.t.Context(), c.store, user, "count")
	require.NoError(c.t, err)
	require.Equal(c.t, writers*each, count)
	require.EqualValues(c.t, writers*each, version)
}

func (c *check) concurrent() {
	const spaces, entries = 8, 20
	space := func(n int) store.Namespace { return store.Namespace{"users", strconv.Itoa(n)} }
	c.atOnce(spaces, func(n int) error {
		for i := range entries {
			if _, err := c.store.Put(c.t.Context(), space(n), strconv.Itoa(i), []byte(strconv.Itoa(n)), store.PutOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
	require.Len(c.t, c.spaces("users"), spaces)
	for n := range spaces {
		require.Len(c.t, c.listed(space(n), store.Query{}), entries)
		require.Equal(c.t, strconv.Itoa(n), c.get(space(n), "0"))
	}
}

// dropRace drops a namespace repeatedly while others write to it. The final state must be consistent: the quota must count
// exactly the entries that exist.
func (c *check) dropRace() {
	const writers, each = 4, 25
	q := store.Quota{Entries: writers * each}
	c.atOnce(writers+1, func(n int) error {
		for i := range each {
			var err error
			if n == writers {
				err = c.store.Drop(c.t.Context(), user[:1])
			} else {
				err = c.putWithin(q, strconv.Itoa(n*each+i), 1)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	present := c.listed(user, store.Query{Limit: store.MaxPage})
	for _, key := range present {
		c.delete(user, key)
	}
	require.Empty(c.t, c.spaces())
	for i := range writers * each {
		require.NoError(c.t, c.putWithin(q, strconv.Itoa(i), 1))
	}
	require.ErrorIs(c.t, c.putWithin(q, "one more", 1), store.ErrQuota)
}
