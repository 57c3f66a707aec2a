package filetext_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/internal/filetext"
)

func TestReadLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 20_000)
	for title, test := range map[string]struct {
		text                string
		offset, limit, room int
		want                filetext.Lines
	}{
		"all":             {"a\nb\n", 0, 10, 100, filetext.Lines{Text: []string{"a", "b"}, Total: 2}},
		"no end":          {"a\nb", 0, 10, 100, filetext.Lines{Text: []string{"a", "b"}, Total: 2}},
		"window":          {"a\nb\nc\nd", 1, 2, 100, filetext.Lines{Text: []string{"b", "c"}, First: 1, Total: 4, More: true}},
		"behind":          {"a\n", 1, 2, 100, filetext.Lines{First: 1, Total: 1}},
		"empty":           {"", 0, 2, 100, filetext.Lines{Blank: true}},
		"blank":           {" \n\t\n", 0, 1, 100, filetext.Lines{Text: []string{" "}, Total: 2, Blank: true, More: true}},
		"none wanted":     {"a\nb", 0, 0, 100, filetext.Lines{Total: 2, More: true}},
		"CRLF and CR":     {"a\r\nb\rc\r\r\nd", 0, 9, 100, filetext.Lines{Text: []string{"a", "b", "c", "", "d"}, Total: 5}},
		"blank lines":     {"\n\na\n", 0, 9, 100, filetext.Lines{Text: []string{"", "", "a"}, Total: 3}},
		"room":            {"aaa\nbbb\nccc", 0, 9, 8, filetext.Lines{Text: []string{"aaa", "bbb"}, Total: 3, More: true}},
		"no room":         {"aaa\nbbb", 0, 9, 2, filetext.Lines{Text: []string{"aa"}, Total: 2, Cut: 1, More: true}},
		"not UTF-8":       {"a\xffb\n", 0, 9, 100, filetext.Lines{Text: []string{"a\xffb"}, Total: 1}},
		"a cut character": {"é€", 0, 9, 4, filetext.Lines{Text: []string{"é"}, Total: 1, Cut: 3}},
		"a very long one": {long + "\nb", 0, 9, 30_000, filetext.Lines{Text: []string{long, "b"}, Total: 2}},
	} {
		for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
			lines, err := filetext.ReadLines(t.Context(), r, filetext.Page{First: test.offset, Limit: test.limit, Room: test.room, CR: true})
			require.NoError(t, err)
			require.Equal(t, test.want, lines, title)
		}
	}
}

func TestReadLinesErrors(t *testing.T) {
	t.Parallel()
	_, err := filetext.ReadLines(t.Context(), strings.NewReader("\x89PNG\x00"), filetext.Page{Limit: 1, Room: 1})
	require.EqualError(t, err, "is binary")
	for text, utf16 := range map[string]bool{"\x00": false, "\xff\xfea\x00": true, "\xfe\xff\x00a": true} {
		_, err = filetext.ReadLines(t.Context(), strings.NewReader(text), filetext.Page{Limit: 1, Room: 1})
		require.Equal(t, &filetext.BinaryError{UTF16: utf16}, err)
	}
	broken := errors.New("broken")
	_, err = filetext.ReadLines(t.Context(), iotest.ErrReader(broken), filetext.Page{Limit: 1, Room: 1})
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(broken)
	_, err = filetext.ReadLines(ctx, strings.NewReader("a"), filetext.Page{Limit: 1, Room: 1})
	require.ErrorIs(t, err, broken)
}

// A file that is too long is not read to its end to count its lines.
func TestReadLinesOfAHugeFile(t *testing.T) {
	t.Parallel()
	read := 0
	line := strings.Repeat("x", 1023)
	endless := readerFunc(func(p []byte) (int, error) {
		n := copy(p, (line + "\n")[read%1024:])
		read += n
		return n, nil
	})
	lines, err := filetext.ReadLines(t.Context(), endless, filetext.Page{First: 10, Limit: 2, Room: 10_000, CR: true})
	require.NoError(t, err)
	require.Equal(t, filetext.Lines{Text: []string{line, line}, First: 10, Total: -1, More: true}, lines)
	require.Less(t, read, 65<<20)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Pages that follow each other give the lines of the whole text.
func TestPagesGiveTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\r\n")), 0, 40, -1).Draw(t, "text")
		limit, room := rapid.IntRange(1, 4).Draw(t, "limit"), rapid.IntRange(50, 60).Draw(t, "room")
		var got []string
		for {
			lines, err := filetext.ReadLines(t.Context(), strings.NewReader(text), filetext.Page{First: len(got), Limit: limit, Room: room, CR: true})
			require.NoError(t, err)
			got = append(got, lines.Text...)
			require.Equal(t, len(got) < lines.Total, lines.More)
			if len(got) >= lines.Total {
				break
			}
			require.NotEmpty(t, lines.Text)
		}
		require.Equal(t, filetext.SplitLines(text), got)
	})
}
