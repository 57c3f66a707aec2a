package files_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/files"
)

func TestList(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{
		"b.log": "12345", "a.log": "", "src/main.go": "x", "src/deep/er/util.go": "xy", "src/deep/readme.md": "", "z/.hidden": "",
	})
	b.link("b.log", "link.log")
	b.link("src", "c")
	for _, test := range []struct{ dir, glob, want string }{
		{"", "", "a.log (0 bytes)\nb.log (5 bytes)\nc (link)\nlink.log (link)\nsrc/\nz/"},
		{"/", "", "a.log (0 bytes)\nb.log (5 bytes)\nc (link)\nlink.log (link)\nsrc/\nz/"},
		{"src", "", "src/deep/\nsrc/main.go (1 bytes)"},
		{"c", "", "c/deep/\nc/main.go (1 bytes)"},
		{"z", "", "z/.hidden (0 bytes)"},
		{"", "*.go", "src/deep/er/util.go (2 bytes)\nsrc/main.go (1 bytes)"},
		{"", "/*.log", "a.log (0 bytes)\nb.log (5 bytes)\nlink.log (link)"},
		{"", "src/*", "src/main.go (1 bytes)"},
		{"", "**/deep/**", "src/deep/er/util.go (2 bytes)\nsrc/deep/readme.md (0 bytes)"},
		{"src", "deep/*.md", "src/deep/readme.md (0 bytes)"},
		{"src", "./**/*.{go,md}", "src/deep/er/util.go (2 bytes)\nsrc/deep/readme.md (0 bytes)\nsrc/main.go (1 bytes)"},
		{"c", "*.md", "c/deep/readme.md (0 bytes)"},
		{"", "**", "a.log (0 bytes)\nb.log (5 bytes)\nc (link)\nlink.log (link)\nsrc/deep/er/util.go (2 bytes)\n" +
			"src/deep/readme.md (0 bytes)\nsrc/main.go (1 bytes)\nz/.hidden (0 bytes)"},
		{"", "[ab].log", "a.log (0 bytes)\nb.log (5 bytes)"},
		{"", "*.txt", `No files match "*.txt".`},
	} {
		listing, err := b.List(t.Context(), test.dir, test.glob, 0, 0)
		require.NoError(t, err)
		require.Equal(t, test.want, listing.String(), "%q %q", test.dir, test.glob)
	}
	empty := setup(t, files.Options{}, nil)
	listing, err := empty.List(t.Context(), "", "", 0, 0)
	require.NoError(t, err)
	require.Equal(t, "No files: the directory is empty.", listing.String())
}

func TestLongListsGoOnWithAnOffset(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	for i := range 250 {
		tree[fmt.Sprintf("d/%03d.txt", i)] = ""
	}
	b := setup(t, files.Options{}, tree)
	for _, glob := range []string{"", "*.txt"} {
		listing, err := b.List(t.Context(), "d", glob, 0, 0)
		require.NoError(t, err)
		require.Len(t, listing.Entries, 200)
		require.Equal(t, 50, listing.More)
		require.Contains(t, listing.String(), "d/199.txt (0 bytes)\n… 50 more; go on with offset 200")
		listing, err = b.List(t.Context(), "d", glob, 200, 0)
		require.NoError(t, err)
		require.Len(t, listing.Entries, 50)
		require.Equal(t, "d/200.txt", listing.Entries[0].Path)
		require.NotContains(t, listing.String(), "more")
		listing, err = b.List(t.Context(), "d", glob, 249, 1)
		require.NoError(t, err)
		require.Equal(t, "d/249.txt (0 bytes)", listing.String())
		listing, err = b.List(t.Context(), "d", glob, 250, 0)
		require.NoError(t, err)
		require.Equal(t, "No more files: there are no more than 250.", listing.String())
	}
	small := setup(t, files.Options{MaxOutput: 100}, tree)
	listing, err := small.List(t.Context(), "d", "", 0, 0)
	require.NoError(t, err)
	require.LessOrEqual(t, len(listing.String()), 200)
	require.Equal(t, 250, len(listing.Entries)+listing.More)
}

func TestListRefusesBadArguments(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{"a": ""})
	for want, call := range map[string]func() (*files.Listing, error){
		`glob: "[a" has a bracket, a brace or a backslash that does not end`: func() (*files.Listing, error) { return b.List(t.Context(), "", "[a", 0, 0) },
		"glob: a glob must have 1 to 1000 bytes": func() (*files.Listing, error) {
			return b.List(t.Context(), "", strings.Repeat("{", 500_000)+strings.Repeat("}", 500_000), 0, 0)
		},
		`glob: "{a" has a bracket, a brace or a backslash that does not end`: func() (*files.Listing, error) { return b.List(t.Context(), "", "{a", 0, 0) },
		`glob: "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" stands for more than 1000 patterns`: func() (*files.Listing, error) {
			return b.List(t.Context(), "", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", 0, 0)
		},
		"offset and limit: must not be negative": func() (*files.Listing, error) { return b.List(t.Context(), "", "", -1, 0) },
	} {
		_, err := call()
		require.EqualError(t, err, want)
		var argumentErr *files.ArgumentError
		require.ErrorAs(t, err, &argumentErr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.List(ctx, "", "*", 0, 0)
	require.ErrorIs(t, err, context.Canceled)
}

// A name with the end of a line in it does not look like two files.
func TestListOfAStrangeName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs a disk that takes any name")
	}
	b := setup(t, files.Options{}, map[string]string{"a\nb.txt (1 bytes)\n": "x"})
	for _, glob := range []string{"", "*"} {
		listing, err := b.List(t.Context(), "", glob, 0, 0)
		require.NoError(t, err)
		require.Equal(t, "a\uFFFDb.txt (1 bytes)\uFFFD (1 bytes)", listing.String())
		require.Equal(t, "a\nb.txt (1 bytes)\n", listing.Entries[0].Path)
	}
	found, err := b.Search(t.Context(), files.Query{Pattern: "x"})
	require.NoError(t, err)
	require.Equal(t, "a\uFFFDb.txt (1 bytes)\uFFFD:1: x", found.String())
}
