package pii_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/pii"
)

func FuzzApply(f *testing.F) {
	for _, text := range []string{
		"mail ann@example.com", "4111-1111-1111-1111", "10.0.0.1 2001:db8::1", "00:1A:2b:3C:4d:5E", "https://a.b/c www.d.e f.g/h", "\xff",
	} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		for _, kind := range pii.Kinds() {
			for _, strategy := range []pii.Strategy{pii.Redact, pii.Mask, pii.Hash, pii.Block} {
				check(t, kind, strategy, text, at)
			}
		}
	})
}

func check(t *testing.T, kind string, strategy pii.Strategy, text string, at int) {
	t.Helper()
	rule := newRule(t, kind, strategy, "")
	once, matches, err := rule.Apply(text)
	end := 0
	for _, m := range matches {
		require.True(t, end <= m.Start && m.Start < m.End && m.End <= len(text), "%v", matches)
		end = m.End
	}
	if strategy == pii.Block {
		require.Equal(t, err != nil, len(matches) > 0)
		return
	}
	require.NoError(t, err)
	if at >= 0 && at <= len(text) {
		stream := rule.Stream()
		require.Equal(t, once, stream.Pass(text[:at])+stream.Pass(text[at:])+stream.End())
	}
	if strategy == pii.Redact && !strings.ContainsAny(text, "[]") {
		require.Empty(t, rule.Find(once), "of %q remains %q", text, once)
	}
}
