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
		`the namespace is empty`:                          nil,
		`the namespace ["a" ""] contains an empty name`:   {"a", ""},
		`the namespace is not UTF-8`:                      {"\xff"},
		`the namespace contains a control character`:      {"a", "b\x1fc"},
		`the namespace has 2000 bytes; the limit is 1024`: {long},
		`the namespace has 1025 bytes; the limit is 1024`: {long[:500], long[:524]},
	} {
		_, _, err := s.Get(ctx, ns, "k")
		require.EqualError(t, err, "invalid request to the store: "+want)
	}
	for want, key := range map[string]string{
		`the key is empty`:                         "",
		`the key is not UTF-8`:                     "\xff",
		`the key contains a control character`:     "\t",
		`the key has 2000 bytes; the limit is 512`: long,
	} {
		require.EqualError(t, s.Delete(ctx, user, key, nil), "invalid request to the store: "+want)
	}
	for want, o := range map[string]store.PutOptions{
		`invalid request to the store: the TTL is -1s; it must be at least 1µs, or 0 for none`:                             {TTL: -time.Second},
		`invalid request to the store: the quota is -1 bytes and 0 entries; neither may be negative, and 0 means no limit`: {Quota: store.Quota{Bytes: -1}},
		`the quota of the store is exceeded: the entries would take 69 bytes; the limit is 10`:                             {Quota: store.Quota{Bytes: 10}},
		`the entry has another version; read it again`:                                                                     {IfVersion: new(uint64(7))},
	} {
		_, err := s.Put(ctx, user, "key", []byte("ab"), o)
		require.EqualError(t, err, want)
	}
	_, err := s.Put(ctx, user, "key", make([]byte, store.MaxValue+1), store.PutOptions{})
	require.EqualError(t, err, "the quota of the store is exceeded: the value has 16777217 bytes; the limit is 16777216")
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
	require.ErrorContains(t, err, `entry "now" of ["users" "42"]: a value of type time.Time cannot be stored`)
	_, err = s.Put(ctx, user, "nonsense", []byte{0xc1}, store.PutOptions{})
	require.NoError(t, err, "a value has any form")
	_, _, err = store.Get[map[string]int](ctx, s, user, "nonsense")
	require.Error(t, err)
	_, _, err = store.Get[int](ctx, s, nil, "a")
	require.ErrorIs(t, err, store.ErrInvalid)
}
