package shellsession

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pieces cuts a text anywhere.
func pieces(t *rapid.T, data []byte) (out [][]byte) {
	for len(data) > 0 {
		n := rapid.IntRange(1, len(data)).Draw(t, "n")
		out = append(out, data[:n])
		data = data[n:]
	}
	return out
}

// However the pipes cut what a command writes, the same is kept, and no more than the limits say.
func TestCaptureDoesNotDependOnPieces(t *testing.T) {
	t.Parallel()
	const marker = "aab"
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) []byte {
			text := []byte(rapid.StringMatching(`[abä\n]{0,40}`).Draw(t, name))
			return bytes.ReplaceAll(text, []byte(marker), []byte("xyz"))
		}
		limits := Limits{
			Lines: rapid.IntRange(1, 8).Draw(t, "lines"), Bytes: rapid.IntRange(1, 30).Draw(t, "bytes"), WholeLines: rapid.Bool().Draw(t, "whole"),
		}
		written := [streams][]byte{text("stdout"), text("stderr")}
		if rapid.Bool().Draw(t, "no stderr") {
			written[stderr] = nil
		}
		feed := func(cut func([]byte) [][]byte) *capture {
			c := newCapture(marker, limits)
			for _, piece := range cut(append(bytes.Clone(written[stdout]), marker+" 7\nlate"...)) {
				c.receive(stdout, piece)
			}
			require.False(t, c.complete())
			for _, piece := range cut(append(bytes.Clone(written[stderr]), marker+"\n"...)) {
				c.receive(stderr, piece)
			}
			require.True(t, c.complete())
			c.flush()
			require.Equal(t, 7, c.exitCode())
			return c
		}
		got := feed(func(data []byte) [][]byte { return pieces(t, data) })
		want := feed(func(data []byte) [][]byte { return [][]byte{data} })
		require.Equal(t, *want.result(), *got.result())

		result := got.result()
		require.True(t, utf8.ValidString(result.Output))
		require.NotContains(t, result.Output, marker)
		require.Equal(t, len(written[0])+len(written[1]), result.Bytes)
		require.Equal(t, result.Lines > limits.Lines, result.TruncatedLines)
		kept := strings.ReplaceAll(result.Output, stderrMark, "")
		require.LessOrEqual(t, len(kept), limits.Bytes+1, "one end of a line is ours")
		if !result.TruncatedBytes && !result.TruncatedLines && len(written[1]) == 0 {
			require.Equal(t, string(written[0]), result.Output)
		}
	})
}

func FuzzCapture(f *testing.F) {
	f.Add([]byte("a\nb"), []byte("e"), 3)
	f.Add([]byte("mark 0\n"), []byte("mark\n"), 1)
	f.Fuzz(func(t *testing.T, out, err []byte, n int) {
		c := newCapture("mark", Limits{Lines: 3, Bytes: 10})
		n = min(max(n, 1), 1000)
		for len(out)+len(err) > 0 {
			k := min(n, len(out))
			c.receive(stdout, out[:k])
			out = out[k:]
			k = min(n, len(err))
			c.receive(stderr, err[:k])
			err = err[k:]
		}
		c.flush()
		require.True(t, utf8.ValidString(c.result().Output))
		require.LessOrEqual(t, len(c.result().Output), 3*(10+len(stderrMark)+1))
		_ = c.exitCode()
	})
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)`\n": "'$(x)`\n'"} {
		require.Equal(t, want, quote(text))
	}
}
