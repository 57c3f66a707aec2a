package agentfiles_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/agentfiles"
)

func TestGlob(t *testing.T) {
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
		g, err := agentfiles.ParseGlob(test.pattern)
		require.NoError(t, err, test.pattern)
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
		"":                                 "a glob has 1 to 1000 bytes",
		strings.Repeat("a", 1001):          "a glob has 1 to 1000 bytes",
		"[a-":                              "Invalid glob pattern: \"[a-\" has a bracket, a brace or a backslash that does not end",
		"*.{py":                            "Invalid glob pattern: \"*.{py\" has a bracket, a brace or a backslash that does not end",
		strings.Repeat("{a,b}", 10):        "stands for more than 1000 patterns",
		strings.Repeat("{a,{b,c},d}", 8):   "stands for more than 1000 patterns",
		strings.Repeat("{a,b,c,d,{e}}", 5): "stands for more than 1000 patterns",
	} {
		_, err := agentfiles.ParseGlob(pattern)
		require.ErrorContains(t, err, want)
		_, err = agentfiles.ParsePathGlob(pattern)
		require.ErrorContains(t, err, want)
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
		g, err := agentfiles.ParseGlob(pattern)
		require.NoError(t, err)
		require.False(t, g.Match(name))
		require.False(t, g.Match(strings.Repeat("a/", 2000)+"b"))
	}
}

// An escaped brace ends nothing: behind it the alternatives go on.
func TestGlobOfTooManyAlternatives(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{strings.Repeat("{a,b}", 40), strings.Repeat(`{\},,,}`, 40), strings.Repeat(`{a\\,b}`, 40)} {
		_, err := agentfiles.ParseGlob(pattern + "x")
		require.ErrorContains(t, err, "stands for more than 1000 patterns", pattern)
	}
	g, err := agentfiles.ParseGlob(strings.Repeat(`\{a,b\}`, 40))
	require.NoError(t, err)
	require.True(t, g.Match(strings.Repeat("{a,b}", 40)))
}

func TestPathGlob(t *testing.T) {
	t.Parallel()
	g, err := agentfiles.ParsePathGlob("/secrets/**")
	require.NoError(t, err)
	for _, name := range []string{"/secrets", "/secrets/a", "/secrets/.env", "/secrets/a/b"} {
		require.True(t, g.Match(name), name)
	}
	require.False(t, g.Match("/secret"))
	require.False(t, g.IsLiteral())
	require.Equal(t, "/secrets/**", g.String())
	g, err = agentfiles.ParsePathGlob("/a.txt")
	require.NoError(t, err)
	require.True(t, g.IsLiteral())
}

func FuzzGlob(f *testing.F) {
	f.Add("src/**/*.{go,md}", "src/a/b.go")
	f.Add("[!a]*", "b")
	f.Add(`{a,\{}`, "{")
	f.Fuzz(func(_ *testing.T, pattern, name string) {
		g, err := agentfiles.ParseGlob(pattern)
		if err == nil {
			g.Match(name)
		}
	})
}
