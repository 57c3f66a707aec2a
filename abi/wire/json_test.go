package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

func TestJSONBothWays(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex, text string }{
		{"nil", "c0", "null"},
		{"true", "c3", "true"},
		{"false", "c2", "false"},
		{"zero", "00", "0"},
		{"a negative integer", "d0 80", "-128"},
		{"the largest int64", "cf 7fffffffffffffff", "9223372036854775807"},
		{"the smallest int64", "d3 8000000000000000", "-9223372036854775808"},
		{"the largest uint64", "cf ffffffffffffffff", "18446744073709551615"},
		{"a float", "cb 3ff8000000000000", "1.5"},
		{"a whole float stays a float", "cb 4000000000000000", "2.0"},
		{"the float zero", "cb 0000000000000000", "0.0"},
		{"negative zero", "cb 8000000000000000", "-0.0"},
		{"a small float", "cb 3e7ad7f29abcaf48", "1e-7"},
		{"a large float", "cb 444b1ae4d6e2ef50", "1e+21"},
		{"the largest float that is written out", "cb 4415af1d78b58c40", "100000000000000000000.0"},
		{"the largest float", "cb 7fefffffffffffff", "1.7976931348623157e+308"},
		{"the smallest float", "cb 0000000000000001", "5e-324"},
		{"the empty string", "a0", `""`},
		{"text that needs no escapes", "a7 3c623e26 27 c3a4", `"<b>&'ä"`},
		{"escapes with a letter", "a5 220a0d095c", `"\"\n\r\t\\"`},
		{"escapes with a number", "a3 000b1f", `"\u0000\u000b\u001f"`},
		{"DEL is not escaped", "a1 7f", "\"\x7f\""},
		{"line separators are not escaped", "a3 e280a8", "\"\u2028\""},
		{"a character beyond the first plane", "a4 f09f9880", `"😀"`},
		{"an empty array", "90", "[]"},
		{"an empty map", "80", "{}"},
		{"a tree", "82 a1 61 92 01 c0 a2 620a 81 a0 c2", `{"a":[1,null],"b\n":{"":false}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			raw := wire.Raw(unhex(t, tc.hex))
			require.Equal(t, tc.text, raw.JSON())
			require.True(t, json.Valid([]byte(raw.JSON())))

			back, err := wire.FromJSON([]byte(tc.text), wire.Limits{})
			require.NoError(t, err)
			require.Equal(t, raw, back)
		})
	}
}

func TestAppendJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex, text string }{
		{"no value is null", "", "null"},
		{"bytes are base64", "c4 03 00ff10", `"AP8Q"`},
		{"float32 in its own digits", "ca 3dcccccd", "0.1"},
		{"a whole float32", "ca 40000000", "2.0"},
		{"keys in their order", "82 a1 62 01 a1 61 02", `{"b":1,"a":2}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.AppendJSON([]byte("x"), unhex(t, tc.hex))
			require.NoError(t, err)
			require.Equal(t, "x"+tc.text, string(got))
		})
	}
}

func TestAppendJSONRefusesWhatIsNotValid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		b      []byte
		offset int
		reason string
	}{
		{"an array of four billion", unhex(t, "dd ffffffff"), 0, claims},
		{"a cut value", unhex(t, "92 01"), 0, claimsLeft},
		{"bytes after the value", unhex(t, "01 02"), 1, "1 bytes after the document"},
		{"NaN", unhex(t, "cb 7ff8000000000000"), 0, noNaN},
		{"a key that is not a string", unhex(t, "81 01 02"), 1, keyNoString},
		{"a million nested arrays", nested(1 << 20), 1000, "nested deeper than 1000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.AppendJSON([]byte("x"), tc.b)
			requireRefused(t, err, tc.offset, tc.reason)
			require.Equal(t, "x", string(got))
			require.Equal(t, "null", wire.Raw(tc.b).JSON())
		})
	}
}

func TestAppendJSONHasNoLimitThatADocumentOfTheHostMeets(t *testing.T) {
	t.Parallel()
	large := wire.AppendArrayHeader(nil, 1<<18)
	large = append(large, make([]byte, 1<<18)...)
	for _, b := range [][]byte{nested(1000), large, wire.AppendString(nil, strings.Repeat("x", 5<<20))} {
		_, err := wire.AppendJSON(nil, b)
		require.NoError(t, err)
	}
}

func TestFromJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, hex string }{
		{"blanks around and inside", " { \"b\" : [ 1 , 2 ] ,\n\t\"a\" : null } ", "82 a1 61 c0 a1 62 92 01 02"},
		{"keys are sorted", `{"b":1,"aa":2,"a":3}`, "83 a1 61 03 a2 6161 02 a1 62 01"},
		{"one above uint64 is a float", "18446744073709551616", "cb 43f0000000000000"},
		{"one below int64 is a float", "-9223372036854775809", "cb c3e0000000000000"},
		{"an exponent makes a float", "1e2", "cb 4059000000000000"},
		{"a capital exponent too", "1E2", "cb 4059000000000000"},
		{"a number too small for a float is zero", "1e-999", "cb 0000000000000000"},
		{"negative zero without a point is the integer", "-0", "00"},
		{"escapes", `"\u00e4\ud83d\ude00\/\b\f"`, "a9 c3a4 f09f9880 2f 08 0c"},
		{"half a surrogate becomes the replacement character", `"\ud800"`, "a3 efbfbd"},
		{"a colon in a string is not a member", `{"a:b":"c:\":","d":":"}`, "82 a3 613a62 a4 633a223a a1 64 a1 3a"},
		{"the same key in two objects", `[{"a":1},{"a":{"a":2}}]`, "92 81 a1 61 01 81 a1 61 81 a1 61 02"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			raw, err := wire.FromJSON([]byte(tc.text), wire.Limits{})
			require.NoError(t, err)
			require.Equal(t, wire.Raw(unhex(t, tc.hex)), raw)
			requireCanonical(t, raw)
		})
	}
}

func TestFromJSONRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		limits     wire.Limits
		err        string
	}{
		{"nothing", "", wire.Limits{}, "json: EOF"},
		{"half a value", `{"a":`, wire.Limits{}, "json: unexpected EOF"},
		{"what is not JSON", `{a:1}`, wire.Limits{}, "json: invalid character 'a' looking for beginning of object key string"},
		{"a comma at the end", `[1,]`, wire.Limits{}, "json: invalid character ']' looking for beginning of value"},
		{"a leading zero", "01", wire.Limits{}, "json: more than one value: text goes on at byte 2"},
		{"two values", "1 2", wire.Limits{}, "json: more than one value: text goes on at byte 3"},
		{"NaN", "NaN", wire.Limits{}, "json: invalid character 'N' looking for beginning of value"},
		{"a number beyond float64", "[1e999]", wire.Limits{}, "json: the number 1e999 is out of range"},
		{"a number beyond float64 in an object", `{"a":-1e999}`, wire.Limits{}, "json: the number -1e999 is out of range"},
		{"what is not UTF-8", "\"\xff\"", wire.Limits{}, "json: not valid UTF-8"},
		{"too many bytes", `"1234"`, wire.Limits{MaxBytes: 5}, "json: 6 bytes, the limit is 5"},
		{"too many values", `[1,2,3]`, wire.Limits{MaxNodes: 3}, "json: as msgpack: at byte 3: more than 3 values"},
		{"too deep", `[[[1]]]`, wire.Limits{MaxDepth: 2}, "json: as msgpack: at byte 2: nested deeper than 2"},
		{"far too deep", strings.Repeat("[", 1<<20), wire.Limits{}, "json: invalid character '[' exceeded max depth"},
		{"a key twice", `{"a":1,"a":1}`, wire.Limits{}, `json: the key "a" appears twice in one object`},
		{"a key twice around an object", `{"a":{"b":1},"b":[{"b":2}],"a":3}`, wire.Limits{}, `json: the key "a" appears twice in one object`},
		{"a key twice in an object in an array", `{"x":[0,{"k":"k","l":"k","k":[]}]}`, wire.Limits{}, `json: the key "k" appears twice in one object`},
		{"a key twice, once escaped", `{"a\"b":1,"a\u0022b":2}`, wire.Limits{}, `json: the key "a\"b" appears twice in one object`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			raw, err := wire.FromJSON([]byte(tc.text), tc.limits)
			require.EqualError(t, err, tc.err)
			require.Nil(t, raw)
		})
	}
}

func TestRawAndMapInsideGoValues(t *testing.T) {
	t.Parallel()
	type event struct {
		Args  wire.Map `json:"args"`
		Value wire.Raw `json:"value"`
		None  wire.Raw `json:"none"`
	}
	in := event{Args: mapOf(t, map[string]any{"b": 1, "a": 2.0}), Value: wire.Uint(1 << 63)}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	require.Equal(t, `{"args":{"a":2.0,"b":1},"value":9223372036854775808,"none":null}`, string(text))

	var out event
	require.NoError(t, json.Unmarshal(text, &out))
	in.None = wire.Raw{0xc0}
	require.Equal(t, in, out)

	require.ErrorContains(t, json.Unmarshal([]byte(`{"args":[]}`), &out), "a map is expected")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"args":{"a":1,"a":2}}`), &out), "appears twice")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"value":1e999}`), &out), "out of range")
	_, err = json.Marshal(event{Value: wire.Raw{0x92}})
	require.ErrorContains(t, err, claimsLeft)
}

func ExampleFromJSON() {
	raw, err := wire.FromJSON([]byte(`{"days": 3, "city": "Ulm"}`), wire.DefaultLimits)
	fmt.Printf("% x %v\n", []byte(raw), err)
	fmt.Println(raw.JSON())
	// Output:
	// 82 a4 63 69 74 79 a3 55 6c 6d a4 64 61 79 73 03 <nil>
	// {"city":"Ulm","days":3}
}
