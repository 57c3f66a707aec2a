package strictyaml_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// FuzzDecode holds for every input: nothing panics, every problem has a place inside of the file, what variables
// expand to does not show, and what is decoded once is decoded the same way again.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"", base, bomb(), "name: ${SECRET}\nsmall: ${SECRET}\n", "a: |\n  ${SECRET}\n \tx", "{a: [1, 'b', \"c\\x41\"], ? d : e}",
		"a: &a {b: 1}\nc: {<<: *a}\n...\n---\n", "%YAML 1.2\n---\na: !!int 5\n", "- - a\n  -\n-\t\"b\n  c\"\n", "a: x\n  - y # z\n",
		"middleware: [tool_call_limit: {run_limit: ${NUMBER}}]", "limits: {memory: 1MiB, fuel: -3}\nwindow: 5\nratio: .inf\n",
		"\ufeffa\xff", "<<: &b\n<<: *b", "a: >2-\n   x\r\n  y\r", "alert: {~: 0x, 0o9: 1e999}",
		"{a:}", "{?a: b}", "- ! 5\n- &é !!str x", "a: [b\nc: d", "a: {b: ${X}", "a: *b", "a: \"é\n\u2028", "a\n  - b\n\ufdd0",
	} {
		f.Add([]byte(text), "model.name=x")
		f.Add([]byte(text), `middleware[0]["a"]=[{b: ${SECRET}}]`)
	}
	const secret = "S3CR3T-4711"
	lookup := func(string) (string, bool) { return secret, true }
	f.Fuzz(func(t *testing.T, data []byte, assignment string) {
		if strings.Contains(string(data)+assignment, secret) {
			t.Skip()
		}
		opts := []strictyaml.Option{strictyaml.WithEnv(lookup), strictyaml.WithSet([]string{assignment}), strictyaml.WithMaxBytes(1 << 16)}
		var m manifest
		err := strictyaml.Decode("f", data, &m, opts...)
		requireSoundError(t, err, secret)
		var plain, again any
		err = strictyaml.Decode("f", data, &plain, opts...)
		requireSoundError(t, err, secret)
		if err == nil {
			require.NoError(t, strictyaml.Decode("f", data, &again, opts...))
			require.Equal(t, plain, again)
		}
	})
}

func requireSoundError(t *testing.T, err error, secret string) {
	t.Helper()
	if err == nil {
		return
	}
	var problems *strictyaml.Error
	require.ErrorAs(t, err, &problems)
	require.NotEmpty(t, problems.Problems)
	require.NotContains(t, err.Error(), secret)
	require.True(t, utf8.ValidString(err.Error()))
	require.NotContains(t, err.Error(), "the YAML parser failed", "not a failure of the test, but worth a look")
	for _, p := range problems.Problems {
		require.NotEmpty(t, p.Message)
		require.NotEmpty(t, p.File)
		if p.Line == 0 {
			require.Zero(t, p.Column)
			continue
		}
		require.GreaterOrEqual(t, p.Column, 1)
		require.LessOrEqual(t, p.Column, utf8.RuneCountInString(p.Source)+1)
	}
}

// FuzzSyntaxErrorsHideSecrets puts a secret into a file that cannot be read.
func FuzzSyntaxErrorsHideSecrets(f *testing.F) {
	for _, seed := range [][2]string{{"a: b\n", "c: ["}, {"x: {", "}"}, {"- [", "]:"}, {"a: |\n  x\n ", "\n\tb"}, {"\"", ""}, {"? ", "&a *b"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.Contains(before+after, "4711") {
			return
		}
		_, err := strictyaml.Parse("f", []byte(before+"\napi_key: sk-4711-secret"+after), withSecrets())
		if err != nil && strings.Contains(err.Error(), "4711") {
			t.Fatal(err)
		}
	})
}
