//go:build unix

package rootdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func open(t *testing.T) (*Dir, string) {
	t.Helper()
	path := t.TempDir()
	d, err := Open(path, FollowInside)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d, path
}

// What is written into a file that only its owner may read is not readable by others on its way there.
func TestTemporaryFileIsAsPrivateAsTheOldOne(t *testing.T) {
	t.Parallel()
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o400} {
		d, path := open(t)
		name := filepath.Join(path, "key")
		require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))
		require.NoError(t, os.Chmod(name, mode))
		file, temporary, err := newTemporary(d.root, "key", mode)
		require.NoError(t, err)
		info, err := file.Stat()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&^mode)
		require.NoError(t, file.Close())
		require.NoError(t, os.Remove(filepath.Join(path, temporary)))

		created, err := d.Write("key", []byte("new"))
		require.NoError(t, err)
		require.False(t, created)
		info, err = os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm())
	}
}

// A name may be as long as the file system takes it, in any script.
func TestWriteOfALongName(t *testing.T) {
	t.Parallel()
	d, path := open(t)
	for _, name := range []string{strings.Repeat("x", 255), strings.Repeat("日", 85)} {
		_, err := d.Write(name, []byte("text"))
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(path, name))
		require.NoError(t, err)
		require.Equal(t, "text", string(text))
	}
}
