//go:build linux || darwin

package shellsession

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the text is, a shell that is told to say it says just that, and goes on.
func TestEveryTextIsQuoted(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Config{
		Command: []string{"/bin/sh"}, Dir: t.TempDir(), Limits: Limits{Lines: 1000, Bytes: 1 << 16}, StartTimeout: time.Minute, StopTimeout: time.Minute,
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.OneOf(rapid.RuneFrom([]rune("'\"\\`$(){};&|<>#\n\r\t !*?~")), rapid.Rune()), 0, 50, -1).Draw(t, "text")
		result, err := s.Run(t.Context(), "printf %s "+quote(text), time.Minute)
		if err != nil {
			require.ErrorIs(t, err, ErrNUL)
			return
		}
		require.Equal(t, text, result.Output)
		require.False(t, result.Ended)
	})
}
