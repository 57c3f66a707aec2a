package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

// versions checks that a version is never reused, whatever happens to the entry.
func (c *check) versions() {
	last := uint64(0)
	for _, step := range []struct {
		key string
		do  string
	}{
		{"a", "put"},
		{"b", "put"},
		{"a", "put"},
		{"a", "delete"},
		{"b", "delete"},
		{"a", "put"},
		{"a", "expire"},
		{"a", "put"},
		{"a", "expire"},
		{"b", "put"},
		{"b", "expire"},
		{"c", "put"},
	} {
		switch step.do {
		case "delete":
			c.delete(user, step.key)
		case "expire":
			c.clock.wait(time.Hour)
		default:
			require.Equal(c.t, last+1, c.putFor(user, step.key, "x", time.Hour))
			last++
		}
	}
	_, err := c.store.Put(c.t.Context(), user, "c", nil, store.PutOptions{IfVersion: new(last + 1)})
	require.ErrorIs(c.t, err, store.ErrConflict)
	_, err = c.store.Put(c.t.Context(), user, "c", make([]byte, 100), store.PutOptions{Quota: store.Quota{Bytes: 100}})
	require.ErrorIs(c.t, err, store.ErrQuota)
	require.Equal(c.t, last+1, c.put(user, "c", "x"), "a write that failed was none")
}

func (c *check) conditionalPut() {
	put := func(ifVersion uint64, value string) (uint64, error) {
		return c.store.Put(c.t.Context(), user, "a", []byte(value), store.PutOptions{IfVersion: &ifVersion})
	}
	_, err := put(1, "x")
	require.ErrorIs(c.t, err, store.ErrConflict)
	require.Equal(c.t, "-", c.get(user, "a"))

	first, err := put(0, "first")
	require.NoError(c.t, err)
	_, err = put(0, "again")
	require.ErrorIs(c.t, err, store.ErrConflict)
	second, err := put(first, "second")
	require.NoError(c.t, err)
	_, err = put(first, "late")
	require.ErrorIs(c.t, err, store.ErrConflict)
	require.Equal(c.t, "second", c.get(user, "a"))

	c.delete(user, "a")
	_, err = put(second, "late")
	require.ErrorIs(c.t, err, store.ErrConflict)
	third, err := put(0, "second")
	require.NoError(c.t, err)
	for _, old := range []uint64{first, second} {
		_, err = put(old, "late")
		require.ErrorIs(c.t, err, store.ErrConflict, "the same value again is another entry")
	}
	require.Greater(c.t, third, second)
}

func (c *check) conditionalDelete() {
	remove := func(ifVersion uint64) error { return c.store.Delete(c.t.Context(), user, "a", &ifVersion) }
	require.NoError(c.t, remove(0), "there is none, as it should be")
	require.ErrorIs(c.t, remove(1), store.ErrConflict)
	first := c.put(user, "a", "x")
	second := c.put(user, "a", "x")
	require.ErrorIs(c.t, remove(0), store.ErrConflict)
	require.ErrorIs(c.t, remove(first), store.ErrConflict)
	require.Equal(c.t, "x", c.get(user, "a"))
	require.NoError(c.t, remove(second))
	require.Equal(c.t, "-", c.get(user, "a"))
	require.ErrorIs(c.t, remove(second), store.ErrConflict)
}
