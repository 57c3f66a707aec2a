package pii_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/builtin/internal/pii"
)

// patterns are expressions of users: with and without places to cut a text.
var patterns = []string{
	"", "sk-[a-z0-9]{3}", "(?i)key[ :]+[0-9]+", "^a+", "b+$", "(?m)^a.b", "(?m)a+$", "a.b", "(?s)a.b", `\bab\b`, `\Bb`, "[^ ]+@", "[äö]1",
	"(?i)[k]1", `a\s*b`, "1*", `\w+://\S+`, "(?m)^$|a", "(a|ab)(c|1c)?",
}

// words are what texts are made of: parts of what the kinds look for among them.
var words = []string{
	"ann", "@", "example", ".", "com", "1111", "4111", "1111 ", "4111-", "4111111111111111", " ", "\n", "10", "10.0.0.1", "::", ":", "2001:db8::1",
	"00:1A:2b:3C:4d:5E", "https://", "www.", "/", "<", "ä", "联", "\u00a0", "\xff", "sk-abc", "key", "a", "b", "c", "1", "K", "K", "-", "_", "$",
}

func genText() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 0, 40), func(parts []string) string { return strings.Join(parts, "") })
}

func genRule() *rapid.Generator[*pii.Rule] {
	return rapid.Custom(func(t *rapid.T) *pii.Rule {
		kind := rapid.SampledFrom(pii.Kinds()).Draw(t, "kind")
		pattern := rapid.SampledFrom(patterns).Draw(t, "pattern")
		rule, err := pii.New(kind, rapid.SampledFrom([]pii.Strategy{pii.Redact, pii.Mask, pii.Hash}).Draw(t, "strategy"), pattern)
		require.NoError(t, err)
		return rule
	})
}

// What a stream shows is what the rule makes of the whole text, however it was cut.
func TestStreamShowsWhatApplyMakes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rule, text := genRule().Draw(t, "rule"), genText().Draw(t, "text")
		want, _, err := rule.Apply(text)
		require.NoError(t, err)
		stream := rule.Stream()
		var shown strings.Builder
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 12)).Draw(t, "piece")
			shown.WriteString(stream.Pass(rest[:n]))
			require.True(t, strings.HasPrefix(want, shown.String()), "%q of %q", shown.String(), want)
			rest = rest[n:]
		}
		shown.WriteString(stream.End())
		require.Equal(t, want, shown.String())
	})
}

func TestStreamShowsSoon(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind, pattern string
		pieces, shown []string // the last of shown is what End returns
	}{
		{"email", "", []string{"Hello ", "world, ann@", "example.com", " and", " bob"}, []string{"Hello ", "world, ", "", "[REDACTED_EMAIL] ", "and ", "bob"}},
		{"email", "", []string{"你好，", "a@b.io吗"}, []string{"你好，", "[REDACTED_EMAIL]吗", ""}},
		{"credit_card", "", []string{"in 2024 ", "we ", "paid 4111 1111 ", "1111 1111 ", "to me"}, []string{"in ", "2024 we ", "paid ", "", "[REDACTED_CREDIT_CARD] to ", "me"}},
		{"ip", "", []string{"at 10.0.", "0.1, ", "ok"}, []string{"at ", "[REDACTED_IP], ", "", "ok"}},
		{"url", "", []string{"see https://a", ".b/c now"}, []string{"see ", "[REDACTED_URL] ", "now"}},
		{"key", "sk-[a-z]+", []string{"my sk-", "abc.", "def"}, []string{"my ", "[REDACTED_KEY].", "", "def"}},
		{"key", "(?m)^key: .*$", []string{"a b\nkey", ": 1 2", " 3\nc d\n"}, []string{"a b\n", "", "[REDACTED_KEY]\nc d\n", ""}},
		{"all", "(?s)a.*b", []string{"x a ", "b x\n", "c"}, []string{"", "", "", "x [REDACTED_ALL] x\nc"}},
	} {
		stream := newRule(t, test.kind, pii.Redact, test.pattern).Stream()
		var shown []string
		for _, piece := range test.pieces {
			shown = append(shown, stream.Pass(piece))
		}
		require.Equal(t, test.shown, append(shown, stream.End()), test.kind)
	}
}

func TestStreamOfBlockedText(t *testing.T) {
	t.Parallel()
	stream := newRule(t, "email", pii.Block, "").Stream()
	require.Empty(t, stream.Pass("first words, "))
	require.Empty(t, stream.Pass("then ann@example.com "))
	require.Empty(t, stream.End())
	stream = newRule(t, "email", pii.Block, "").Stream()
	require.Empty(t, stream.Pass("all is "))
	require.Empty(t, stream.Pass("well"))
	require.Equal(t, "all is well", stream.End())
}
