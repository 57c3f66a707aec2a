package wire_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/agenthost/agenthost/abi/wire"
)

// sameValue compares the meaning of two decoded values. It compares numbers by value and kind, whatever Go type a
// codec chose for them, and floats by their bits.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if v, ok := b[k]; !ok || !sameValue(a[k], v) {
				return false
			}
		}
		return true
	case []byte:
		b, ok := b.([]byte)
		return ok && bytes.Equal(a, b)
	default:
		return plainNumber(a) == plainNumber(b)
	}
}

type floatBits uint64

// plainNumber converts integers to int64, or to uint64 above its range, and floats to their bits as float64.
func plainNumber(v any) any {
	switch v := v.(type) {
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint8:
		return int64(v)
	case uint16:
		return int64(v)
	case uint32:
		return int64(v)
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v)
		}
		return v
	case float32:
		return floatBits(math.Float64bits(float64(v)))
	case float64:
		return floatBits(math.Float64bits(v))
	default:
		return v
	}
}

func TestOfKnowsTheGoTypes(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		nil, true, false, "", "text",
		[]byte{0, 255},
		int(-1), int8(-100), int16(-30000), int32(-1 << 31), int64(math.MinInt64),
		uint(1), uint8(255), uint16(65535), uint32(1<<32 - 1), uint64(math.MaxUint64), 1.5,
		[]any{1, "a", nil, []any{}},
		[]string{"b", "a"},
		map[string]any{"b": 1, "a": map[string]any{"z": nil, "y": 2.5}},
	} {
		t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
			t.Parallel()
			got, err := wire.Of(v)
			require.NoError(t, err)
			require.Equal(t, wire.Raw(oracle(t, v)), got)
			requireCanonical(t, got)

			var want any
			require.NoError(t, msgpack.Unmarshal(got, &want))
			back, err := got.Value()
			require.NoError(t, err)
			require.True(t, sameValue(want, back))
		})
	}
}

func TestOfWritesFloat32AsFloat64(t *testing.T) {
	t.Parallel()
	got, err := wire.Of(float32(1.5))
	require.NoError(t, err)
	require.Equal(t, wire.Float(1.5), got)
}

func TestOfTakesRawsAndMapsAsTheyAre(t *testing.T) {
	t.Parallel()
	got, err := wire.Of([]any{wire.Int(1), wire.Raw(nil), wire.Map{{Key: "a", Value: wire.Bool(true)}}, wire.Map(nil)})
	require.NoError(t, err)
	require.Equal(t, `[1,null,{"a":true},{}]`, got.JSON())
}

func TestOfNamesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	const tail = " has a Go type without a msgpack form; use nil, booleans, numbers, strings, bytes, lists and maps with string keys"
	for _, tc := range []struct {
		name string
		v    any
		path string
	}{
		{"the value itself", struct{}{}, ""},
		{"an element", []any{1, make(chan int)}, "[1]"},
		{"a map value", map[string]any{"a": func() {}}, ".a"},
		{"deep inside", map[string]any{"a": []any{map[string]any{"b": complex(1, 1)}}}, ".a[0].b"},
		{"a named type", []any{floatBits(1)}, "[0]"},
		{"a map with other keys", map[string]any{"a": map[int]any{}}, ".a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.Of(tc.v)
			var typeError *wire.TypeError
			require.ErrorAs(t, err, &typeError)
			require.Equal(t, tc.path, typeError.Path)
			require.EqualError(t, err, "msgpack: the value"+tc.path+tail)
		})
	}
}

func TestValueDecodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      any
	}{
		{"nil", "c0", nil},
		{"a boolean", "c3", true},
		{"a small integer", "07", int64(7)},
		{"the largest int64", "cf 7fffffffffffffff", int64(math.MaxInt64)},
		{"one above it", "cf 8000000000000000", uint64(1 << 63)},
		{"a negative integer", "d0 80", int64(-128)},
		{"a long form", "d3 0000000000000001", int64(1)},
		{"float32", "ca 3fc00000", 1.5},
		{"float64", "cb 3ff8000000000000", 1.5},
		{"a string", "a2 6869", "hi"},
		{"bytes", "c4 02 00ff", []byte{0, 255}},
		{"an empty array", "90", []any{}},
		{"an empty map", "80", map[string]any{}},
		{"a tree", "82 a1 61 92 01 c0 a1 62 81 a0 c2", map[string]any{"a": []any{int64(1), nil}, "b": map[string]any{"": false}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.Raw(unhex(t, tc.hex)).Value()
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestValueSharesNothingWithTheRaw(t *testing.T) {
	t.Parallel()
	raw := wire.Raw(unhex(t, "92 c4 01 07 a1 61"))
	v, err := raw.Value()
	require.NoError(t, err)
	clear(raw)
	require.Equal(t, []any{[]byte{7}, "a"}, v)
}

func TestValueOfNoValueIsAnError(t *testing.T) {
	t.Parallel()
	_, err := wire.Raw(nil).Value()
	require.EqualError(t, err, "msgpack: at byte 0: the document ends where a value is expected")
}

func ExampleRaw_Value() {
	raw, err := wire.Of(map[string]any{"city": "Ulm", "days": 3})
	fmt.Println(err)
	v, err := raw.Value()
	fmt.Printf("%v %v\n", v, err)
	// Output:
	// <nil>
	// map[city:Ulm days:3] <nil>
}
