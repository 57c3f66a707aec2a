package wire_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/agenthost/agenthost/abi/internal/memtest"
	"github.com/agenthost/agenthost/abi/wire"
)

// FuzzValidate checks what the package promises for a document that passes Validate. Any decoder can decode it, at a
// cost bounded by its length and its number of values. Its canonical form has the same value. Its JSON form converts
// back to the same value. The decoders of this package must also survive documents that do not pass.
func FuzzValidate(f *testing.F) {
	for _, seed := range []string{
		"", "c0", "c1", "ff", "cd 0001", "d3 ffffffffffffffff", "cb 3ff8000000000000", "ca 3fc00000", "cb 7ff8000000000000",
		"a2 6869", "d9 02 6869", "c4 02 00ff", "93 01 90 80", "82 a1 62 cd 0001 a1 61 02", "82 a1 61 c0 a1 61 c0",
		"81 a1 61 82 a1 62 c0 a0 92 c0 c3", "dd ffffffff", "df ffffffff", "de 0001 a1 61 dc 0001 c2", "d4 01 00", "c0 c0",
	} {
		f.Add(unhex(f, seed))
	}
	f.Add(nested(64))
	f.Add(nested(65))
	f.Add(document(f))
	f.Add(shuffledMap(40))
	f.Add(append(wire.AppendArrayHeader(nil, 200), bytes.Repeat([]byte{0x80}, 200)...))

	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzUnvalidated(b)
		canonical, err := wire.IsCanonical(b, wire.Limits{})
		if err != nil {
			var refused *wire.Error
			require.ErrorAs(t, err, &refused)
			return
		}
		want := fuzzDecode(t, b)
		out := fuzzCanonical(t, b, canonical, want)
		fuzzJSON(t, b, out)
	})
}

// fuzzUnvalidated passes unchecked bytes to every function that takes bytes. None may panic.
func fuzzUnvalidated(b []byte) {
	raw := wire.Raw(b)
	raw.AsString()
	raw.AsInt()
	raw.AsUint()
	raw.AsFloat()
	raw.AsBool()
	raw.AsBytes()
	raw.IsNil()
	raw.IsMap()
	raw.JSON()
	raw.Type()
	raw.Tail()
	for range raw.Elements() {
	}
	for range raw.Pairs() {
	}
	items, _ := raw.Items()
	for _, item := range items {
		item.Items()
	}
	_, _ = raw.Value()
	_, _ = wire.Canonical(b, wire.Limits{})
	_, _ = new(wire.Raw).UnmarshalMsg(b)
	_, _ = new(wire.Map).UnmarshalMsg(b)
	_, _ = wire.FromJSON(b, wire.Limits{})
}

// fuzzDecode decodes a valid document in three ways. It checks what each way costs, and that the results agree.
func fuzzDecode(t *testing.T, b []byte) any {
	t.Helper()
	limit := memtest.Bound(len(b), countValues(b))

	var oracleValue any
	allocated, ok := memtest.Within(limit, func() { require.NoError(t, msgpack.Unmarshal(b, &oracleValue)) })
	require.True(t, ok, "msgpack.Unmarshal allocates %d bytes for %d, the bound is %d", allocated, len(b), limit)

	var value any
	allocated, ok = memtest.Within(limit, func() {
		var err error
		value, err = wire.Raw(b).Value()
		require.NoError(t, err)
	})
	require.True(t, ok, "Raw.Value allocates %d bytes for %d, the bound is %d", allocated, len(b), limit)
	require.True(t, sameValue(oracleValue, value), "the oracle reads %v, we read %v", oracleValue, value)

	if wire.Raw(b).IsMap() {
		allocated, ok = memtest.Within(limit, func() {
			_, err := new(wire.Map).UnmarshalMsg(b)
			require.NoError(t, err)
		})
		require.True(t, ok, "Map.UnmarshalMsg allocates %d bytes for %d, the bound is %d", allocated, len(b), limit)
	}
	return value
}

// fuzzCanonical checks the canonical form of a valid document and returns it.
func fuzzCanonical(t *testing.T, b []byte, canonical bool, want any) []byte {
	t.Helper()
	out, err := wire.Canonical(b, wire.Limits{})
	require.NoError(t, err)
	require.Equal(t, canonical, bytes.Equal(b, out))
	require.LessOrEqual(t, len(out), len(b))
	requireCanonical(t, out)

	again, err := wire.Canonical(out, wire.Limits{})
	require.NoError(t, err)
	require.Equal(t, out, again)

	value, err := wire.Raw(out).Value()
	require.NoError(t, err)
	require.True(t, sameValue(want, value))
	if !hasFloat32(b) {
		made, err := wire.Of(value)
		require.NoError(t, err)
		require.Equal(t, wire.Raw(out), made)
	}

	if wire.Raw(b).IsMap() {
		var m wire.Map
		_, err := m.UnmarshalMsg(out)
		require.NoError(t, err)
		require.Equal(t, wire.Raw(out), m.Raw())
	}
	return out
}

// fuzzJSON checks that the JSON form of a valid document is JSON. It also checks that the form converts back, unless
// the document holds something that JSON cannot express.
func fuzzJSON(t *testing.T, b, canonical []byte) {
	t.Helper()
	text, err := wire.AppendJSON(nil, b)
	require.NoError(t, err)
	back, err := wire.FromJSON(text, wire.Limits{MaxBytes: 1 << 30})
	require.NoError(t, err)
	if !hasBin(b) && !hasFloat32(b) {
		require.Equal(t, wire.Raw(canonical), back)
	}
}

// countValues counts the values of a valid document without map keys, as Limits.MaxNodes does.
func countValues(b []byte) int {
	n := 0
	walk(b, func(_ byte, pairs int) { n += 1 - pairs })
	return n
}

func hasFloat32(b []byte) bool { return hasHead(b, 0xca, 0xca) }

func hasBin(b []byte) bool { return hasHead(b, 0xc4, 0xc6) }

func hasHead(b []byte, from, to byte) bool {
	found := false
	walk(b, func(head byte, _ int) { found = found || (head >= from && head <= to) })
	return found
}

// walk calls f with the head of every value and key of a valid document and, for a map, the number of pairs that
// follow. It shares no code with the package under test.
func walk(b []byte, f func(head byte, pairs int)) {
	for len(b) > 0 {
		c := b[0]
		number := func(width int) int {
			n := 0
			for _, x := range b[1 : 1+width] {
				n = n<<8 | int(x)
			}
			return n
		}
		skip, pairs := 1, 0
		switch {
		case c >= 0x80 && c <= 0x8f:
			pairs = int(c & 0x0f)
		case c >= 0xa0 && c <= 0xbf:
			skip = 1 + int(c&0x1f)
		case c == 0xc4, c == 0xd9:
			skip = 2 + number(1)
		case c == 0xc5, c == 0xda:
			skip = 3 + number(2)
		case c == 0xc6, c == 0xdb:
			skip = 5 + number(4)
		case c == 0xcc, c == 0xd0:
			skip = 2
		case c == 0xcd, c == 0xd1, c == 0xdc:
			skip = 3
		case c == 0xde:
			skip, pairs = 3, number(2)
		case c == 0xca, c == 0xce, c == 0xd2, c == 0xdd:
			skip = 5
		case c == 0xdf:
			skip, pairs = 5, number(4)
		case c == 0xcb, c == 0xcf, c == 0xd3:
			skip = 9
		}
		f(c, pairs)
		b = b[skip:]
	}
}
