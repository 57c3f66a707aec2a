package wire_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

func TestRawType(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ hex, want string }{
		{"", ""},
		{"c1", ""},
		{"d4 01 00", ""},
		{"cd 00", ""},
		{"c0", "null"},
		{"c2", "boolean"},
		{"c3", "boolean"},
		{"07", "integer"},
		{"ff", "integer"},
		{"cf ffffffffffffffff", "integer"},
		{"cb 4000000000000000", "number"},
		{"ca 40000000", "number"},
		{"a0", "string"},
		{"c4 00", "bytes"},
		{"90", "array"},
		{"dd 00000000", "array"},
		{"80", "object"},
		{"de 0000", "object"},
	} {
		t.Run(tc.want+" "+tc.hex, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, wire.Raw(unhex(t, tc.hex)).Type())
		})
	}
}

func TestRawElements(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      []string
		length    int
	}{
		{"scalars and containers", "93 01 92 02 03 81 a1 61 04", []string{"1", "[2,3]", `{"a":4}`}, 3},
		{"none", "90", nil, 0},
		{"a map", "81 a1 61 01", nil, 1},
		{"a scalar", "01", nil, 0},
		{"no value", "", nil, 0},
		{"those before the cut of an array that was not validated", "93 01 02 a5 61", []string{"1", "2"}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			raw := wire.Raw(unhex(t, tc.hex))
			var got []string
			for element := range raw.Elements() {
				require.Equal(t, len(element), cap(element))
				got = append(got, element.JSON())
			}
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.length, raw.Len())
		})
	}
}

func TestRawPairs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      []string
		length    int
	}{
		{"in their order", "82 a1 62 01 a1 61 91 02", []string{"b=1", "a=[2]"}, 2},
		{"none", "80", nil, 0},
		{"an array", "92 a1 61 01", nil, 2},
		{"no value", "", nil, 0},
		{"those before the cut of a map that was not validated", "82 a1 61 01 a5 62", []string{"a=1"}, 2},
		{"those before a cut value", "82 a1 61 01 a1 62 92", []string{"a=1"}, 2},
		{"no key at all", "81", nil, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			raw := wire.Raw(unhex(t, tc.hex))
			var got []string
			for key, value := range raw.Pairs() {
				got = append(got, string(key)+"="+value.JSON())
			}
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.length, raw.Len())
		})
	}
}

func TestIterationMayStop(t *testing.T) {
	t.Parallel()
	for element := range wire.Raw(unhex(t, "92 01 02")).Elements() {
		require.Equal(t, wire.Int(1), element)
		break
	}
	for key := range wire.Raw(unhex(t, "82 a1 61 01 a1 62 02")).Pairs() {
		require.Equal(t, "a", string(key))
		break
	}
}

func TestRawTail(t *testing.T) {
	t.Parallel()
	require.Equal(t, unhex(t, "01 02"), wire.Raw(unhex(t, "92 01 02")).Tail())
	require.Equal(t, unhex(t, "01 02"), wire.Raw(unhex(t, "dc 0002 01 02")).Tail())
	require.Equal(t, unhex(t, "a1 61 01"), wire.Raw(unhex(t, "81 a1 61 01")).Tail())
	require.Empty(t, wire.Raw(unhex(t, "90")).Tail())
	require.Nil(t, wire.Raw(unhex(t, "a1 61")).Tail())
	require.Nil(t, wire.Raw(nil).Tail())
}

func ExampleRaw_Pairs() {
	raw, _ := wire.Of(map[string]any{"days": 3, "city": "Ulm"})
	for key, value := range raw.Pairs() {
		fmt.Println(string(key), value.Type(), value.JSON())
	}
	// Output:
	// city string "Ulm"
	// days integer 3
}
