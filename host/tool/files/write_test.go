package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/files"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{Write: true}, map[string]string{"a.txt": "old text"})
	require.NoError(t, os.Chmod(filepath.Join(b.dir, "a.txt"), 0o640))
	written, err := b.Write("a.txt", "new")
	require.NoError(t, err)
	require.Equal(t, "Replaced a.txt; it has 3 bytes now.", written.String())
	require.Equal(t, "new", b.text("a.txt"))
	info, err := os.Stat(filepath.Join(b.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())

	written, err = b.Write("/deep/er/b.txt", "x")
	require.NoError(t, err)
	require.Equal(t, "Created deep/er/b.txt with 1 byte.", written.String())
	require.Equal(t, "x", b.text("deep/er/b.txt"))
	listing, err := b.List(t.Context(), "", "**", 0, 0)
	require.NoError(t, err)
	require.Equal(t, "a.txt (3 bytes)\ndeep/er/b.txt (1 bytes)", listing.String(), "nothing else is left")
}

func TestWriteRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{Write: true, MaxFile: 10}, map[string]string{"file": "kept", "dir/x": ""})
	b.link("file", "link")
	for path, want := range map[string]string{
		"dir":      `"dir" is a directory, not a file`,
		"new/":     `"new/" is a directory, not a file`,
		"":         `"" is a directory, not a file`,
		"file/x":   `"file" is not a directory`,
		"file/x/y": `"file/x" is not a directory`,
		"link":     `"link" is a symbolic link; write to the file itself`,
		"../x":     `"../x" leads out of the root directory`,
	} {
		_, err := b.Write(path, "text")
		require.EqualError(t, err, want)
	}
	_, err := b.Write("file", strings.Repeat("x", 11))
	require.EqualError(t, err, `"file" is too large: the text has 11 bytes, the limit is 10`)
	require.Equal(t, "kept", b.text("file"))

	readOnly := setup(t, files.Options{}, map[string]string{"file": "kept"})
	_, err = readOnly.Write("file", "text")
	require.EqualError(t, err, `"file" cannot be written: the root directory is read-only`)
	require.Equal(t, "kept", readOnly.text("file"))
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{Write: true}, map[string]string{"file": "kept"})
	for i := range 100 {
		b.put(fmt.Sprintf(".file.%d.tmp", i), "of a writer that was killed")
	}
	_, err := b.Write("file", "text")
	requireReason(t, files.Failed, err)
	require.ErrorContains(t, err, "its directory already has 100 unfinished files named .file.N.tmp; remove them")
	require.Equal(t, "kept", b.text("file"))
	require.NoError(t, os.Remove(filepath.Join(b.dir, ".file.7.tmp")))
	_, err = b.Write("file", "text")
	require.NoError(t, err)
	require.Equal(t, "text", b.text("file"))
}

func TestAReaderSeesOneWriteOrTheOther(t *testing.T) {
	t.Parallel()
	texts := []string{strings.Repeat("a", 60_000), strings.Repeat("b", 60_000)}
	b := setup(t, files.Options{Write: true}, map[string]string{"file": texts[0]})
	var writers sync.WaitGroup
	for _, text := range texts {
		writers.Go(func() {
			for range 20 {
				_, err := b.Write("file", text)
				require.NoError(t, err)
			}
		})
	}
	for range 50 {
		page, err := b.Read(t.Context(), "file", 0, 0)
		require.NoError(t, err)
		require.Contains(t, texts, page.Text)
	}
	writers.Wait()
}
