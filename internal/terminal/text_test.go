package terminal_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// hostile holds texts with which a model could take over a terminal or fool its reader.
const hostile = "\x1b[2J\x1b]0;title\x07 \u009b31m \u202egnp.exe \u2066x\u2069 \r over\x7f \u2028 \x00"

func TestTextsCannotSteer(t *testing.T) {
	t.Parallel()
	for name, shown := range map[string]string{
		"text": terminal.Text("one\n\ttwo " + hostile), "line": terminal.Line("one\ntwo " + hostile),
		"lines": terminal.Lines([]string{"a\nb", hostile}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range shown {
				require.False(t, r != '\n' && r != '\t' && text.Steers(r), "%q", shown)
			}
		})
	}
	require.Equal(t, "one\n\ttwo \uFFFD", terminal.Text("one\n\ttwo \x1b"))
	require.Equal(t, "one two", terminal.Line("one\ntwo"))
	require.True(t, utf8.ValidString(terminal.Text("caf\xe9")))
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	require.Equal(t, "äöü", text.Cut("äöü", 3))
	require.Equal(t, "äö…", text.Cut("äöü", 2))
	require.Equal(t, 501, utf8.RuneCountInString(terminal.Line(strings.Repeat("ä", 600))))
	require.Contains(t, terminal.Lines(make([]string, 70)), "and 10 more")
}

func TestDocumentsLoseNothing(t *testing.T) {
	t.Parallel()
	doc := map[string]string{"text": hostile + " <b> \U000e0041"}
	var line, document bytes.Buffer
	require.NoError(t, terminal.PrintLine(&line, doc))
	require.NoError(t, terminal.PrintDocument(&document, doc))
	require.Equal(t, 1, strings.Count(line.String(), "\n"))
	require.Equal(t, 3, strings.Count(document.String(), "\n"))
	for _, printed := range []string{line.String(), document.String()} {
		for _, r := range strings.ReplaceAll(printed, "\n", "") {
			require.False(t, text.Steers(r), "%q", printed)
		}
		var read map[string]string
		require.NoError(t, json.Unmarshal([]byte(printed), &read))
		require.Equal(t, doc, read)
		require.Contains(t, printed, "<b>")
	}
}
