package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
)

var user = store.Namespace{"users", "42"}

func TestErrorsNameWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, ctx := memory.New(), t.Context()
	long := strings.Repeat("n", 2000)
	for want, ns := range map[string]store.Namespace{
		`an empty namespace`:                      nil,
		`a namespace ["a" ""] with an empty name`: {"a", ""},
		`a namespace that is not UTF-8`:           {"\xff"},
		`a namespace with a control character`:    {"a", "b\x1fc"},
		`a namespace of 2000 bytes; at most 1024`: {long},
		`a namespace of 1025 bytes; at most 1024`: {long[:500], long[:524]},
	} {
		_, _, err := s.Get(ctx, ns, "k")
		require.EqualError(t, err, "nothing that there can be in a store: "+want)
	}
	for want, key := range map[string]string{
		`an empty key`:                     "",
		`a key that is not UTF-8`:          "\xff",
		`a key with a control character`:   "\t",
		`a key of 2000 bytes; at most 512`: long,
	} {
		require.EqualError(t, s.Delete(ctx, user, key, nil), "nothing that there can be in a store: "+want)
	}
	for want, o := range map[string]store.PutOptions{
		`nothing that there can be in a store: a TTL of -1s; at least 1µs, or 0 for none`:           {TTL: -time.Second},
		`nothing that there can be in a store: a quota of -1 bytes and 0 entries; 0 means no limit`: {Quota: store.Quota{Bytes: -1}},
		`beyond the quota: 69 bytes; at most 10`:                                                    {Quota: store.Quota{Bytes: 10}},
		`the entry has another version; read it again`:                                              {IfVersion: new(uint64(7))},
	} {
		_, err := s.Put(ctx, user, "key", []byte("ab"), o)
		require.EqualError(t, err, want)
	}
	_, err := s.Put(ctx, user, "key", make([]byte, store.MaxValue+1), store.PutOptions{})
	require.EqualError(t, err, "beyond the quota: a value of 16777217 bytes; at most 16777216")
}

// TestPathsHaveTheOrderOfNamespaces holds what stores that keep paths rely on.
func TestPathsHaveTheOrderOfNamespaces(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(rapid.SampledFrom([]string{"a", "a ", " ", "!", "ab"}), rapid.StringMatching(`[ !a-cÄ~/]{1,3}`))
	path := rapid.SliceOfN(name, 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		one, other := store.Namespace(path.Draw(t, "one")), store.Namespace(path.Draw(t, "other"))
		require.Equal(t, one.Compare(other), strings.Compare(one.Path(), other.Path()))
		require.Equal(t, one, store.ParsePath(one.Path()))
		from, before := one.Range()
		isIn := len(other) >= len(one) && slices.Equal(other[:len(one)], one)
		require.Equal(t, isIn, string(from) <= other.Path() && other.Path() < string(before))
		from, before = store.Namespace(nil).Range()
		require.True(t, string(from) <= one.Path() && one.Path() < string(before))
	})
}

type preferences struct {
	Language string         `msgpack:"language"`
	Seen     map[string]int `msgpack:"seen"`
}

func TestValues(t *testing.T) {
	t.Parallel()
	s, ctx := memory.New(), t.Context()
	none, version, err := store.Get[preferences](ctx, s, user, "preferences")
	require.NoError(t, err)
	require.Zero(t, none)
	require.Zero(t, version)

	want := preferences{Language: "de", Seen: map[string]int{"b": 2, "a": 1}}
	put, err := store.Put(ctx, s, user, "preferences", want, store.PutOptions{IfVersion: &version})
	require.NoError(t, err)
	got, version, err := store.Get[preferences](ctx, s, user, "preferences")
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, put, version)
	raw, _, err := store.Get[wire.Raw](ctx, s, user, "preferences")
	require.NoError(t, err)
	require.Equal(t, `{"language":"de","seen":{"a":1,"b":2}}`, raw.JSON())

	_, _, err = store.Get[int](ctx, s, user, "preferences")
	require.ErrorContains(t, err, `entry "preferences" of ["users" "42"]: `)
	_, err = store.Put(ctx, s, user, "now", time.Now(), store.PutOptions{})
	require.ErrorContains(t, err, `entry "now" of ["users" "42"]: a value of type time.Time cannot be kept`)
	_, err = s.Put(ctx, user, "nonsense", []byte{0xc1}, store.PutOptions{})
	require.NoError(t, err, "a value has any form")
	_, _, err = store.Get[map[string]int](ctx, s, user, "nonsense")
	require.Error(t, err)
	_, _, err = store.Get[int](ctx, s, nil, "a")
	require.ErrorIs(t, err, store.ErrInvalid)
}
