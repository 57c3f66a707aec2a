package kvtest

import (
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/kv"
)

// versions checks that a version that was given means the same for ever, whatever happens to the entry.
func (c *check) versions() {
	seen := map[uint64]bool{}
	last := uint64(0)
	for _, step := range []struct{ key, value string }{
		{"a", "x"}, {"b", "x"}, {"a", "x"}, {"a", "-"}, {"b", "-"}, {"a", "x"}, {"a", "-"}, {"a", "x"}, {"c", "x"},
	} {
		if step.value == "-" {
			c.delete(thread, step.key)
			continue
		}
		version := c.put(thread, step.key, step.value)
		require.False(c.t, seen[version])
		require.Greater(c.t, version, last)
		seen[version], last = true, version
	}
}

func (c *check) conditionalPut() {
	put := func(ifVersion uint64, value string) (uint64, error) {
		return c.store.Put(c.t.Context(), thread, "a", []byte(value), kv.PutOptions{IfVersion: &ifVersion})
	}
	_, err := put(1, "x")
	require.ErrorIs(c.t, err, kv.ErrConflict)
	require.Equal(c.t, "-", c.get(thread, "a"))

	first, err := put(0, "first")
	require.NoError(c.t, err)
	_, err = put(0, "again")
	require.ErrorIs(c.t, err, kv.ErrConflict)
	second, err := put(first, "second")
	require.NoError(c.t, err)
	_, err = put(first, "late")
	require.ErrorIs(c.t, err, kv.ErrConflict)
	require.Equal(c.t, "second", c.get(thread, "a"))

	c.delete(thread, "a")
	_, err = put(second, "late")
	require.ErrorIs(c.t, err, kv.ErrConflict)
	third, err := put(0, "second")
	require.NoError(c.t, err)
	for _, old := range []uint64{first, second} {
		_, err = put(old, "late")
		require.ErrorIs(c.t, err, kv.ErrConflict, "the same value again is another entry")
	}
	require.Greater(c.t, third, second)
}

func (c *check) conditionalDelete() {
	remove := func(ifVersion uint64) error { return c.store.Delete(c.t.Context(), thread, "a", &ifVersion) }
	require.NoError(c.t, remove(0), "there is none, as it should be")
	require.ErrorIs(c.t, remove(1), kv.ErrConflict)
	first := c.put(thread, "a", "x")
	second := c.put(thread, "a", "x")
	require.ErrorIs(c.t, remove(0), kv.ErrConflict)
	require.ErrorIs(c.t, remove(first), kv.ErrConflict)
	require.Equal(c.t, "x", c.get(thread, "a"))
	require.NoError(c.t, remove(second))
	require.Equal(c.t, "-", c.get(thread, "a"))
	require.ErrorIs(c.t, remove(second), kv.ErrConflict)
}
