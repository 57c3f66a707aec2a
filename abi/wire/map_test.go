package wire_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

func mapOf(t testing.TB, values map[string]any) wire.Map {
	t.Helper()
	m, err := wire.MapOf(values)
	require.NoError(t, err)
	return m
}

func TestMapOfSortsKeys(t *testing.T) {
	t.Parallel()
	m := mapOf(t, map[string]any{"b": 1, "aa": 2, "": 3, "a": 4})
	require.Equal(t, wire.Map{{"", wire.Int(3)}, {"a", wire.Int(4)}, {"aa", wire.Int(2)}, {"b", wire.Int(1)}}, m)
	requireCanonical(t, m.Raw())
}

func TestMapOfNamesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	_, err := wire.MapOf(map[string]any{"a": []any{struct{}{}}})
	require.ErrorContains(t, err, "msgpack: the value.a[0] has a Go type")
}

func TestMapGet(t *testing.T) {
	t.Parallel()
	m := mapOf(t, map[string]any{"b": 1, "d": nil})
	require.Equal(t, wire.Int(1), m.Get("b"))
	require.True(t, m.Has("d"))
	require.False(t, m.Get("d").IsZero())
	for _, key := range []string{"", "a", "c", "e", "bb"} {
		require.False(t, m.Has(key), key)
		require.True(t, m.Get(key).IsZero(), key)
	}
	require.False(t, wire.Map(nil).Has("a"))
}

func TestMapSetAndDeleteKeepTheOrder(t *testing.T) {
	t.Parallel()
	var m wire.Map
	require.True(t, m.IsZero())
	for _, key := range []string{"m", "z", "a", "q", "m"} {
		m.Set(key, wire.String(key))
	}
	require.Equal(t, `{"a":"a","m":"m","q":"q","z":"z"}`, m.Raw().JSON())
	m.Delete("m")
	m.Delete("absent")
	m.Delete("z")
	require.Equal(t, `{"a":"a","q":"q"}`, m.Raw().JSON())
}

func TestMapWithLeavesBothMapsAlone(t *testing.T) {
	t.Parallel()
	m := mapOf(t, map[string]any{"a": 1, "b": 2})
	changes := mapOf(t, map[string]any{"b": 3, "c": 4})
	mBefore, changesBefore := slices.Clone(m), slices.Clone(changes)

	both := m.With(changes)
	require.Equal(t, mapOf(t, map[string]any{"a": 1, "b": 3, "c": 4}), both)
	both.Set("a", wire.Int(9))
	both.Delete("b")
	require.Equal(t, mBefore, m)
	require.Equal(t, changesBefore, changes)
	require.Equal(t, m, m.With(nil))
}

func TestMapMarshals(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 15, 16, 65536} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			values := make(map[string]any, n)
			for i := range n {
				values[fmt.Sprintf("%06d", i)] = i
			}
			m := mapOf(t, values)
			b, err := m.MarshalMsg(nil)
			require.NoError(t, err)
			require.LessOrEqual(t, len(b), m.Msgsize())
			want := oracle(t, values)
			require.True(t, slices.Equal(want, b))

			var back wire.Map
			rest, err := back.UnmarshalMsg(append(b, 0xc0))
			require.NoError(t, err)
			require.Equal(t, []byte{0xc0}, rest)
			require.Equal(t, m, back)
		})
	}
}

func TestMapMarshalsNoValueAsNil(t *testing.T) {
	t.Parallel()
	require.Equal(t, wire.Raw(unhex(t, "81 a1 61 c0")), wire.Map{{Key: "a"}}.Raw())
}

func TestMapUnmarshals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      wire.Map
	}{
		{"nil is the empty map", "c0", nil},
		{"the empty map", "80", wire.Map{}},
		{"sorted keys", "82 a1 61 01 a1 62 02", wire.Map{{"a", wire.Int(1)}, {"b", wire.Int(2)}}},
		{"keys that are not sorted", "82 a1 62 02 a1 61 01", wire.Map{{"a", wire.Int(1)}, {"b", wire.Int(2)}}},
		{"values stay as they are", "81 a1 61 82 a1 62 01 a1 61 cd 0001", wire.Map{{"a", unhex(t, "82 a1 62 01 a1 61 cd 0001")}}},
		{"long heads", "df 00000001 d9 01 61 01", wire.Map{{"a", wire.Int(1)}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := unhex(t, tc.hex)
			var m wire.Map
			rest, err := m.UnmarshalMsg(b)
			require.NoError(t, err)
			require.Empty(t, rest)
			clear(b) // m is a copy
			require.Equal(t, tc.want, m)
		})
	}
}

func TestMapUnmarshalRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		offset    int
		reason    string
	}{
		{"nothing", "", 0, endsBefore},
		{"an array", "90", 0, "a map is expected"},
		{"a key that is not a string", "81 01 c0", 1, keyNoString},
		{"a key that is cut", "81 a5 61 62", 1, endsInside},
		{"a missing key", "81", 1, endsBefore},
		{"a missing value", "81 a1 61", 3, endsBefore},
		{"a value that is cut", "81 a1 61 a2 61", 5, endsInside},
		{"a map of four billion pairs", "df ffffffff", 0, claims},
		{"a key twice in a row", "82 a1 61 01 a1 61 01", 0, `the key "a" appears twice in one map`},
		{"a key twice", "83 a1 61 01 a1 62 01 a1 61 01", 0, `the key "a" appears twice in one map`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := unhex(t, tc.hex)
			m := wire.Map{{"x", wire.Int(1)}}
			rest, err := m.UnmarshalMsg(b)
			requireRefused(t, err, tc.offset, tc.reason)
			require.Equal(t, b, rest)
			require.Equal(t, wire.Map{{"x", wire.Int(1)}}, m)
		})
	}
}

func ExampleMap() {
	m, err := wire.MapOf(map[string]any{"calls": 1, "last": "search"})
	fmt.Println(err)

	m.Set("calls", wire.Int(2))
	fmt.Println(m.Raw().JSON())
	calls, ok := m.Get("calls").AsInt()
	fmt.Println(calls, ok)
	// Output:
	// <nil>
	// {"calls":2,"last":"search"}
	// 2 true
}
