package docdiff_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/docdiff"
)

// document is the msgpack form of a JSON text; "" is none.
func document(t testing.TB, text string) []byte {
	t.Helper()
	if text == "" {
		return nil
	}
	b, err := wire.FromJSON([]byte(text), wire.DefaultLimits)
	require.NoError(t, err, text)
	return b
}

func TestOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abc ", 100)
	for name, test := range map[string]struct {
		before, after string
		lines         []string
	}{
		"equal":            {`{"a":1}`, `{"a":1}`, nil},
		"neither":          {"", "", nil},
		"number":           {`{"state":{"count":3}}`, `{"state":{"count":4}}`, []string{"r.state.count: 3 → 4"}},
		"kind":             {`{"a":1}`, `{"a":1.0}`, []string{"r.a: 1 → 1.0"}},
		"added, removed":   {`{"a":1,"b":2}`, `{"b":2,"c":[3]}`, []string{"- r.a: 1", "+ r.c: [3]"}},
		"all of it":        {"", `{"a":1}`, []string{`+ r: {"a":1}`}},
		"none of it":       {`{"a":1}`, "", []string{`- r: {"a":1}`}},
		"in a list":        {`[{"c":"a"},{"c":"b"}]`, `[{"c":"a"},{"c":"x"}]`, []string{`r[1].c: "b" → "x"`}},
		"inserted":         {`["a","b","c"]`, `["a","x","b","c"]`, []string{`+ r[1]: "x"`}},
		"taken out":        {`["a","x","b","c"]`, `["a","b","c"]`, []string{`- r[1]: "x"`}},
		"repeated":         {`["a","a"]`, `["a"]`, []string{`- r[1]: "a"`}},
		"odd key":          {`{"http.fetch":1,"":2}`, `{"http.fetch":2,"":3}`, []string{`r[""]: 2 → 3`, `r["http.fetch"]: 1 → 2`}},
		"other shape":      {`{"a":{"b":1}}`, `{"a":[1]}`, []string{`r.a: {"b":1} → [1]`}},
		"long texts":       {`"` + long + `x` + long + `"`, `"` + long + `y` + long + `"`, []string{`r: "…` + long[:20] + `x` + long[:59] + `…" → "…` + long[:20] + `y` + long[:59] + `…"`}},
		"text gets longer": {`"ab"`, `"abc"`, []string{`r: "ab" → "abc"`}},
		"steers":           {`"a"`, `"a\u001b[31m\u202eb\u009b"`, []string{`r: "a" → "a\u001b[31m\u202eb\u009b"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diff := docdiff.Of("r", document(t, test.before), document(t, test.after))
			require.Equal(t, test.lines == nil, diff.IsZero())
			require.Equal(t, append([]string{}, test.lines...), diff.Lines())
		})
	}
}

func TestBytesThatSayTheSameDoNotDiffer(t *testing.T) {
	t.Parallel()
	diff := docdiff.Of("r", []byte{0x82, 0xa1, 'b', 1, 0xa1, 'a', 1}, []byte{0x82, 0xa1, 'a', 0xcd, 0, 1, 0xa1, 'b', 1})
	require.True(t, diff.IsZero())
}

func TestMalformedDocuments(t *testing.T) {
	t.Parallel()
	diff := docdiff.Of("r", []byte{0xc1, 0x1b}, document(t, `{"a":1}`))
	require.Len(t, diff.Changes, 1)
	require.Regexp(t, `^malformed \(.*\), 2 bytes: c11b$`, diff.Changes[0].Old)
	require.Equal(t, `{"a":1}`, diff.Changes[0].New)
	diff = docdiff.Of("r", nil, make([]byte, 100))
	require.Regexp(t, `^\+ r: malformed .*, 100 bytes: (00){24}…$`, diff.Changes[0].String())
}

func TestManyChanges(t *testing.T) {
	t.Parallel()
	list := func(n string) string { return "[" + strings.TrimSuffix(strings.Repeat(n+",", 70), ",") + "]" }
	diff := docdiff.Of("r", document(t, list("1")), document(t, list("2")))
	require.Len(t, diff.Changes, 50)
	require.Equal(t, 20, diff.More)
	require.Equal(t, "… and 20 more", diff.Lines()[50])
}

func TestValuesOfEqualText(t *testing.T) {
	t.Parallel()
	diff := docdiff.Of("r", wire.AppendBin(nil, []byte("{}")), wire.String("e30="))
	require.Equal(t, []string{`r: "e30=" (bytes) → "e30=" (string)`}, diff.Lines())
}

// FuzzOf compares anything with anything.
func FuzzOf(f *testing.F) {
	f.Add(document(f, `{"a":[1,{"b":"x"}]}`), document(f, `{"a":[2,{"b":"y"},null]}`))
	f.Add([]byte{0xc1}, []byte{0x91})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		diff := docdiff.Of("r", a, b)
		for _, line := range diff.Lines() {
			require.Equal(t, docdiff.Clean(line), line)
		}
		back := docdiff.Of("r", b, a)
		require.Len(t, back.Changes, len(diff.Changes))
		equal := docdiff.Of("r", a, a)
		require.True(t, equal.IsZero())
	})
}
