package storetest

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
)

// vectors checks that vectors are replaced and deleted with their value, and are only read on request.
func (c *check) vectors() {
	put := func(key, vectors string, q store.Quota) error {
		_, err := c.store.Put(c.t.Context(), user, key, []byte("value"), store.PutOptions{NoIndex: true, Vectors: []byte(vectors), Quota: q})
		return err
	}
	kept := func() (out []string) {
		for _, e := range c.list(user, store.Query{Vectors: true}).Items {
			require.Nil(c.t, e.Value)
			out = append(out, e.Key+"="+string(e.Vectors))
		}
		return out
	}
	require.NoError(c.t, put("a", "one", store.Quota{Bytes: store.Size("a", len("value"))}), "vectors do not count")
	require.NoError(c.t, put("b", "two\x00", store.Quota{}))
	require.Equal(c.t, []string{"a=one", "b=two\x00"}, kept())
	require.Nil(c.t, c.list(user, store.Query{Values: true}).Items[0].Vectors)
	require.Nil(c.t, c.entry(user, "a").Vectors)
	require.ErrorIs(c.t, put("a", string(make([]byte, store.MaxVectors+1)), store.Quota{}), store.ErrInvalid)
	require.NoError(c.t, put("a", "other", store.Quota{Bytes: 1, Entries: 1}), "the namespace does not grow")
	require.NoError(c.t, put("b", "", store.Quota{}))
	require.Equal(c.t, []string{"a=other", "b="}, kept(), "a write without vectors removes them")
	c.delete(user, "a")
	require.NoError(c.t, put("a", "", store.Quota{}))
	require.Equal(c.t, []string{"a=", "b="}, kept())
	for i := range store.VectorPage {
		require.NoError(c.t, put(fmt.Sprint("c", i), "v", store.Quota{}))
	}
	page := c.list(user, store.Query{Vectors: true, Limit: store.MaxPage})
	require.Len(c.t, page.Items, store.VectorPage)
	require.True(c.t, page.More)
}
