package backend_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
)

// The files are entries of the agent's store, below "files", whatever the namespace.
func TestStoreKeepsFilesAsEntries(t *testing.T) {
	t.Parallel()
	values := memory.New()
	env := host.Env{Store: values}
	files := viewOf(t, open(t, backend.Store{Namespace: backend.Namespace("users", "ada")}, env))
	require.NoError(t, files.Write(t.Context(), "/a/b.txt", []byte("text\xff")))
	entry, found, err := values.Get(t.Context(), store.Namespace{"files", "users", "ada"}, "/a/b.txt")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "text\xff", string(entry.Value))

	other := viewOf(t, open(t, backend.Store{Namespace: backend.Namespace("users")}, env))
	require.Empty(t, walk(t.Context(), t, other, "/"), "a namespace above sees none of them")
}

func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	_, err := backend.Store{Namespace: backend.Namespace("a")}.Open(t.Context(), host.Env{}, backend.Options{})
	require.EqualError(t, err, "store: the agent has no store; set host.Config.Store")
	_, err = backend.Store{Values: memory.New()}.Open(t.Context(), host.Env{}, backend.Options{})
	require.EqualError(t, err, "store: the namespace is missing; name where the files are, such as [notes]")

	none := viewOf(t, open(t, backend.Store{Namespace: backend.Namespace(), Values: memory.New()}, host.Env{}))
	for _, err := range []error{
		none.Write(t.Context(), "/a", nil), none.Remove(t.Context(), "/a"), second(none.Stat(t.Context(), "/a")), second(none.List(t.Context(), "/")),
		second(none.Edit(t.Context(), "/a", backend.Edit{Old: "a", New: "b"})),
	} {
		require.ErrorContains(t, err, "the namespace is empty")
	}
	files := viewOf(t, open(t, newStore(), host.Env{}))
	long := "/" + strings.Repeat("x", store.MaxKey)
	require.True(t, backend.Is(files.Write(t.Context(), long, nil), backend.BadPath))
	require.True(t, backend.Is(second(files.List(t.Context(), long)), backend.NotFound))
}

func second[T any](_ T, err error) error { return err }

func TestStoreIsFull(t *testing.T) {
	t.Parallel()
	files := viewOf(t, open(t, backend.Store{
		Namespace: backend.Namespace("a"), Values: memory.New(), Quota: store.Quota{Bytes: 1000},
	}, host.Env{}))
	require.NoError(t, files.Write(t.Context(), "/a", make([]byte, 800)))
	err := files.Write(t.Context(), "/b", make([]byte, 800))
	require.True(t, backend.Is(err, backend.Full))
	require.ErrorContains(t, err, "File '/b' cannot be written: the quota of the store is exceeded")
	require.NoError(t, files.Remove(t.Context(), "/a"))
	require.NoError(t, files.Write(t.Context(), "/b", make([]byte, 800)))
}

// Lists and walks take several pages of the store.
func TestStoreOfManyFiles(t *testing.T) {
	t.Parallel()
	files := viewOf(t, open(t, newStore(), host.Env{}))
	const many = store.MaxPage + 10
	for i := range many {
		require.NoError(t, files.Write(t.Context(), fmt.Sprintf("/dir/%04d", i), nil))
		require.NoError(t, files.Write(t.Context(), fmt.Sprintf("/dir%04d/file", i), nil))
	}
	infos, err := files.List(t.Context(), "/")
	require.NoError(t, err)
	require.Len(t, infos, many+1)
	infos, err = files.List(t.Context(), "/dir")
	require.NoError(t, err)
	require.Len(t, infos, many)
	require.Len(t, strings.Fields(walk(t.Context(), t, files, "/")), 2*many)
	require.NoError(t, files.Remove(t.Context(), "/dir"))
	require.Len(t, strings.Fields(walk(t.Context(), t, files, "/")), many)
}

// A list reads each entry below the directory at most once, whether there are many small subdirectories or few large ones.
func TestStoreListsInProportion(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]struct{ dirs, files, read, lists int }{
		"many small subdirectories": {dirs: 5 * store.MaxPage, files: 1, read: 5 * store.MaxPage, lists: 5},
		"few large subdirectories":  {dirs: 2, files: 3 * store.MaxPage, read: 2 * store.MaxPage, lists: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := &countedLists{Store: memory.New()}
			for i := range shape.dirs {
				for k := range shape.files {
					_, err := values.Put(t.Context(), store.Namespace{"files", "a"}, fmt.Sprintf("/%04d/%04d", i, k), nil, store.PutOptions{})
					require.NoError(t, err)
				}
			}
			files := viewOf(t, open(t, backend.Store{Namespace: backend.Namespace("a"), Values: values}, host.Env{}))
			infos, err := files.List(t.Context(), "/")
			require.NoError(t, err)
			require.Len(t, infos, shape.dirs)
			require.LessOrEqual(t, values.lists, shape.lists)
			require.LessOrEqual(t, values.read, shape.read)
		})
	}
}

// A subdirectory whose path leaves no room for a key after its entries is read page by page.
func TestStoreListsLongPaths(t *testing.T) {
	t.Parallel()
	files := viewOf(t, open(t, newStore(), host.Env{}))
	dir := "/" + strings.Repeat("x", store.MaxKey-6)
	for i := range store.MaxPage + 10 {
		require.NoError(t, files.Write(t.Context(), fmt.Sprintf("%s/%04d", dir, i), nil))
	}
	require.NoError(t, files.Write(t.Context(), "/z", nil))
	infos, err := files.List(t.Context(), "/")
	require.NoError(t, err)
	require.Len(t, infos, 2)
}

// countedLists counts the lists of a store and the entries in them.
type countedLists struct {
	store.Store
	lists, read int
}

func (c *countedLists) List(ctx context.Context, ns store.Namespace, q store.Query) (store.Page[store.Entry], error) {
	page, err := c.Store.List(ctx, ns, q)
	c.lists++
	c.read += len(page.Items)
	return page, err
}
