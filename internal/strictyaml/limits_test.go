package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// bomb has 2,950 bytes and, with every alias resolved, 10^50 values.
func bomb() string {
	var out strings.Builder
	out.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 50; i++ {
		fmt.Fprintf(&out, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	return out.String()
}

func mergeBomb() string {
	var out strings.Builder
	out.WriteString("m0: &m0 {")
	for i := range 1000 {
		fmt.Fprintf(&out, "k%d: 1, ", i)
	}
	out.WriteString("}\n")
	for i := 1; i < 100; i++ {
		fmt.Fprintf(&out, "m%d: &m%d {<<: *m%d, own%d: 1}\n", i, i, i-1, i)
	}
	return out.String()
}

// TestLimits gives every input that could use up time, memory or the stack; the largest are 1 MiB.
func TestLimits(t *testing.T) {
	t.Parallel()
	repeat := func(s string, size int) string { return strings.Repeat(s, size/len(s)) }
	keys := func(n int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, "key%d: v\n", i)
		}
		return out.String()
	}
	const (
		tooMany = "the document has more than 100000 values, including values that aliases repeat"
		tooDeep = "lists and mappings are nested deeper than 100 levels"
	)
	for name, test := range map[string]struct{ text, want string }{
		"alias bomb":           {bomb(), tooMany},
		"merge bomb":           {mergeBomb(), tooMany},
		"deep flow lists":      {repeat("[", 1000) + repeat("]", 1000), tooDeep},
		"very deep flow lists": {repeat("[", 400_000), tooDeep},
		"deep flow mappings":   {repeat("{a: ", 4000) + repeat("}", 1000), tooDeep},
		"deep lists":           {repeat("- ", 1000), tooDeep},
		"very deep lists":      {repeat("- ", 1<<20), tooDeep},
		"deep keys":            {repeat("? ", 1000), tooDeep},
		"tags in a row":        {repeat("!!str ", 1<<20), "this does not belong to the value before it"},
		"anchors in a row":     {repeat("&a ", 1<<20), "this does not belong to the value before it"},
		"deep through aliases": {"a0: &a0 [x]\n" + deepAliases(120), tooDeep},
		"deep block":           {deepBlock(150), tooDeep},
		"many values":          {"[" + repeat("a,", 200_004) + "a]", tooMany},
		"many empty values":    {repeat("-\n", 1<<20), tooMany},
		"many tags":            {"[" + repeat("!!str a,", 1<<20-10) + "]", tooMany},
		"many keys":            {keys(70_000), tooMany},
		"many copies":          {keysCopied(10_000, 20_000), tooMany},
		"many merge keys":      {"a: &a {b: 1}\nc:\n" + repeat("  <<: *a\n", 200_000), `key "<<" is given twice`},
		"many documents":       {repeat("--- a\n", 50_000), "a second YAML document starts here"},
		"many lone keys":       {"? a\n" + repeat("? b\n", 1<<20-10), `key "b" is given twice`},
		"long key":             {repeat("k", 1<<20-3) + ": v", "a key has more than 1024 characters"},
		"open quote":           {`a: "` + repeat("é", 1<<20-10), `the closing " is missing`},
		"open list":            {"[" + repeat("a, ", 1<<20-10) + "b", `the closing "]" is missing`},
		"large file":           {repeat("a", 1<<20+1), "the file has 1048577B, more than the limit of 1MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			var into any
			require.ErrorContains(t, strictyaml.Decode("f", []byte(test.text), &into), test.want)
			require.Less(t, time.Since(start), time.Minute)
		})
	}
}

// keysCopied has a mapping that others copy.
func keysCopied(keys, copies int) string {
	var out strings.Builder
	out.WriteString("a: &a {")
	for i := range keys {
		fmt.Fprintf(&out, "key%d: , ", i)
	}
	return out.String() + "}\nb:\n" + strings.Repeat("- {<<: *a}\n", copies)
}

func deepAliases(n int) string {
	var out strings.Builder
	for i := 1; i < n; i++ {
		fmt.Fprintf(&out, "a%d: &a%d [*a%d]\n", i, i, i-1)
	}
	return out.String()
}

func deepBlock(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return out.String()
}

func TestWithinLimits(t *testing.T) {
	t.Parallel()
	var into any
	require.NoError(t, strictyaml.Decode("f", []byte(deepBlock(99)+strings.Repeat(" ", 99)+"b"), &into))
	require.NoError(t, strictyaml.Decode("f", []byte("["+strings.Repeat("a,", 20_000)+"a]"), &into))
	require.NoError(t, strictyaml.Decode("f", []byte(strings.Repeat("- a: 1\n  b: 2\n", 11_000)), &into), "many mappings are not one")
	require.NoError(t, strictyaml.Decode("f", []byte("a: |\n"+strings.Repeat("\n", 1<<20-5)), &into))
	require.NoError(t, strictyaml.Decode("f", []byte(`a: "`+strings.Repeat("\t", 1<<20-5)+`"`), &into))
	require.NoError(t, strictyaml.Decode("f", []byte(strings.Repeat("<<", 1<<19)), &into))
	text := "a: |\n" + strings.Repeat("  text\n", 200_000)
	require.Error(t, strictyaml.Decode("f", []byte(text), &into))
	require.NoError(t, strictyaml.Decode("f", []byte(text), &into, strictyaml.WithMaxBytes(2<<20)))
	require.EqualError(t, strictyaml.Decode("f", []byte("a: b"), &into, strictyaml.WithMaxBytes(3)), "f: the file has 4B, more than the limit of 3B")
}

func TestAtMostTwentyProblemsAreShown(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "unknown%d: x\n", i)
	}
	var problems *strictyaml.Error
	require.ErrorAs(t, decodeError(t, text.String()), &problems)
	require.Len(t, problems.Problems, 20)
	require.Equal(t, 10, problems.More)
}
