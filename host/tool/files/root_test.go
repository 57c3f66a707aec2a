package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/files"
)

func TestNothingOutsideOfTheRootIsReached(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{Write: true}, map[string]string{"a/b.txt": "inside"})
	b.link("../outside.txt", "link.txt")
	b.link(b.outside, "absolute.txt")
	b.link("..", "up")
	b.link("../..", "a/out")
	for _, path := range []string{
		"..", "../outside.txt", "a/../../outside.txt", "/../outside.txt", "./../root/a/b.txt", "//..",
		"link.txt", "absolute.txt", "up/outside.txt", "a/out/outside.txt", "up/root/a/b.txt",
	} {
		_, err := b.Read(t.Context(), path, 0, 0)
		requireReason(t, files.OutsideRoot, err)
		require.ErrorContains(t, err, "leads out of the root directory")
		require.NotContains(t, err.Error(), b.dir)
		_, err = b.List(t.Context(), path, "", 0, 0)
		requireReason(t, files.OutsideRoot, err)
		_, err = b.Search(t.Context(), files.Query{Pattern: ".", Dir: path})
		requireReason(t, files.OutsideRoot, err)
		_, err = b.Write(path+"/x", "overwritten")
		require.Error(t, err)
		_, err = b.Write(path, "overwritten")
		require.Error(t, err)
	}
	matches, err := b.Search(t.Context(), files.Query{Pattern: "secret|inside"})
	require.NoError(t, err)
	require.Equal(t, "a/b.txt:1: inside", matches.String())
	outside, err := os.ReadFile(b.outside)
	require.NoError(t, err)
	require.Equal(t, "top secret", string(outside))
	entries, err := os.ReadDir(filepath.Dir(b.outside))
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

func TestPathsInsideOfTheRoot(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{"a/b.txt": "text", "..x/y": "text", "a b/ü": "text"})
	b.link("a", "to-a")
	b.link("../a/b.txt", "a/again")
	for _, path := range []string{
		"a/b.txt", "/a/b.txt", "./a/b.txt", "a//b.txt", "a/./b.txt", "..x/../a/b.txt", "to-a/b.txt", "a/again", "..x/y", "a b/ü",
	} {
		page, err := b.Read(t.Context(), path, 0, 0)
		require.NoError(t, err)
		require.Equal(t, "text", page.Text, path)
	}
}

func TestPathErrors(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{}, map[string]string{
		"notes.txt": "", "docs/readme.md": "", "docs/README.txt": "", "config.yaml": "", "image.png": "\x89PNG\r\n\x1a\n\x00",
		"wide.txt": "\xff\xfea\x00", "file": "", "locked.txt": "",
	})
	b.link("nowhere", "dangling")
	b.link("loop", "loop")
	for path, want := range map[string]string{
		"note.txt":               `"note.txt" does not exist; did you mean "notes.txt"?`,
		"NOTES.TXT":              `"NOTES.TXT" does not exist; did you mean "notes.txt"?`,
		"notes.md":               `"notes.md" does not exist; did you mean "notes.txt"?`,
		"docs/readme":            `"docs/readme" does not exist; did you mean "docs/README.txt" or "docs/readme.md"?`,
		"readme.md":              `"readme.md" does not exist; did you mean "docs/readme.md"?`,
		"doc/readme.md":          `"doc/readme.md" does not exist; did you mean "docs"?`,
		"src/main.go":            `"src/main.go" does not exist`,
		"dangling":               `"dangling" does not exist; did you mean "dangling"?`,
		"docs":                   `"docs" is a directory, not a file`,
		".":                      `"." is a directory, not a file`,
		"":                       `"" is a directory, not a file`,
		"file/x":                 `"file" is not a directory`,
		"image.png":              `"image.png" is a binary file, and cannot be shown as text: it has 9 bytes`,
		"wide.txt":               `"wide.txt" is a binary file, and cannot be shown as text: it has 4 bytes, and seems to be UTF-16`,
		"a\x00b":                 `"a\x00b" is not a valid path`,
		"a\xffb":                 `"a\xffb" is not a valid path`,
		strings.Repeat("x", 300): `"` + strings.Repeat("x", 300) + `" is not a valid path`,
		"loop":                   `"loop" is not a valid path`,
	} {
		_, err := b.Read(t.Context(), path, 0, 0)
		require.EqualError(t, err, want)
	}
	_, err := b.Read(t.Context(), "none", 0, 0)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = b.List(t.Context(), "notes.txt", "", 0, 0)
	require.EqualError(t, err, `"notes.txt" is not a directory`)
	if os.Geteuid() != 0 {
		require.NoError(t, os.Chmod(filepath.Join(b.dir, "locked.txt"), 0))
		_, err = b.Read(t.Context(), "locked.txt", 0, 0)
		requireReason(t, files.Denied, err)
	}
	require.Equal(t, "cannot be used", files.Reason(200).String())
}

func TestOpen(t *testing.T) {
	t.Parallel()
	_, err := files.Open(filepath.Join(t.TempDir(), "none"), files.Options{})
	require.ErrorContains(t, err, "files: the root directory cannot be opened")
	require.ErrorIs(t, err, os.ErrNotExist)
	root, err := files.Open(t.TempDir(), files.Options{})
	require.NoError(t, err)
	require.NoError(t, root.Close())
	_, err = root.List(t.Context(), "", "", 0, 0)
	requireReason(t, files.Failed, err)
}
