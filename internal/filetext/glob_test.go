package filetext_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/filetext"
)

func TestStrictGlob(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern string
		yes, no string // paths, with blanks between them
	}{
		{"*.go", "main.go src/a/b.go", "main.goo main.go/x .hidden.go"},
		{"/*.go", "main.go", "src/main.go"},
		{"src/**/*.go", "src/a.go src/a/b/c.go", "a.go lib/src/a.go src/.git/a.go"},
		{"**/*.go", "a.go x/y/a.go", ".github/a.go x/.a.go"},
		{".github/**/*.yml", ".github/a.yml .github/x/a.yml", ".gitlab/a.yml .github/.x/a.yml"},
		{".env", ".env a/.env", "env"},
		{".*", ".env a/.b", "env"},
		{"{.a,b}*", ".ab bb", ".b"},
		{"*.{yml,yaml}", "a.yml x/b.yaml", "a.yl"},
		{"./a/*", "a/b", "b/a/c"},
		{"[a-c]?.txt", "b1.txt", "d1.txt b.txt"},
		{"**", "a a/b", ".a"},
		{`\*`, "*", "a"},
		{"ü*", "über x/übel", "uber"},
	} {
		g, err := filetext.ParseSearchGlob(test.pattern)
		require.NoError(t, err, test.pattern)
		g = g.Strict()
		for name := range strings.FieldsSeq(test.yes) {
			require.True(t, g.Match(name), "%s %s", test.pattern, name)
		}
		for name := range strings.FieldsSeq(test.no) {
			require.False(t, g.Match(name), "%s %s", test.pattern, name)
		}
	}
}

func TestGlobErrors(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"":                                 "a glob must have 1 to 1000 bytes",
		strings.Repeat("a", 1001):          "a glob must have 1 to 1000 bytes",
		"[a-":                              "\"[a-\" has a bracket, a brace or a backslash that does not end",
		"*.{py":                            "\"*.{py\" has a bracket, a brace or a backslash that does not end",
		strings.Repeat("{a,b}", 10):        "stands for more than 1000 patterns",
		strings.Repeat("{a,{b,c},d}", 8):   "stands for more than 1000 patterns",
		strings.Repeat("{a,b,c,d,{e}}", 5): "stands for more than 1000 patterns",
	} {
		_, err := filetext.ParseSearchGlob(pattern)
		require.ErrorContains(t, err, want)
		_, err = filetext.ParseGlob(pattern)
		require.ErrorContains(t, err, want)
	}
}

// Without Strict a glob matches hidden names.
func TestGlobOfHiddenNames(t *testing.T) {
	t.Parallel()
	for pattern, name := range map[string]string{"*": ".env", "**": "a/.env", "*.go": "x/.a.go", "/*": ".env", "src/**/*.go": "src/.git/a.go"} {
		g, err := filetext.ParseSearchGlob(pattern)
		require.NoError(t, err)
		require.True(t, g.Match(name), pattern)
		require.False(t, g.Strict().Match(name), pattern)
	}
}

// What a hostile pattern costs is bounded.
func TestGlobOfAHostilePattern(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("a", 4000) + "b"
	for _, pattern := range []string{
		strings.Repeat("*a", 400) + "c", strings.Repeat("**/", 300) + "c", strings.Repeat("{*a,*a}", 9) + "c",
		strings.Repeat("{**/a,*}/", 9) + "c", strings.Repeat("[a-z]*", 150) + "c",
	} {
		g, err := filetext.ParseSearchGlob(pattern)
		require.NoError(t, err)
		require.False(t, g.Match(name))
		require.False(t, g.Match(strings.Repeat("a/", 2000)+"b"))
	}
}

// An escaped brace ends nothing: behind it the alternatives go on.
func TestGlobOfTooManyAlternatives(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{strings.Repeat("{a,b}", 40), strings.Repeat(`{\},,,}`, 40), strings.Repeat(`{a\\,b}`, 40)} {
		_, err := filetext.ParseSearchGlob(pattern + "x")
		require.ErrorContains(t, err, "stands for more than 1000 patterns", pattern)
	}
	g, err := filetext.ParseSearchGlob(strings.Repeat(`\{a,b\}`, 40))
	require.NoError(t, err)
	require.True(t, g.Match(strings.Repeat("{a,b}", 40)))
}

func TestGlobOfAWholePath(t *testing.T) {
	t.Parallel()
	g, err := filetext.ParseGlob("/secrets/**")
	require.NoError(t, err)
	for _, name := range []string{"/secrets", "/secrets/a", "/secrets/.env", "/secrets/a/b"} {
		require.True(t, g.Match(name), name)
	}
	require.False(t, g.Match("/secret"))
	require.False(t, g.IsLiteral())
	require.Equal(t, "/secrets/**", g.String())
	g, err = filetext.ParseGlob("/a.txt")
	require.NoError(t, err)
	require.True(t, g.IsLiteral())
}

func FuzzGlob(f *testing.F) {
	f.Add("src/**/*.{go,md}", "src/a/b.go")
	f.Add("[!a]*", "b")
	f.Add(`{a,\{}`, "{")
	f.Fuzz(func(_ *testing.T, pattern, name string) {
		g, err := filetext.ParseSearchGlob(pattern)
		if err == nil {
			g.Match(name)
			g.Strict().Match(name)
		}
	})
}
