package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/files"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{MaxFile: 1000}, map[string]string{
		"app.log":         "INFO start\nERROR disk\r\nwarn: error\n",
		"src/main.go":     "package main\n// error\n",
		"src/x/util.go":   "package x",
		"image.png":       "error\x00",
		"large.log":       strings.Repeat("error\n", 200),
		"src/latin.txt":   "\xe9rror error \xff\n",
		"src/x/empty.txt": "",
	})
	b.link("app.log", "link.log")
	const skipped = "\n[not searched: 1 binary, 1 too large]"
	for _, test := range []struct {
		query files.Query
		want  string
	}{
		{files.Query{Pattern: "error"}, "app.log:3: warn: error\nsrc/latin.txt:1: \ufffdrror error \ufffd\nsrc/main.go:2: // error" + skipped},
		{files.Query{Pattern: "(?i)^error", Glob: "*.log"}, "app.log:2: ERROR disk\n[not searched: 1 too large]"},
		{files.Query{Pattern: `\bpackage (\w+)$`, Dir: "src"}, "src/main.go:1: package main\nsrc/x/util.go:1: package x"},
		{files.Query{Pattern: "package", Dir: "/src/", Glob: "x/*.go"}, "src/x/util.go:1: package x"},
		{files.Query{Pattern: "nothing"}, `No matches for "nothing" in 5 files.` + skipped},
		{files.Query{Pattern: "error", Glob: "*.none"}, `No matches for "error" in 0 files.`},
		{files.Query{Pattern: "error", Offset: 1, Limit: 1}, "src/latin.txt:1: \ufffdrror error \ufffd\n… 1 more; go on with offset 2" + skipped},
		{files.Query{Pattern: "error", Offset: 3}, "No matches: there are no more than 3." + skipped},
	} {
		matches, err := b.Search(t.Context(), test.query)
		require.NoError(t, err)
		require.Equal(t, test.want, matches.String(), "%+v", test.query)
	}
}

func TestSearchCutsLongLinesAroundTheMatch(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{
		"start":  "needle" + strings.Repeat("x", 1000),
		"middle": strings.Repeat("é", 1000) + "needle" + strings.Repeat("é", 1000),
		"end":    strings.Repeat("é", 1000) + "needle",
	})
	matches, err := b.Search(t.Context(), files.Query{Pattern: "needle"})
	require.NoError(t, err)
	require.Len(t, matches.Found, 3)
	for _, m := range matches.Found {
		require.Contains(t, m.Text, "needle")
		require.NotContains(t, m.Text, "\ufffd", "no rune is cut")
		require.True(t, utf8.ValidString(m.Text))
		require.LessOrEqual(t, len(m.Text), 500+2*len("…"))
		require.Equal(t, m.Path != "start", strings.HasPrefix(m.Text, "…"))
		require.Equal(t, m.Path != "end", strings.HasSuffix(m.Text, "…"))
	}
}

func TestSearchBoundsItsResult(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	for i := range 20 {
		tree[fmt.Sprintf("f%02d", i)] = strings.Repeat("match\n", 100)
	}
	b := setup(t, files.Options{MaxOutput: 10_000}, tree)
	matches, err := b.Search(t.Context(), files.Query{Pattern: "match"})
	require.NoError(t, err)
	require.Len(t, matches.Found, 100)
	require.Equal(t, 1900, matches.More)
	require.Contains(t, matches.String(), "f00:100: match\n… 1900 more; go on with offset 100")
	matches, err = b.Search(t.Context(), files.Query{Pattern: "match", Limit: 5000})
	require.NoError(t, err)
	require.Less(t, len(matches.String()), 10_100)
	require.Equal(t, 2000, len(matches.Found)+matches.More)
}

func TestSearchRefusesBadArguments(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{"a": "a"})
	for want, q := range map[string]files.Query{
		"pattern: missing closing ): `(a`; the syntax is RE2's":                   {Pattern: "(a"},
		"pattern: invalid or unsupported Perl syntax: `(?=`; the syntax is RE2's": {Pattern: "a(?=b)"},
		"pattern: must have 1 to 10000 bytes":                                     {},
		"offset and limit: must not be negative":                                  {Pattern: "a", Limit: -1},
		`glob: "{" has a bracket, a brace or a backslash that does not end`:       {Pattern: "a", Glob: "{"},
		`"a" is not a directory`:                                                  {Pattern: "a", Dir: "a"},
	} {
		_, err := b.Search(t.Context(), q)
		require.EqualError(t, err, want)
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{"a": "a", "b": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Search(ctx, files.Query{Pattern: "a"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestUnreadableDirectoriesAreCounted(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is unreadable for root")
	}
	b := setup(t, files.Options{}, map[string]string{"a/x": "x", "b/x": "x"})
	require.NoError(t, os.Chmod(filepath.Join(b.dir, "a"), 0))
	t.Cleanup(func() { require.NoError(t, os.Chmod(filepath.Join(b.dir, "a"), 0o700)) })
	matches, err := b.Search(t.Context(), files.Query{Pattern: "x"})
	require.NoError(t, err)
	require.Equal(t, "b/x:1: x\n[not searched: 1 not readable]", matches.String())
	listing, err := b.List(t.Context(), "", "x", 0, 0)
	require.NoError(t, err)
	require.Equal(t, "b/x (1 bytes)\n[1 directory could not be read]", listing.String())
}

// A long line and an expression that is slow on it do not outlive the call.
func TestSearchOfALongLineEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{"min.js": strings.Repeat("a", 8<<20)})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := b.Search(ctx, files.Query{Pattern: "a{1,999}b"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 20*time.Second)
}
