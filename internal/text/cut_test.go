package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/text"
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
		require.Equal(t, test.want, text.Head(test.text, test.limit), "%q at %d", test.text, test.limit)
		require.Equal(t, test.want, string(text.Head([]byte(test.text), test.limit)), "%q at %d", test.text, test.limit)
	}
}

func FuzzHead(f *testing.F) {
	f.Add("a😀b", 3)
	f.Fuzz(func(t *testing.T, given string, limit int) {
		head := text.Head(given, limit)
		require.True(t, strings.HasPrefix(given, head))
		require.LessOrEqual(t, len(head), max(limit, 0))
		if utf8.ValidString(given) {
			require.True(t, utf8.ValidString(head))
			require.Greater(t, len(head)+utf8.UTFMax, min(limit, len(given)))
		}
	})
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		n     int
		first string
		cut   string
	}{
		{"", 0, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abc", 2, "ab", "ab…"},
		{"abc", 0, "", "…"},
		{"abc", -1, "", "…"},
		{"äöü", 3, "äöü", "äöü"},
		{"äöü", 2, "äö", "äö…"},
		{"a😀b", 2, "a😀", "a😀…"},
	} {
		require.Equal(t, test.first, text.First(test.text, test.n), "%q at %d", test.text, test.n)
		require.Equal(t, test.cut, text.Cut(test.text, test.n), "%q at %d", test.text, test.n)
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c", text.OneLine("  a\n b\t\tc\r\n"))
	require.Empty(t, text.OneLine(" \n"))
}

func TestClean(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c d e �f", text.Clean("a\nb\x1bc\u202ed\u2028e\u0085\xfff"))
	require.Equal(t, "äöü 😀", text.Clean("äöü 😀"))
}

func TestEscape(t *testing.T) {
	t.Parallel()
	require.Equal(t, `a\u000ab\u001bc\u202ed`, text.Escape("a\nb\x1bc\u202ed", text.Steers))
	require.Equal(t, `a\ud83d\ude00`, text.Escape("a😀", func(r rune) bool { return r > 0x7f }))
	require.Equal(t, "plain", text.Escape("plain", text.Steers))
}
