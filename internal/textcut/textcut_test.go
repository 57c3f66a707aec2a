package textcut_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/textcut"
)

func TestHead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abc", 4, "abc"},
		{"abc", 2, "ab"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"äö", 3, "ä"},
		{"äö", 2, "ä"},
		{"äö", 1, ""},
		{"a😀", 4, "a"},
		{"\x80\x80\x80", 2, ""},
	} {
		require.Equal(t, test.want, textcut.Head(test.text, test.limit), "%q at %d", test.text, test.limit)
		require.Equal(t, test.want, string(textcut.Head([]byte(test.text), test.limit)), "%q at %d", test.text, test.limit)
	}
}

func FuzzHead(f *testing.F) {
	f.Add("a😀b", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		head := textcut.Head(text, limit)
		require.True(t, strings.HasPrefix(text, head))
		require.LessOrEqual(t, len(head), max(limit, 0))
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(head))
			require.Greater(t, len(head)+utf8.UTFMax, min(limit, len(text)))
		}
	})
}
