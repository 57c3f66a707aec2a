package text_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/text"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"needle", "n..dle", "^x", "(?i)NEEDLE$", "x+n", "^$", "y", `\bneedle\b`, "\uFFFD", "needle|q", "n(e*)d.*"} {
		expression := regexp.MustCompile(pattern)
		for _, filler := range []string{"", "x", "é ", "\xff"} {
			for _, n := range []int{1, 600, 5000} {
				for _, line := range []string{strings.Repeat(filler, n) + "needle", strings.Repeat(filler, n), "needle" + strings.Repeat(filler, n)} {
					require.Equal(t, expression.FindStringIndex(line), text.Find(t.Context(), expression, []byte(line)), "%s %q %d", pattern, filler, n)
				}
			}
		}
	}
}

// An expression that would need minutes ends with the context.
func TestFindEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	for _, pattern := range []string{"a{1,999}b", "a{1,999}b|a$"} {
		require.Nil(t, text.Find(ctx, regexp.MustCompile(pattern), []byte(strings.Repeat("a", 8<<20))))
	}
	require.Less(t, time.Since(start), 20*time.Second)
}
