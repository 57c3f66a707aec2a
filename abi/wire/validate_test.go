package wire_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

// unhex decodes hex digits, which may have blanks between them.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	require.NoError(t, err)
	return b
}

// nested returns nil inside depth nested arrays.
func nested(depth int) []byte {
	return append(bytes.Repeat([]byte{0x91}, depth), 0xc0)
}

func requireRefused(t *testing.T, err error, offset int, reason string) {
	t.Helper()
	var refused *wire.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, reason, refused.Reason)
	require.Equal(t, offset, refused.Offset)
	require.EqualError(t, err, fmt.Sprintf("msgpack: at byte %d: %s", offset, reason))
}

const (
	endsInside   = "the document ends inside a value"
	endsBefore   = "the document ends where a value is expected"
	claims       = "the value claims more elements than the document has bytes"
	claimsLeft   = "the value claims more elements than the document has bytes left"
	noExtensions = "extension types are not allowed"
	noNaN        = "NaN and infinities are not allowed"
	notUTF8      = "a string is not valid UTF-8"
	keyNoString  = "a map key must be a string"
)

func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		hex    string
		offset int
		reason string
	}{
		{"an empty document", "", 0, endsBefore},
		{"the byte that is not a type", "c1", 0, "0xc1 is not a msgpack type"},
		{"the byte that is not a type inside an array", "92 01 c1", 2, "0xc1 is not a msgpack type"},

		{"fixext 1", "d4 01 00", 0, noExtensions},
		{"fixext 2", "d5 01 0000", 0, noExtensions},
		{"fixext 4, a timestamp", "d6 ff 00000000", 0, noExtensions},
		{"fixext 8", "d7 ff 0000000000000000", 0, noExtensions},
		{"fixext 16", "d8 01 00000000000000000000000000000000", 0, noExtensions},
		{"ext 8", "c7 01 01 00", 0, noExtensions},
		{"ext 16", "c8 0001 01 00", 0, noExtensions},
		{"ext 32", "c9 00000001 01 00", 0, noExtensions},
		{"an extension as a map value", "81 a1 61 d4 01 00", 3, noExtensions},
		{"an extension as a map key", "81 d4 01 00 c0", 1, noExtensions},

		{"float32 NaN", "ca 7fc00000", 0, noNaN},
		{"float32 infinity", "ca 7f800000", 0, noNaN},
		{"float32 negative infinity", "ca ff800000", 0, noNaN},
		{"float64 NaN", "cb 7ff8000000000001", 0, noNaN},
		{"float64 signalling NaN", "cb 7ff0000000000001", 0, noNaN},
		{"float64 infinity", "cb 7ff0000000000000", 0, noNaN},
		{"float64 negative infinity", "cb fff0000000000000", 0, noNaN},

		{"fixstr without its text", "a1", 0, endsInside},
		{"fixstr with half of its text", "a4 6162", 0, endsInside},
		{"str8 without its text", "d9 20", 0, claims},
		{"str8 with half of its text", "d9 04 616263", 0, endsInside},
		{"str16 without its text", "da 0100", 0, claims},
		{"str16 with half of its text", "da 0004 616263", 0, endsInside},
		{"str32 of 4 GiB", "db ffffffff", 0, claims},
		{"str32 with half of its text", "db 00000004 616263", 0, endsInside},
		{"bin8 without its bytes", "c4 20", 0, claims},
		{"bin8 with half of its bytes", "c4 04 616263", 0, endsInside},
		{"bin16 without its bytes", "c5 0100", 0, claims},
		{"bin16 with half of its bytes", "c5 0004 616263", 0, endsInside},
		{"bin32 of 4 GiB", "c6 ffffffff", 0, claims},
		{"bin32 with half of its bytes", "c6 00000004 616263", 0, endsInside},

		{"fixarray without its elements", "92", 0, claimsLeft},
		{"fixarray with half of its elements", "92 c0", 0, claimsLeft},
		{"array16 of more than there is", "dc ffff c0", 0, claims},
		{"array16 of one more than there is", "dc 0003 c0 c0", 0, claimsLeft},
		{"array32 of four billion", "dd ff ff ff ff", 0, claims},
		{"array32 of one more than there is", "dd 00000003 c0 c0", 0, claimsLeft},
		{"fixmap without its pairs", "81", 0, claimsLeft},
		{"fixmap with a key alone", "81 a0", 0, claimsLeft},
		{"fixmap that ends after a long key", "81 a3 616263", 5, endsBefore},
		{"map16 of more than there is", "de ffff a0 c0", 0, claims},
		{"map16 of one more than there is", "de 0002 a0 c0 a1", 0, claimsLeft},
		{"map32 of four billion", "df ff ff ff ff", 0, claims},
		{"map32 of one more than there is", "df 00000002 a0 c0 a1", 0, claimsLeft},
		{"an array that ends where its last element should be", "92 a1 61", 3, endsBefore},
		{"a claim inside an array", "93 c0 c0 dd ff ff ff ff", 3, claims},
		{"a claim inside a map", "81 a1 61 df ff ff ff ff", 3, claims},

		{"invalid UTF-8 in fixstr", "a1 ff", 0, notUTF8},
		{"invalid UTF-8 in str8", "d9 02 c3 28", 0, notUTF8},
		{"a surrogate in UTF-8", "a3 ed a0 80", 0, notUTF8},
		{"an overlong form in UTF-8", "a2 c0 af", 0, notUTF8},
		{"a cut character in UTF-8", "a2 e2 82", 0, notUTF8},
		{"invalid UTF-8 in a map key", "81 a1 ff c0", 1, notUTF8},
		{"invalid UTF-8 in an element", "92 c0 a1 ff", 2, notUTF8},

		{"an integer as a map key", "81 01 c0", 1, keyNoString},
		{"nil as a map key", "81 c0 c0", 1, keyNoString},
		{"a boolean as a map key", "81 c3 c0", 1, keyNoString},
		{"a float as a map key", "81 cb 0000000000000000 c0", 1, keyNoString},
		{"bytes as a map key", "81 c4 01 61 c0", 1, keyNoString},
		{"an array as a map key", "81 90 c0", 1, keyNoString},
		{"a map as a map key", "81 80 c0", 1, keyNoString},
		{"an integer as the second map key", "82 a1 61 c0 01 c0", 4, keyNoString},

		{"a key twice in a row", "82 a1 61 c0 a1 61 c0", 5, `the key "a" appears twice in one map`},
		{"a key twice in a sorted map", "83 a1 61 c0 a1 62 c0 a1 62 c0", 8, `the key "b" appears twice in one map`},
		{"a key twice in a map that is not sorted", "83 a1 62 c0 a1 61 c0 a1 62 c0", 8, `the key "b" appears twice in one map`},
		{"the empty key twice", "82 a0 c0 a0 c0", 4, `the key "" appears twice in one map`},
		{"a key twice, once with a longer head", "82 a1 61 c0 d9 01 61 c0", 6, `the key "a" appears twice in one map`},
		{"a key twice in a nested map", "81 a1 78 82 a1 61 c0 a1 61 c0", 8, `the key "a" appears twice in one map`},
		{"a key twice around a nested map", "82 a1 61 81 a1 62 c0 a1 61 c0", 8, `the key "a" appears twice in one map`},
		{"a key twice in a map in an array", "91 82 a1 61 c0 a1 61 c0", 6, `the key "a" appears twice in one map`},
		{
			"a long key twice, cut in the error",
			"82 d9 41 " + strings.Repeat("61", 65) + " c0 d9 41 " + strings.Repeat("61", 65) + " c0", 71,
			`the key "` + strings.Repeat("a", 64) + `"… appears twice in one map`,
		},

		{"a byte after the document", "c0 c0", 1, "1 bytes after the document"},
		{"bytes behind an array", "91 01 02 03", 2, "2 bytes after the document"},
		{"a byte that is not a type after the document", "80 c1", 1, "1 bytes after the document"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := unhex(t, tc.hex)
			requireRefused(t, wire.Validate(b, wire.Limits{}), tc.offset, tc.reason)

			same, err := wire.Canonical(b, wire.Limits{})
			requireRefused(t, err, tc.offset, tc.reason)
			require.Equal(t, b, same)

			canonical, err := wire.IsCanonical(b, wire.Limits{})
			require.Error(t, err)
			require.False(t, canonical)

			_, err = wire.Raw(b).Value()
			require.Error(t, err)
		})
	}
}

func TestValidateRefusesEveryCutHead(t *testing.T) {
	t.Parallel()
	for head, width := range map[byte]int{
		0xc4: 1, 0xc5: 2, 0xc6: 4, 0xca: 4, 0xcb: 8, 0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4,
		0xd3: 8, 0xd9: 1, 0xda: 2, 0xdb: 4, 0xdc: 2, 0xdd: 4, 0xde: 2, 0xdf: 4,
	} {
		for have := range width {
			t.Run(fmt.Sprintf("%#x with %d of %d bytes", head, have, width), func(t *testing.T) {
				t.Parallel()
				cut := append([]byte{head}, make([]byte, have)...)
				requireRefused(t, wire.Validate(cut, wire.Limits{}), 0, endsInside)
				requireRefused(t, wire.Validate(append([]byte{0x91}, cut...), wire.Limits{}), 1, endsInside)
			})
		}
	}
}

func TestValidateLimits(t *testing.T) {
	t.Parallel()
	wide := func(n int) []byte { return append(wire.AppendArrayHeader(nil, n), make([]byte, n)...) }
	for _, tc := range []struct {
		name   string
		b      []byte
		limits wire.Limits
		offset int
		reason string // empty: accepted
	}{
		{"as many bytes as allowed", wide(9), wire.Limits{MaxBytes: 10}, 0, ""},
		{"one byte too many", wide(10), wire.Limits{MaxBytes: 10}, 0, "the document has 11 bytes, the limit is 10"},
		{"bytes, by default", wire.AppendBin(nil, make([]byte, 4<<20)), wire.Limits{}, 0, "the document has 4194309 bytes, the limit is 4194304"},
		{"as deep as allowed", nested(3), wire.Limits{MaxDepth: 3}, 0, ""},
		{"one level too deep", nested(4), wire.Limits{MaxDepth: 3}, 3, "nested deeper than 3"},
		{"one level too deep in maps", unhex(t, "81 a1 61 81 a1 61 80"), wire.Limits{MaxDepth: 2}, 6, "nested deeper than 2"},
		{"siblings do not add up to depth", unhex(t, "93 90 91 90 80"), wire.Limits{MaxDepth: 3}, 0, ""},
		{"depth 64, by default", nested(64), wire.Limits{}, 0, ""},
		{"depth 65, by default", nested(65), wire.Limits{}, 64, "nested deeper than 64"},
		{"2 MB of nested arrays", bytes.Repeat([]byte{0x91}, 2<<20), wire.Limits{}, 64, "nested deeper than 64"},
		{"as many values as allowed", wide(4), wire.Limits{MaxNodes: 5}, 0, ""},
		{"one value too many", wide(5), wire.Limits{MaxNodes: 5}, 5, "more than 5 values"},
		{"keys are not values", unhex(t, "82 a1 61 c0 a1 62 c0"), wire.Limits{MaxNodes: 3}, 0, ""},
		{"values of a map", unhex(t, "82 a1 61 c0 a1 62 c0"), wire.Limits{MaxNodes: 2}, 6, "more than 2 values"},
		{"131072 values, by default", wide(1<<17 - 1), wire.Limits{}, 0, ""},
		{"131073 values, by default", wide(1 << 17), wire.Limits{}, 5 + 1<<17 - 1, "more than 131072 values"},
		{"negative limits are the default ones", nested(65), wire.Limits{MaxBytes: -1, MaxDepth: -1, MaxNodes: -1}, 64, "nested deeper than 64"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := wire.Validate(tc.b, tc.limits)
			if tc.reason == "" {
				require.NoError(t, err)
				return
			}
			requireRefused(t, err, tc.offset, tc.reason)
		})
	}
}

func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex string }{
		{"nil", "c0"},
		{"false", "c2"},
		{"true", "c3"},
		{"the largest integer", "cf ffffffffffffffff"},
		{"the smallest integer", "d3 8000000000000000"},
		{"an integer with a longer head than it needs", "d3 0000000000000001"},
		{"float32", "ca 3f800000"},
		{"float64 negative zero", "cb 8000000000000000"},
		{"the smallest float64", "cb 0000000000000001"},
		{"the largest float64", "cb 7fefffffffffffff"},
		{"an empty string with the longest head", "db 00000000"},
		{"a string with NUL and the last character", "a5 00 f4 8f bf bf"},
		{"bytes that are not UTF-8", "c4 02 ff fe"},
		{"an empty array with the longest head", "dd 00000000"},
		{"an empty map with the longest head", "df 00000000"},
		{"the empty key", "81 a0 c0"},
		{"keys that are not sorted", "83 a1 63 c0 a1 61 c0 a1 62 c0"},
		{"the same key in a map and in a map inside it", "82 a1 61 81 a1 61 c0 a1 62 c0"},
		{"the same key in two maps of an array", "92 81 a1 61 c0 81 a1 61 c0"},
		{"an unsorted map inside an unsorted map", "82 a1 62 82 a1 62 c0 a1 61 c0 a1 61 c0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, wire.Validate(unhex(t, tc.hex), wire.Limits{}))
		})
	}
}

func TestValidateTellsTheFirstRepeatedKeyOfMany(t *testing.T) {
	t.Parallel()
	const n = 300
	b := wire.AppendMapHeader(nil, n)
	keys := make([]int, n)
	for i := range n {
		keys[i] = len(b) + 1
		b = append(b, 0xa2, byte('A'+(n-1-i)/26), byte('a'+(n-1-i)%26), 0xc0)
	}
	require.NoError(t, wire.Validate(b, wire.Limits{}))

	copy(b[keys[n-1]:], b[keys[40]:keys[40]+2])
	key := string(b[keys[40] : keys[40]+2])
	requireRefused(t, wire.Validate(b, wire.Limits{}), keys[n-1], fmt.Sprintf("the key %q appears twice in one map", key))
}

func TestValidateLeavesTheDocumentAlone(t *testing.T) {
	t.Parallel()
	b := unhex(t, "83 a1 63 c0 a1 61 cd 0001 a1 62 93 01 02 03")
	before := slices.Clone(b)
	require.NoError(t, wire.Validate(b, wire.Limits{}))
	require.Equal(t, before, b)
}

func TestValidateDoesNotAllocate(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts those of other tests
	for _, tc := range []struct {
		name string
		b    []byte
	}{
		{"a scalar", wire.Int(-7)},
		{"a message", document(t)},
		{"arrays nested 16 deep", nested(16)},
		{"an unsorted map of 32 keys", shuffledMap(32)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Zero(t, testing.AllocsPerRun(100, func() {
				if err := wire.Validate(tc.b, wire.Limits{}); err != nil {
					panic(err)
				}
			}))
		})
	}
}

// document returns a message such as a hook sees.
func document(t testing.TB) []byte {
	t.Helper()
	b, err := wire.Of(map[string]any{
		"content": strings.Repeat("x", 1000), "id": "m1", "role": "ai",
		"tool_calls": []any{map[string]any{"args": map[string]any{"q": "go", "n": 3}, "id": "1", "name": "search"}},
		"usage":      map[string]any{"input_tokens": 100, "output_tokens": 20, "total_tokens": 120},
	})
	require.NoError(t, err)
	return b
}

// shuffledMap returns a map with n keys that are not in order.
func shuffledMap(n int) []byte {
	b := wire.AppendMapHeader(nil, n)
	for i := range n {
		b = wire.AppendString(b, fmt.Sprintf("key %d", i*7919%n))
		b = wire.AppendNil(b)
	}
	return b
}

func ExampleValidate() {
	bomb := []byte{0xdd, 0xff, 0xff, 0xff, 0xff} // claims to be an array of four billion elements
	fmt.Println(wire.Validate(bomb, wire.DefaultLimits))

	twice := []byte{0x82, 0xa1, 'a', 0x01, 0xa1, 'a', 0x02}
	fmt.Println(wire.Validate(twice, wire.DefaultLimits))
	// Output:
	// msgpack: at byte 0: the value claims more elements than the document has bytes
	// msgpack: at byte 5: the key "a" appears twice in one map
}

func BenchmarkValidate(b *testing.B) {
	for name, doc := range map[string][]byte{"message of 1 KB": document(b), "unsorted map of 32 keys": shuffledMap(32)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if err := wire.Validate(doc, wire.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
