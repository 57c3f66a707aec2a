package backend_test

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/backend"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"/":                 "/",
		".":                 "/",
		"foo/bar":           "/foo/bar",
		"/./foo//bar/":      "/foo/bar",
		"//etc/passwd":      "/etc/passwd",
		`dir\file.txt`:      "/dir/file.txt",
		"/foo..bar.txt":     "/foo..bar.txt",
		"/...":              "/...",
		"/a b/ü/日本.txt":     "/a b/ü/日本.txt",
		"/x/~":              "/x/~",
		"/C:/x":             "/C:/x",
		"1:/x":              "/1:/x",
		"/.hidden/./.env":   "/.hidden/.env",
		"/a/%2e%2e/b":       "/a/%2e%2e/b",
		"file:///etc/hosts": "/file:/etc/hosts",
	} {
		clean, err := backend.Clean(given)
		require.NoError(t, err, given)
		require.Equal(t, want, clean)
	}
}

func TestHostilePathsAreRefused(t *testing.T) {
	t.Parallel()
	const windows = ". Please use virtual paths starting with / (e.g., /workspace/file.txt)"
	for given, want := range map[string]string{
		"..":                      "Path traversal not allowed: ..",
		"../etc/passwd":           "Path traversal not allowed: ../etc/passwd",
		"/../etc/passwd":          "Path traversal not allowed: /../etc/passwd",
		"/a/../b":                 "Path traversal not allowed: /a/../b",
		"/a/..":                   "Path traversal not allowed: /a/..",
		`..\..\windows`:           `Path traversal not allowed: ..\..\windows`,
		`/a\..\..\b`:              `Path traversal not allowed: /a\..\..\b`,
		"~":                       "Path traversal not allowed: ~",
		"~root/.ssh/id":           "Path traversal not allowed: ~root/.ssh/id",
		`C:\Windows`:              `Windows absolute paths are not supported: C:\Windows` + windows,
		"f:/x":                    "Windows absolute paths are not supported: f:/x" + windows,
		"c:":                      "Windows absolute paths are not supported: c:" + windows,
		"":                        `Invalid path: ""`,
		"/a\x00b":                 `Invalid path: "/a\x00b"`,
		"/a\nb":                   `Invalid path: "/a\nb"`,
		"/a\xffb":                 `Invalid path: "/a\xffb"`,
		strings.Repeat("a", 5000): `Invalid path: "` + strings.Repeat("a", 200) + `"`,
	} {
		_, err := backend.Clean(given)
		require.EqualError(t, err, want, given)
	}
}

func TestRelative(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dir, name, relative string
		within              bool
	}{
		{"/", "/a/b", "a/b", true},
		{"/a", "/a/b/c", "b/c", true},
		{"/a/b", "/a/b", "b", true},
		{"/a", "/ab", "", false},
		{"/a/b", "/a", "", false},
	} {
		require.Equal(t, test.within, backend.Within(test.dir, test.name), test)
		if test.within {
			require.Equal(t, test.relative, backend.Relative(test.dir, test.name))
		}
	}
}

// Whatever is given, a path that is accepted is absolute, clean, does not lead upwards and is accepted again as it is.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"/a/b", "../x", `C:\x`, "~", "a//b/./c/", "/a\x00", `\\host\share`, "/..a/b..", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		clean, err := backend.Clean(given)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.True(t, strings.HasPrefix(clean, "/"))
		require.Equal(t, path.Clean(clean), clean)
		require.True(t, utf8.ValidString(clean))
		require.NotContains(t, strings.Split(clean, "/"), "..")
		require.NotContains(t, clean, `\`)
		again, err := backend.Clean(clean)
		require.NoError(t, err)
		require.Equal(t, clean, again)
	})
}
