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
		"enter":                           {"a\r", "a<enter>"},
		"a line feed is enter":            {"a\n", "a<enter>"},
		"alt-enter":                       {"a\x1b\rb", "a\nb"},
		"shift-enter, by its number":      {"a\x1b[13;2ub", "a\nb"},
		"shift-enter, by xterm":           {"a\x1b[27;2;13~b", "a\nb"},
		"arrows":                          {"\x1b[A\x1b[B\x1b[C\x1b[D", "<up><down><right><left>"},
		"arrows of an application":        {"\x1bOA\x1bOB", "<up><down>"},
		"by word":                         {"\x1b[1;5C\x1b[1;5D\x1bf\x1bb", "<word right><word left><word right><word left>"},
		"home and end":                    {"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1bOH", "<home><last><home><last><home>"},
		"delete":                          {"\x1b[3~\x7f\x1b\x7f", "<delete><backspace><delete word>"},
		"keys of a line editor":           {"\x01\x05\x0b\x15\x17\x14\x0c\t", "<home><last><delete after><delete before><delete word><swap><clear><tab>"},
		"function keys do nothing":        {"\x1b[15~\x1bOP\x1b[200xa", "a"},
		"a sequence without an end":       {"\x1b[" + strings.Repeat("1", 40), strings.Repeat("1", 10)},
		"a sequence that is broken off":   {"\x1b[1\ra", "<enter>a"},
		"escape and a letter":             {"\x1bx", "x"},
		"what would steer":                {"a\x00\u009b\u202e\u2028b\x1c\x1d", "ab"},
		"what is not text":                {"a\xffb", "ab"},
		"an emoji of several characters":  {"👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"},
		"pasted lines":                    {"\x1b[200~a\r\nb\nc\rd\te\x1b[201~f", "a\nb\nc\nd\tef"},
		"what would steer, pasted":        {"\x1b[200~\x1b[2Ja\x08\u009b\x1b[201~", "[2Ja"},
		"the mark of a paste in a paste":  {"\x1b[200~\x1b[200~a\x1b[201~\r", "[200~a<enter>"},
		"ctrl-c in a paste without end":   {"\x1b[200~a\x03b", "a<cancel>b"},
		"ctrl-c and ctrl-d":               {"a\x03b\x04c", "a<cancel>b<end>c"},
		"the end of a paste, without one": {"\x1b[201~a", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, decoded([]byte(test.typed), len(test.typed)))
			require.Equal(t, test.want, decoded([]byte(test.typed), 1), "byte by byte")
		})
	}
}

// marks stand for keys in the tests.
var marks = map[key]string{
	keyEnter: "<enter>", keyComplete: "<tab>", keyCancel: "<cancel>", keyEnd: "<end>", keyLeft: "<left>", keyRight: "<right>",
	keyWordLeft: "<word left>", keyWordRight: "<word right>", keyHome: "<home>", keyLast: "<last>", keyUp: "<up>", keyDown: "<down>",
	keyBackspace: "<backspace>", keyDelete: "<delete>", keyDeleteWord: "<delete word>", keyDeleteBefore: "<delete before>",
	keyDeleteAfter: "<delete after>", keySwap: "<swap>", keyClear: "<clear>",
}

// decoded decodes input in pieces of size bytes.
func decoded(in []byte, size int) string {
	var k keys
	var all strings.Builder
	for len(in) > 0 {
		n := min(size, len(in))
		for _, pressed := range k.decode(in[:n]) {
			all.WriteString(marks[pressed.key] + pressed.text)
		}
		in = in[n:]
	}
	return all.String()
}

func FuzzKeys(f *testing.F) {
	for _, typed := range []string{"abc\r", "\x1b[200~a\r\nb\x1b[201~", "\x1b[1;5C\x1bOP\x03\x04", "\xff\xe2\x80", "\x1b[\x1b[A"} {
		f.Add([]byte(typed), 3)
	}
	f.Fuzz(func(t *testing.T, typed []byte, size int) {
		out := decoded(typed, max(1, size%64))
		require.Equal(t, decoded(typed, max(1, len(typed))), out, "pieces do not matter")
		require.NotContains(t, out, "\x1b")
		require.NotContains(t, out, "\u009b")
	})
}
