package files_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/files"
)

func TestRead(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{MaxOutput: 20}, map[string]string{
		"three":   "one\ntwo\nthree\n",
		"no end":  "one\ntwo",
		"empty":   "",
		"break":   "\n",
		"windows": "a\r\nb\r\n",
		"bytes":   "caf\xe9 \xff\xfe!\nok\n",
		"long":    strings.Repeat("é", 30) + "\nnext\n",
		"zero":    strings.Repeat("a\n", 5000) + "\x00",
		"many":    strings.Repeat("12345678\n", 10),
	})
	for _, test := range []struct {
		name          string
		offset, limit int
		want          string
	}{
		{"three", 0, 0, "one\ntwo\nthree"},
		{"three", 1, 2, "one\ntwo\n[lines 1-2 of 3; go on with offset 3]"},
		{"three", 3, 1, "three\n[lines 3-3, the end of the file]"},
		{"three", 2, 1, "two\n[lines 2-2 of 3; go on with offset 3]"},
		{"no end", 0, 0, "one\ntwo"},
		{"empty", 0, 0, "[the file is empty]"},
		{"break", 0, 0, ""},
		{"windows", 0, 0, "a\r\nb\r"},
		{"bytes", 0, 0, "caf\ufffd \ufffd\ufffd!\nok\n[3 bytes are not UTF-8 and are shown as \ufffd]"},
		{"long", 0, 0, strings.Repeat("é", 10) + "\n[lines 1-1 of 2; go on with offset 2]\n[line 1 is longer than can be shown: 40 bytes are missing at its end]"},
		{"long", 2, 0, "next\n[lines 2-2, the end of the file]"},
		{"zero", 4999, 2, "a\na\n[lines 4999-5000 of 5001; go on with offset 5001]"},
		{"many", 0, 0, "12345678\n12345678\n[lines 1-2 of 10; go on with offset 3]"},
		{"many", 9, 0, "12345678\n12345678\n[lines 9-10, the end of the file]"},
	} {
		page, err := b.Read(t.Context(), test.name, test.offset, test.limit)
		require.NoError(t, err)
		require.Equal(t, test.want, page.String(), "%s %d %d", test.name, test.offset, test.limit)
	}
	_, err := b.Read(t.Context(), "three", 4, 0)
	require.EqualError(t, err, `offset: 4 is past the end: "three" has 3 lines`)
	_, err = b.Read(t.Context(), "three", 0, -1)
	require.EqualError(t, err, "offset and limit: must not be negative")
}

func TestReadPagesCoverTheFile(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "line %d %s\n", i, strings.Repeat("x", i%100))
	}
	b := setup(t, files.Options{}, map[string]string{"f": text.String()})
	var lines []string
	for offset := 1; ; {
		page, err := b.Read(t.Context(), "f", offset, 0)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Text), 64<<10)
		require.Equal(t, 3000, page.Total)
		lines = append(lines, strings.Split(page.Text, "\n")...)
		offset += page.Lines
		if !page.More {
			break
		}
	}
	require.Equal(t, strings.TrimSuffix(text.String(), "\n"), strings.Join(lines, "\n"))
}

func TestReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{"f": "text\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Read(ctx, "f", 0, 0)
	require.ErrorIs(t, err, context.Canceled)
}
