package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/atomicfile"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, perm := range []fs.FileMode{0o600, 0o640} {
		require.NoError(t, atomicfile.Write(path, []byte(perm.String()), perm))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, perm.String(), string(content))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, perm, info.Mode())
	}
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, atomicfile.Write(link, []byte("linked"), 0o600))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "linked", string(content))
	require.Error(t, atomicfile.Write(filepath.Join(dir, "none", "a"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "directory"), 0o700))
	require.Error(t, atomicfile.Write(filepath.Join(dir, "directory"), nil, 0o600))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2, "nothing is left beside the file and the directory")
}
