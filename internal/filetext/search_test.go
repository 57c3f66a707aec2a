package filetext_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/filetext"
)

// newSearch returns a search of files in memory, and the lines that it has seen.
func newSearch(files map[string]string) (*filetext.Search, *[]string) {
	var seen []string
	return &filetext.Search{
		MaxFile: 100,
		Open: func(_ context.Context, name string) (io.ReadCloser, error) {
			if text, ok := files[name]; ok {
				return io.NopCloser(strings.NewReader(text)), nil
			}
			return nil, errors.New("there is no such file")
		},
		Line: func(_ context.Context, _ string, _ int, line []byte) bool {
			seen = append(seen, string(line))
			return !bytes.Equal(line, []byte("stop"))
		},
	}, &seen
}

func TestSearchCountsWhatItSkips(t *testing.T) {
	t.Parallel()
	s, seen := newSearch(map[string]string{"text": "a\r\n\nb", "binary": "a\x00", "grown": strings.Repeat("x", 101), "end": "c\nstop\nd"})
	for _, name := range []string{"text", "binary", "grown", "none"} {
		require.True(t, s.File(t.Context(), name, 1), name)
	}
	require.True(t, s.File(t.Context(), "large", 101))
	require.False(t, s.Stopped)
	require.False(t, s.File(t.Context(), "end", 8))
	require.True(t, s.Stopped)
	require.Equal(t, []string{"a\r", "", "b", "c", "stop"}, *seen)
	require.Equal(t, []int{2, 1, 2, 1}, []int{s.Files, s.Binary, s.TooLarge, s.Unreadable})
}

func TestSearchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, seen := newSearch(map[string]string{"text": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, s.File(ctx, "text", 1))
	require.Empty(t, *seen)
	require.False(t, s.Stopped)
}
