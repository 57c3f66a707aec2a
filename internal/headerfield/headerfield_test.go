package headerfield_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/headerfield"
)

// The RFC defines a token by the characters that it may have, and names the delimiters that it may not have.
func TestNames(t *testing.T) {
	t.Parallel()
	const delimiters = `"(),/:;<=>?@[\]{}`
	for c := range rune(0x180) {
		want := c > ' ' && c < 0x7f
		for _, d := range delimiters {
			want = want && c != d
		}
		require.Equal(t, want, headerfield.IsName("a"+string(c)+"b"), "%q", c)
	}
	require.False(t, headerfield.IsName(""))
	require.False(t, headerfield.IsName("\xff"))
	require.True(t, headerfield.IsName("X-Api-Key"))
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "a b\tc", "ü", "\xff"} {
		require.True(t, headerfield.IsValue(value), "%q", value)
	}
	for _, value := range []string{"a\nb", "a\rb", "\x00", "\x7f", "\x1b[0m"} {
		require.False(t, headerfield.IsValue(value), "%q", value)
	}
}
