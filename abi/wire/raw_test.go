package wire_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

func TestRawAsInt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      int64
		ok        bool
	}{
		{"a small one", "07", 7, true},
		{"a negative one", "ff", -1, true},
		{"the smallest", "d3 8000000000000000", math.MinInt64, true},
		{"the largest", "cf 7fffffffffffffff", math.MaxInt64, true},
		{"a long form", "d3 0000000000000007", 7, true},
		{"one above int64", "cf 8000000000000000", 0, false},
		{"a float", "cb 3ff0000000000000", 0, false},
		{"a string", "a1 37", 0, false},
		{"nil", "c0", 0, false},
		{"no value", "", 0, false},
		{"bytes behind it", "07 07", 0, false},
		{"a cut one", "cd 00", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := wire.Raw(unhex(t, tc.hex)).AsInt()
			require.Equal(t, tc.ok, ok)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestRawAsUint(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      uint64
		ok        bool
	}{
		{"a small one", "07", 7, true},
		{"the largest", "cf ffffffffffffffff", math.MaxUint64, true},
		{"a signed form", "d3 0000000000000007", 7, true},
		{"a negative one", "ff", 0, false},
		{"the smallest", "d3 8000000000000000", 0, false},
		{"a float", "cb 3ff0000000000000", 0, false},
		{"nil", "c0", 0, false},
		{"no value", "", 0, false},
		{"bytes behind it", "07 07", 0, false},
		{"a cut one", "cd 00", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := wire.Raw(unhex(t, tc.hex)).AsUint()
			require.Equal(t, tc.ok, ok)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestRawAsFloat(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      float64
		ok        bool
	}{
		{"float64", "cb 3ff8000000000000", 1.5, true},
		{"float32", "ca 3fc00000", 1.5, true},
		{"an integer", "07", 7, true},
		{"a negative integer", "ff", -1, true},
		{"the largest integer", "cf ffffffffffffffff", math.MaxUint64, true},
		{"NaN", "cb 7ff8000000000000", 0, false},
		{"a string", "a1 37", 0, false},
		{"no value", "", 0, false},
		{"bytes behind it", "cb 3ff8000000000000 c0", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := wire.Raw(unhex(t, tc.hex)).AsFloat()
			require.Equal(t, tc.ok, ok)
			require.InDelta(t, tc.want, got, 0)
		})
	}
}

func TestRawAsString(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex, want string
		ok              bool
	}{
		{"a short one", "a2 6869", "hi", true},
		{"an empty one", "a0", "", true},
		{"a long form", "db 00000002 6869", "hi", true},
		{"bytes", "c4 02 6869", "", false},
		{"nil", "c0", "", false},
		{"no value", "", "", false},
		{"a cut one", "a2 68", "", false},
		{"bytes behind it", "a2 6869 c0", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := wire.Raw(unhex(t, tc.hex)).AsString()
			require.Equal(t, tc.ok, ok)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestRawAsBool(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		hex      string
		want, ok bool
	}{{"c3", true, true}, {"c2", false, true}, {"c0", false, false}, {"01", false, false}, {"c3 c3", false, false}, {"", false, false}} {
		t.Run(tc.hex, func(t *testing.T) {
			t.Parallel()
			got, ok := wire.Raw(unhex(t, tc.hex)).AsBool()
			require.Equal(t, tc.ok, ok)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestRawAsBytes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      []byte
		ok        bool
	}{
		{"bytes", "c4 02 00ff", []byte{0, 255}, true},
		{"no bytes", "c4 00", []byte{}, true},
		{"a long form", "c6 00000001 07", []byte{7}, true},
		{"a string", "a1 07", nil, false},
		{"a cut one", "c4 02 00", nil, false},
		{"bytes behind it", "c4 01 00 00", nil, false},
		{"no value", "", nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := wire.Raw(unhex(t, tc.hex)).AsBytes()
			require.Equal(t, tc.ok, ok)
			require.Equal(t, tc.want, got)
			require.Equal(t, len(got), cap(got))
		})
	}
}

func TestRawItems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      []string // hex
		ok        bool
	}{
		{"scalars", "93 01 a1 61 c0", []string{"01", "a1 61", "c0"}, true},
		{"containers", "92 92 01 02 81 a1 61 90", []string{"92 01 02", "81 a1 61 90"}, true},
		{"none", "90", []string{}, true},
		{"a map", "80", nil, false},
		{"a string", "a0", nil, false},
		{"no value", "", nil, false},
		{"an array that was not validated", "dd ffffffff", nil, false},
		{"an array that is cut", "93 01 a2 61", nil, false},
		{"an array whose element claims too much", "92 01 dd ffffffff", nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			items, ok := wire.Raw(unhex(t, tc.hex)).Items()
			require.Equal(t, tc.ok, ok)
			require.Len(t, items, len(tc.want))
			for i, item := range items {
				require.Equal(t, wire.Raw(unhex(t, tc.want[i])), item)
				require.Equal(t, len(item), cap(item))
			}
		})
	}
}

func TestRawSeek(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex, key string
		want           string // hex; "": none
	}{
		{"the first", "82 a1 61 01 a1 62 02", "a", "01 a1 62 02"},
		{"the last, behind containers", "83 a1 61 92 01 02 a1 62 81 a1 63 03 a1 63 04", "c", "04"},
		{"an inner key", "81 a1 62 81 a1 63 03", "c", ""},
		{"a value that is equal", "81 a1 62 a1 63", "c", ""},
		{"the empty key", "81 a0 05", "", "05"},
		{"no map", "92 a1 61 01", "a", ""},
		{"no value", "", "a", ""},
		{"a key that is not a string", "81 01 02", "a", ""},
		{"a map that claims too much", "df ffffffff a1 61", "b", ""},
		{"a key that is cut", "81 a2 61", "a", ""},
		{"a value that is cut", "82 a1 61 a2 61", "b", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := wire.Raw(unhex(t, tc.hex)).Seek(tc.key)
			if tc.want == "" {
				require.Nil(t, got)
				return
			}
			require.Equal(t, unhex(t, tc.want), got)
		})
	}
}

func TestRawKinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex                   string
		isZero, isNil, isMap, isArr bool
	}{
		{"no value", "", true, true, false, false},
		{"nil", "c0", false, true, false, false},
		{"zero", "00", false, false, false, false},
		{"a map", "81 a0 c0", false, false, true, false},
		{"a long map", "de 0000", false, false, true, false},
		{"an array", "91 c0", false, false, false, true},
		{"a long array", "dd 00000000", false, false, false, true},
		{"an extension", "d4 01 00", false, false, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			raw := wire.Raw(unhex(t, tc.hex))
			require.Equal(t, tc.isZero, raw.IsZero())
			require.Equal(t, tc.isNil, raw.IsNil())
			require.Equal(t, tc.isMap, raw.IsMap())
			require.Equal(t, tc.isArr, raw.IsArray())
		})
	}
}

func TestRawCloneSharesNothing(t *testing.T) {
	t.Parallel()
	raw := wire.String("text")
	clone := raw.Clone()
	require.True(t, raw.Equal(clone))
	clone[1] = 'T'
	require.False(t, raw.Equal(clone))
	require.Nil(t, wire.Raw(nil).Clone())
}

func TestRawMarshals(t *testing.T) {
	t.Parallel()
	b, err := wire.String("a").MarshalMsg([]byte{1})
	require.NoError(t, err)
	require.Equal(t, unhex(t, "01 a1 61"), b)
	require.Equal(t, 2, wire.String("a").Msgsize())

	b, err = wire.Raw(nil).MarshalMsg(nil)
	require.NoError(t, err)
	require.Equal(t, unhex(t, "c0"), b)
	require.Equal(t, 1, wire.Raw(nil).Msgsize())
}

func TestRawUnmarshalsTheFirstValue(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex, value, rest string }{
		{"a scalar", "01 02", "01", "02"},
		{"a float", "cb 3ff0000000000000 c0", "cb 3ff0000000000000", "c0"},
		{"a string", "a2 6869", "a2 6869", ""},
		{"bytes", "c4 01 07 c0", "c4 01 07", "c0"},
		{"an array", "92 01 91 02 03", "92 01 91 02", "03"},
		{"a map", "81 a1 61 81 a1 62 01 c0", "81 a1 61 81 a1 62 01", "c0"},
		{"a map with keys that are not strings", "81 01 02 03", "81 01 02", "03"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := unhex(t, tc.hex)
			var raw wire.Raw
			rest, err := raw.UnmarshalMsg(b)
			require.NoError(t, err)
			require.Equal(t, unhex(t, tc.rest), rest)
			clear(b) // raw is a copy
			require.Equal(t, wire.Raw(unhex(t, tc.value)), raw)
		})
	}
}

func TestRawUnmarshalRefusesWhatIsNotWhole(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		offset    int
		reason    string
	}{
		{"nothing", "", 0, endsBefore},
		{"half a head", "cd 00", 0, endsInside},
		{"half a string", "a2 61", 2, endsInside},
		{"half a string in an array", "92 c0 a2 61", 4, endsInside},
		{"an array of four billion", "dd ffffffff", 0, claims},
		{"an array that claims too much", "93 c0", 1, claimsLeft},
		{"a map that claims too much", "82 a0 c0 a0", 1, claimsLeft},
		{"an array whose first element takes all bytes", "92 a1 61", 3, claimsLeft},
		{"an extension", "d4 01 00", 0, noExtensions},
		{"the byte that is not a type", "91 c1", 1, "0xc1 is not a msgpack type"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := unhex(t, tc.hex)
			raw := wire.Int(1)
			rest, err := raw.UnmarshalMsg(b)
			requireRefused(t, err, tc.offset, tc.reason)
			require.Equal(t, b, rest)
			require.Equal(t, wire.Int(1), raw)
		})
	}
}

func ExampleRaw() {
	raw := wire.String("hello")
	text, ok := raw.AsString()
	fmt.Println(text, ok)
	_, ok = raw.AsInt()
	fmt.Println(ok)
	// Output:
	// hello true
	// false
}
