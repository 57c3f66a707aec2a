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

func TestCanonicalShortensNumbers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex, want string }{
		{"0 as uint8", "cc 00", "00"},
		{"127 as uint8", "cc 7f", "7f"},
		{"128 as uint8", "cc 80", "cc 80"},
		{"127 as uint16", "cd 007f", "7f"},
		{"128 as uint16", "cd 0080", "cc 80"},
		{"255 as uint16", "cd 00ff", "cc ff"},
		{"256 as uint16", "cd 0100", "cd 0100"},
		{"255 as uint32", "ce 000000ff", "cc ff"},
		{"256 as uint32", "ce 00000100", "cd 0100"},
		{"65535 as uint32", "ce 0000ffff", "cd ffff"},
		{"65536 as uint32", "ce 00010000", "ce 00010000"},
		{"1 as uint64", "cf 0000000000000001", "01"},
		{"65536 as uint64", "cf 0000000000010000", "ce 00010000"},
		{"2³²−1 as uint64", "cf 00000000ffffffff", "ce ffffffff"},
		{"2³² as uint64", "cf 0000000100000000", "cf 0000000100000000"},
		{"2⁶⁴−1", "cf ffffffffffffffff", "cf ffffffffffffffff"},

		{"0 as int8", "d0 00", "00"},
		{"127 as int8", "d0 7f", "7f"},
		{"127 as int16", "d1 007f", "7f"},
		{"128 as int16", "d1 0080", "cc 80"},
		{"255 as int32", "d2 000000ff", "cc ff"},
		{"32767 as int16", "d1 7fff", "cd 7fff"},
		{"65536 as int32", "d2 00010000", "ce 00010000"},
		{"2³¹−1 as int32", "d2 7fffffff", "ce 7fffffff"},
		{"2³² as int64", "d3 0000000100000000", "cf 0000000100000000"},
		{"2⁶³−1 as int64", "d3 7fffffffffffffff", "cf 7fffffffffffffff"},

		{"-1", "ff", "ff"},
		{"-32", "e0", "e0"},
		{"-1 as int8", "d0 ff", "ff"},
		{"-32 as int8", "d0 e0", "e0"},
		{"-33 as int8", "d0 df", "d0 df"},
		{"-32 as int16", "d1 ffe0", "e0"},
		{"-128 as int16", "d1 ff80", "d0 80"},
		{"-129 as int16", "d1 ff7f", "d1 ff7f"},
		{"-128 as int32", "d2 ffffff80", "d0 80"},
		{"-32768 as int32", "d2 ffff8000", "d1 8000"},
		{"-32769 as int32", "d2 ffff7fff", "d2 ffff7fff"},
		{"-1 as int64", "d3 ffffffffffffffff", "ff"},
		{"-2³¹ as int64", "d3 ffffffff80000000", "d2 80000000"},
		{"-2³¹−1 as int64", "d3 ffffffff7fffffff", "d3 ffffffff7fffffff"},
		{"-2⁶³", "d3 8000000000000000", "d3 8000000000000000"},

		{"a float32 stays one", "ca 3f800000", "ca 3f800000"},
		{"a whole float64 stays one", "cb 3ff0000000000000", "cb 3ff0000000000000"},
		{"negative zero stays one", "cb 8000000000000000", "cb 8000000000000000"},
		{"nil", "c0", "c0"},
		{"false", "c2", "c2"},
		{"true", "c3", "c3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			requireCanonicalForm(t, unhex(t, tc.hex), unhex(t, tc.want))
		})
	}
}

// family is one kind of value with a length, and its heads from the shortest to the longest.
type family struct {
	name      string
	heads     []func(n int) []byte
	capacity  []int // the largest length that each head holds
	canonical func(dst []byte, n int) []byte
	element   []byte // repeated n times after the head; nil: n distinct pairs
}

func families() []family {
	fix := func(base byte) func(int) []byte { return func(n int) []byte { return []byte{base | byte(n)} } }
	u8 := func(head byte) func(int) []byte { return func(n int) []byte { return []byte{head, byte(n)} } }
	u16 := func(head byte) func(int) []byte {
		return func(n int) []byte { return []byte{head, byte(n >> 8), byte(n)} }
	}
	u32 := func(head byte) func(int) []byte {
		return func(n int) []byte { return []byte{head, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)} }
	}
	const m8, m16, m32 = math.MaxUint8, math.MaxUint16, math.MaxInt32
	type heads = []func(int) []byte
	return []family{
		{"string", heads{fix(0xa0), u8(0xd9), u16(0xda), u32(0xdb)}, []int{31, m8, m16, m32}, wire.AppendStringHeader, []byte("x")},
		{"bin", heads{u8(0xc4), u16(0xc5), u32(0xc6)}, []int{m8, m16, m32}, wire.AppendBinHeader, []byte{0xff}},
		{"array", heads{fix(0x90), u16(0xdc), u32(0xdd)}, []int{15, m16, m32}, wire.AppendArrayHeader, []byte{0xc0}},
		{"map", heads{fix(0x80), u16(0xde), u32(0xdf)}, []int{15, m16, m32}, wire.AppendMapHeader, nil},
	}
}

// body returns the bytes after the head: n equal elements, or n pairs with ascending keys.
func (f family) body(n int) []byte {
	if f.element != nil {
		return bytes.Repeat(f.element, n)
	}
	var b []byte
	for i := range n {
		b = append(b, 0xa4, 'a'+byte(i/17576%26), 'a'+byte(i/676%26), 'a'+byte(i/26%26), 'a'+byte(i%26), 0xc0)
	}
	return b
}

func TestCanonicalShortensLengths(t *testing.T) {
	t.Parallel()
	for _, f := range families() {
		for _, n := range lengths {
			body := f.body(n)
			want := append(f.canonical(nil, n), body...)
			for i, head := range f.heads {
				if n > f.capacity[i] {
					continue
				}
				t.Run(fmt.Sprintf("%s of %d with head %d", f.name, n, i), func(t *testing.T) {
					t.Parallel()
					requireCanonicalForm(t, append(head(n), body...), want)
				})
			}
		}
	}
}

func TestCanonicalSortsKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex, want string }{
		{"two keys", "82 a1 62 01 a1 61 02", "82 a1 61 02 a1 62 01"},
		{"by bytes, not by length", "82 a1 62 01 a2 6161 02", "82 a2 6161 02 a1 62 01"},
		{"a prefix stands first", "82 a2 6161 01 a1 61 02", "82 a1 61 02 a2 6161 01"},
		{"the empty key stands first", "82 a1 61 01 a0 02", "82 a0 02 a1 61 01"},
		{"bytes above 127 are large", "82 a2 c3a4 01 a1 7a 02", "82 a1 7a 02 a2 c3a4 01"},
		{"long heads do not change the order", "82 d9 01 62 01 da 0001 61 02", "82 a1 61 02 a1 62 01"},
		{
			"maps in maps", "82 a1 62 82 a1 64 01 a1 63 02 a1 61 91 82 a1 66 03 a1 65 04",
			"82 a1 61 91 82 a1 65 04 a1 66 03 a1 62 82 a1 63 02 a1 64 01",
		},
		{"numbers in an unsorted map", "82 a1 62 cd 0001 a1 61 d3 ffffffffffffffff", "82 a1 61 ff a1 62 01"},
		{"a map that is sorted but for a map inside it", "82 a1 61 82 a1 64 01 a1 63 02 a1 62 c0", "82 a1 61 82 a1 63 02 a1 64 01 a1 62 c0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			requireCanonicalForm(t, unhex(t, tc.hex), unhex(t, tc.want))
		})
	}
}

func TestCanonicalReturnsACanonicalDocumentItself(t *testing.T) {
	t.Parallel()
	b := document(t)
	same, err := wire.Canonical(b, wire.Limits{})
	require.NoError(t, err)
	require.Same(t, &b[0], &same[0])
}

func TestCanonicalLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	b := unhex(t, "82 a1 62 cd 0001 a1 61 02")
	before := bytes.Clone(b)
	out, err := wire.Canonical(b, wire.Limits{})
	require.NoError(t, err)
	require.Equal(t, before, b)
	require.NotSame(t, &b[0], &out[0])
}

// requireCanonicalForm checks that b has this canonical form, and that the oracle decodes both to the same value.
func requireCanonicalForm(t *testing.T, b, want []byte) {
	t.Helper()
	got, err := wire.Canonical(b, wire.Limits{})
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "got % x, want % x", head(got), head(want))

	canonical, err := wire.IsCanonical(b, wire.Limits{})
	require.NoError(t, err)
	require.Equal(t, bytes.Equal(b, want), canonical)
	requireCanonical(t, got)

	var before, after any
	require.NoError(t, msgpack.Unmarshal(b, &before))
	require.NoError(t, msgpack.Unmarshal(got, &after))
	require.True(t, sameValue(before, after), "%v became %v", before, after)
}

func head(b []byte) []byte { return b[:min(len(b), 64)] }

func ExampleCanonical() {
	b := []byte{0x82, 0xa1, 'b', 0xcd, 0x00, 0x01, 0xa1, 'a', 0x02} // b before a, 1 in three bytes
	b, err := wire.Canonical(b, wire.DefaultLimits)
	fmt.Printf("% x %v\n", b, err)
	// Output: 82 a1 61 02 a1 62 01 <nil>
}
