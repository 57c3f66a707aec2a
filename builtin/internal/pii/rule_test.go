package pii_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/pii"
)

func newRule(t testing.TB, kind string, strategy pii.Strategy, pattern string) *pii.Rule {
	t.Helper()
	rule, err := pii.New(kind, strategy, pattern)
	require.NoError(t, err)
	return rule
}

func TestApply(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, kind, pattern string
		strategy            pii.Strategy
		text, want          string
	}{
		{name: "redact is the default", kind: "email", text: "mail ann@example.com now", want: "mail [REDACTED_EMAIL] now"},
		{name: "several in a row", kind: "email", text: "a@b.io,c@d.io", want: "[REDACTED_EMAIL],[REDACTED_EMAIL]"},
		{name: "next to another script", kind: "email", text: "联系alice@example.com吧", want: "联系[REDACTED_EMAIL]吧"},
		{name: "next to an accent", kind: "email", text: "éann@example.comé", want: "é[REDACTED_EMAIL]é"},
		{name: "end of a sentence", kind: "email", text: "ask ann@example.com.", want: "ask [REDACTED_EMAIL]."},
		{name: "no top level", kind: "email", text: "ann@localhost", want: "ann@localhost"},
		{name: "a bar is not a letter", kind: "email", text: "ann@example.|||", want: "ann@example.|||"},
		{name: "invalid bytes stay", kind: "email", text: "\xff\xfea@b.io\xff", want: "\xff\xfe[REDACTED_EMAIL]\xff"},
		{name: "email mask", kind: "email", strategy: pii.Mask, text: "ann.lee@mail.example.com", want: "ann.lee@****.com"},
		{name: "email hash", kind: "email", strategy: pii.Hash, text: "ann@example.com", want: "<email_hash:71d4f55f>"},
		{name: "card", kind: "credit_card", text: "4532015112830366", want: "[REDACTED_CREDIT_CARD]"},
		{name: "card that fails the check", kind: "credit_card", text: "1234567890123456", want: "1234567890123456"},
		{name: "card mask with dashes", kind: "credit_card", strategy: pii.Mask, text: "4111-1111-1111-1111", want: "****-****-****-1111"},
		{name: "card mask with spaces", kind: "credit_card", strategy: pii.Mask, text: "4111 1111 1111 1111", want: "**** **** **** 1111"},
		{name: "card mask without", kind: "credit_card", strategy: pii.Mask, text: "4111111111111111", want: "************1111"},
		{name: "card with a no-break space", kind: "credit_card", text: "4111\u00a01111\u00a01111\u00a01111", want: "[REDACTED_CREDIT_CARD]"},
		{name: "card behind a year", kind: "credit_card", text: "2024 4111 1111 1111 1111", want: "2024 [REDACTED_CREDIT_CARD]"},
		{name: "card inside of a longer number", kind: "credit_card", text: "41111111111111111", want: "41111111111111111"},
		{name: "card with two separators", kind: "credit_card", text: "4111  1111 1111 1111", want: "4111  1111 1111 1111"},
		{name: "card at a letter", kind: "credit_card", text: "x4111111111111111", want: "x4111111111111111"},
		{name: "ip", kind: "ip", text: "from 10.0.0.1.", want: "from [REDACTED_IP]."},
		{name: "ip out of range", kind: "ip", text: "999.1.1.1 256.0.0.1", want: "999.1.1.1 256.0.0.1"},
		{name: "ip mask", kind: "ip", strategy: pii.Mask, text: "192.168.1.100", want: "*.*.*.100"},
		{name: "ip with a port", kind: "ip", text: "10.0.0.1:8080", want: "[REDACTED_IP]:8080"},
		{name: "version 6", kind: "ip", text: "at 2001:db8::1, fe80::1%eth0.", want: "at [REDACTED_IP], [REDACTED_IP]%eth0."},
		{name: "version 6, whole", kind: "ip", text: "2001:0db8:85a3:0000:0000:8a2e:0370:7334", want: "[REDACTED_IP]"},
		{name: "version 6 with version 4", kind: "ip", text: "::ffff:10.0.0.1", want: "[REDACTED_IP]"},
		{name: "version 6 behind a colon", kind: "ip", text: "address:2001:db8::1: is it", want: "address:[REDACTED_IP]: is it"},
		{name: "both versions in a row", kind: "ip", text: "10.0.0.0:abc::0 fe80::1.999.1.1", want: "[REDACTED_IP] [REDACTED_IP].999.1.1"},
		{name: "version 6 in brackets", kind: "ip", strategy: pii.Mask, text: "[2001:db8::1]:443", want: "[****]:443"},
		{name: "no version 6", kind: "ip", text: "std::dead a::b x[1::2] 12:30:45 ::1 ::", want: "std::dead a::b x[1::2] 12:30:45 ::1 ::"},
		{name: "mac", kind: "mac_address", text: "00:1A:2b:3C:4d:5E", want: "[REDACTED_MAC_ADDRESS]"},
		{name: "mac mask", kind: "mac_address", strategy: pii.Mask, text: "00-1A-2b-3C-4d-5E", want: "**-**-**-**-**-5E"},
		{name: "mac too short", kind: "mac_address", text: "00:1A:2b:3C:4d", want: "00:1A:2b:3C:4d"},
		{name: "urls", kind: "url", text: "https://a.b/c?d=1 www.e.org f.net/g h.net", want: "[REDACTED_URL] [REDACTED_URL] [REDACTED_URL] h.net"},
		{name: "url mask", kind: "url", strategy: pii.Mask, text: "see https://example.com/a now", want: "see [MASKED_URL] now"},
		{name: "url in markup", kind: "url", text: `<a href="https://a.b/c">x</a>`, want: `<a href="[REDACTED_URL]">x</a>`},
		{name: "url behind a url", kind: "url", text: "https://a.b/x<c.d/e", want: "[REDACTED_URL]<[REDACTED_URL]"},
		{name: "url in a path", kind: "url", text: "a.b/https://c.d<e.f/g", want: "[REDACTED_URL]"},
		{name: "url without a host", kind: "url", text: "https:///x y", want: "https:///x y"},
		{name: "url that a name runs into", kind: "url", text: "www.https://a.b", want: "[REDACTED_URL]"},
		{name: "own kind", kind: "key", pattern: "sk-[a-z0-9]{6}", text: "key sk-abc123 here", want: "key [REDACTED_KEY] here"},
		{name: "own kind, mask", kind: "emp", pattern: "EMP-[0-9]+", strategy: pii.Mask, text: "EMP-123456", want: "****3456"},
		{name: "own kind, mask of a short value", kind: "n", pattern: "[0-9]+", strategy: pii.Mask, text: "1234", want: "****"},
		{name: "own kind, mask of characters", kind: "n", pattern: "[äöü]+", strategy: pii.Mask, text: "äöüäöü", want: "****üäöü"},
		{name: "own kind, empty matches", kind: "n", pattern: "[0-9]*", text: "a1b", want: "a[REDACTED_N]b"},
		{name: "own expression of a built-in kind, mask", kind: "email", pattern: "at[a-z]+", strategy: pii.Mask, text: "atann", want: "****"},
		{name: "the empty text", kind: "url", text: "", want: ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rule := newRule(t, test.kind, test.strategy, test.pattern)
			got, matches, err := rule.Apply(test.text)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			require.Equal(t, got != test.text, len(matches) > 0)
			for _, m := range matches {
				require.Equal(t, test.kind, m.Kind)
			}
		})
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	rule := newRule(t, "email", pii.Block, "")
	text, _, err := rule.Apply("ann@example.com and bob@example.com")
	var blocked *pii.BlockedError
	require.ErrorAs(t, err, &blocked)
	require.Equal(t, &pii.BlockedError{
		Kind: "email", Matches: []pii.Match{{Kind: "email", Start: 0, End: 15}, {Kind: "email", Start: 20, End: 35}},
	}, blocked)
	require.EqualError(t, err, "Detected 2 instance(s) of email in text content")
	require.Equal(t, "pii_detected", blocked.ErrorType())
	require.Empty(t, text)
	text, _, err = rule.Apply("nobody")
	require.NoError(t, err)
	require.Equal(t, "nobody", text)
}

func TestDetector(t *testing.T) {
	t.Parallel()
	rule, err := pii.NewDetector("secret", pii.Redact, func(string) []pii.Match {
		return []pii.Match{
			{Start: 6, End: 8}, {Start: 0, End: 2}, {Start: 1, End: 4, Kind: "x"}, {Start: -1, End: 3}, {Start: 5, End: 5}, {Start: 7, End: 99},
		}
	})
	require.NoError(t, err)
	text, matches, err := rule.Apply("abcdefghij")
	require.NoError(t, err)
	require.Equal(t, "[REDACTED_SECRET]ef[REDACTED_SECRET]ij", text, "joined where they overlap")
	require.Equal(t, []pii.Match{{Kind: "secret", Start: 0, End: 4}, {Kind: "secret", Start: 6, End: 8}}, matches)
	stream := rule.Stream()
	require.Empty(t, stream.Pass("abcde fghij"), "who knows what it finds in the rest")
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]struct {
		kind, pattern string
		strategy      pii.Strategy
	}{
		"Unknown PII type: passport. Must be one of ['email', 'credit_card', 'ip', 'mac_address', 'url'] or provide a custom detector.": {kind: "passport"},
		"Unknown redaction strategy: drop. Use block, redact, mask or hash":                                                             {kind: "email", strategy: "drop"},
		"regular expression of Go's package regexp: error parsing regexp: invalid or unsupported Perl syntax: `(?=`":                    {kind: "x", pattern: "(?=a)"},
		"the kind of PII has no name": {pattern: "a"},
	} {
		_, err := pii.New(test.kind, test.strategy, test.pattern)
		require.ErrorContains(t, err, want)
	}
}

// A hostile text must not take more than linear time; a test that is not linear would not end.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"a@", "a@b.cc", "1.", "1.1.1.1", "a:", "::", "2001:db8::1", "00:", "1111 ", "https://a.b/x<", "www.", "a.b/", "a.b-", "x "} {
		text := strings.Repeat(part, 1<<16/len(part))
		for _, kind := range pii.Kinds() {
			rule := newRule(t, kind, pii.Redact, "")
			whole, _, err := rule.Apply(text)
			require.NoError(t, err)
			stream, size := rule.Stream(), 0
			for i := 0; i < len(text); i += 1000 {
				size += len(stream.Pass(text[i:min(len(text), i+1000)]))
			}
			require.Equal(t, len(whole), size+len(stream.End()))
		}
	}
}
