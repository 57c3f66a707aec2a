package chat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ typed, want string }{
		"letters":                         {"añ 字", "añ 字"},
		"enter":                           {"a\r", "a\r"},
		"a line feed is enter":            {"a\n", "a\r"},
		"alt-enter":                       {"a\x1b\rb", "a⏎b"},
		"shift-enter, by its number":      {"a\x1b[13;2ub", "a⏎b"},
		"shift-enter, by xterm":           {"a\x1b[27;2;13~b", "a⏎b"},
		"arrows":                          {"\x1b[A\x1b[B\x1b[C\x1b[D", "\x1b[A\x1b[B\x1b[C\x1b[D"},
		"arrows of an application":        {"\x1bOA\x1bOB", "\x1b[A\x1b[B"},
		"by word":                         {"\x1b[1;5C\x1b[1;5D\x1bf\x1bb", "\x1b[1;3C\x1b[1;3D\x1b[1;3C\x1b[1;3D"},
		"home and end":                    {"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1bOH", "\x01\x05\x01\x05\x01"},
		"delete":                          {"\x1b[3~\x7f\x1b\x7f", "\x1b[3~\x7f\x17"},
		"keys of the line editor":         {"\x01\x05\x0b\x15\x17", "\x01\x05\x0b\x15\x17"},
		"function keys do nothing":        {"\x1b[15~\x1bOP\x1b[200xa", "a"},
		"a sequence without an end":       {"\x1b[" + strings.Repeat("1", 40), strings.Repeat("1", 10)},
		"a sequence that is broken off":   {"\x1b[1\ra", "\ra"},
		"escape and a letter":             {"\x1bx", "x"},
		"what would steer":                {"a\x00\u009b\u202e\u2028b\x1c\x1d", "ab"},
		"what is no text":                 {"a\xffb", "ab"},
		"pasted lines":                    {"\x1b[200~a\r\nb\nc\rd\te\x1b[201~f", "\x1b[200~a⏎b⏎c⏎d␉e\x1b[201~f"},
		"what would steer, pasted":        {"\x1b[200~\x1b[2Ja\x08\u009b\x1b[201~", "\x1b[200~[2Ja\x1b[201~"},
		"the mark of a paste in a paste":  {"\x1b[200~\x1b[200~a\x1b[201~\r", "\x1b[200~[200~a\x1b[201~\r"},
		"ctrl-c in a paste without end":   {"\x1b[200~a\x03b", "\x1b[200~a\x1b[201~\x1cb"},
		"ctrl-c and ctrl-d are ours":      {"a\x03b\x04c", "a\x1cb\x1dc"},
		"the end of a paste, without one": {"\x1b[201~a", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, translated([]byte(test.typed), len(test.typed)))
			require.Equal(t, test.want, translated([]byte(test.typed), 1), "byte by byte")
		})
	}
}

// translated translates input in pieces of size bytes.
func translated(in []byte, size int) string {
	var k keys
	var all []byte
	for len(in) > 0 {
		n := min(size, len(in))
		piece := in[:n]
		in = in[n:]
		for {
			out, left := k.translate(piece)
			all = append(all, out...)
			if piece = left; len(piece) == 0 {
				break
			}
		}
	}
	return string(all)
}

func FuzzKeys(f *testing.F) {
	for _, typed := range []string{"abc\r", "\x1b[200~a\r\nb\x1b[201~", "\x1b[1;5C\x1bOP\x03\x04", "\xff\xe2\x80", "\x1b[\x1b[A"} {
		f.Add([]byte(typed), 3)
	}
	known := []string{pasteStart, pasteEnd, wordLeft, wordRight, "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[3~"}
	f.Fuzz(func(t *testing.T, typed []byte, size int) {
		out := translated(typed, max(1, size%64))
		require.Equal(t, translated(typed, max(1, len(typed))), out, "pieces do not matter")
		for _, sequence := range known {
			out = strings.ReplaceAll(out, sequence, "")
		}
		require.NotContains(t, out, "\x1b")
		require.NotContains(t, out, "\u009b")
	})
}
