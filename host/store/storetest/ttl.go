package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

func (c *check) expires() {
	other := store.Namespace{"users", "43"}
	c.putFor(user, "short", "x", store.Resolution)
	c.putFor(user, "a", "x", 2*time.Hour)
	c.putFor(other, "a", "x", time.Hour)
	c.put(user, "for ever", "x")
	c.putFor(user, "the longest", "x", 1<<63-1)
	require.Equal(c.t, []string{"a", "for ever", "short", "the longest"}, c.listed(user, store.Query{}))

	c.clock.wait(store.Resolution)
	require.Equal(c.t, []string{"a", "for ever", "the longest"}, c.listed(user, store.Query{}))
	c.clock.wait(2*time.Hour - 2*store.Resolution)
	require.Equal(c.t, "-", c.get(other, "a"))
	require.Equal(c.t, "x", c.get(user, "a"), "it lives up to the last moment")
	require.Equal(c.t, []store.Namespace{user}, c.spaces("users"))
	c.clock.wait(store.Resolution)
	require.Equal(c.t, "-", c.get(user, "a"), "at that moment it is gone")
	require.Equal(c.t, []string{"for ever", "the longest"}, c.listed(user, store.Query{}))
	c.clock.wait(200 * 365 * 24 * time.Hour)
	require.Equal(c.t, []string{"for ever", "the longest"}, c.listed(user, store.Query{}))
}

// expiredIsAbsent checks every operation that might still see an expired entry.
func (c *check) expiredIsAbsent() {
	two := store.Quota{Bytes: 2 * store.Size("a", 10), Entries: 2}
	put := func(key string, o store.PutOptions) (uint64, error) {
		return c.store.Put(c.t.Context(), user, key, make([]byte, 10), o)
	}
	for _, key := range []string{"a", "b"} {
		_, err := put(key, store.PutOptions{TTL: time.Hour, Quota: two})
		require.NoError(c.t, err)
	}
	_, err := put("c", store.PutOptions{Quota: two})
	require.ErrorIs(c.t, err, store.ErrQuota)
	c.clock.wait(time.Hour)

	_, err = put("a", store.PutOptions{IfVersion: new(uint64(1)), Quota: two})
	require.ErrorIs(c.t, err, store.ErrConflict)
	require.ErrorIs(c.t, c.store.Delete(c.t.Context(), user, "a", new(uint64(1))), store.ErrConflict)
	require.NoError(c.t, c.store.Delete(c.t.Context(), user, "a", new(uint64(0))))
	require.Empty(c.t, c.list(user, store.Query{Limit: 1}))
	require.Empty(c.t, c.spaces())

	version, err := put("a", store.PutOptions{IfVersion: new(uint64(0)), Quota: two})
	require.NoError(c.t, err)
	require.EqualValues(c.t, 3, version)
	require.Equal(c.t, start.Add(time.Hour), c.entry(user, "a").Created, "what expired is another entry")
	require.False(c.t, c.list(user, store.Query{Limit: 1}).More)
	_, err = put("c", store.PutOptions{Quota: two})
	require.NoError(c.t, err, "the quota has room for two again")
	_, err = put("b", store.PutOptions{Quota: two})
	require.ErrorIs(c.t, err, store.ErrQuota, "and not for more")
	c.delete(user, "c")
	_, err = put("b", store.PutOptions{Quota: two})
	require.NoError(c.t, err)
}

// replacesExpired checks that a write that replaces an expired entry is counted like the original one.
func (c *check) replacesExpired() {
	c.putFor(user, "a", "one", time.Hour)
	c.clock.wait(time.Hour)
	require.EqualValues(c.t, 2, c.put(user, "a", "two"))
	require.Equal(c.t, start.Add(time.Hour), c.entry(user, "a").Created)
	require.Equal(c.t, []string{"a"}, c.listed(user, store.Query{}))
	q := store.Quota{Bytes: 2 * store.Size("a", 3), Entries: 2}
	require.NoError(c.t, c.putWithin(q, "b", 3))
	require.ErrorIs(c.t, c.putWithin(q, "c", 3), store.ErrQuota)
	c.delete(user, "a")
	require.NoError(c.t, c.putWithin(q, "c", 3))
	require.ErrorIs(c.t, c.putWithin(q, "d", 3), store.ErrQuota)
}

func (c *check) renews() {
	c.putFor(user, "longer", "x", time.Hour)
	c.putFor(user, "shorter", "x", 3*time.Hour)
	c.putFor(user, "for ever", "x", time.Hour)
	c.putFor(user, "deleted", "x", time.Hour)
	c.clock.wait(30 * time.Minute)
	c.putFor(user, "longer", "x", time.Hour)
	c.putFor(user, "shorter", "x", time.Hour)
	c.put(user, "for ever", "x")
	c.delete(user, "deleted")
	c.put(user, "deleted", "again")
	require.Equal(c.t, start.Add(90*time.Minute), c.entry(user, "longer").Expires)

	c.clock.wait(30 * time.Minute)
	require.Equal(c.t, []string{"deleted", "for ever", "longer", "shorter"}, c.listed(user, store.Query{}))
	c.clock.wait(30 * time.Minute)
	require.Equal(c.t, []string{"deleted", "for ever"}, c.listed(user, store.Query{}))

	c.putFor(user, "a", "x", time.Hour)
	c.drop(user)
	c.put(user, "a", "x")
	c.clock.wait(time.Hour)
	require.Equal(c.t, "x", c.get(user, "a"), "what was dropped takes nothing with it when its time comes")
}
