package regularfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/regularfile"
)

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestReadTakesAsMuchAsTheLimit(t *testing.T) {
	t.Parallel()
	path := write(t, "four")
	content, err := regularfile.Read(path, 4)
	require.NoError(t, err)
	require.Equal(t, "four", string(content))
	_, err = regularfile.Read(path, 3)
	require.Equal(t, &regularfile.SizeError{Path: path, Limit: 3}, err)
	require.EqualError(t, err, path+": is larger than the limit of 3 bytes")
}

func TestReadFollowsALinkToAFile(t *testing.T) {
	t.Parallel()
	path := write(t, "text")
	link := path + "-link"
	require.NoError(t, os.Symlink(path, link))
	content, err := regularfile.Read(link, 10)
	require.NoError(t, err)
	require.Equal(t, "text", string(content))
}

func TestReadOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none")
	_, err := regularfile.Read(path, 10)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, path)
}

func TestReadRefusesADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := regularfile.Read(dir, 10)
	require.EqualError(t, err, dir+": is a directory, not a regular file")
}

func TestOpenInStaysInTheDirectory(t *testing.T) {
	t.Parallel()
	path := write(t, "outside")
	dir := t.TempDir()
	require.NoError(t, os.Symlink(path, filepath.Join(dir, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	_, _, err = regularfile.OpenIn(root, "link")
	require.ErrorContains(t, err, "path escapes from parent")
	_, _, err = regularfile.OpenIn(root, ".")
	require.EqualError(t, err, ".: is a directory, not a regular file")
	file, info, err := regularfile.OpenIn(root, "file")
	require.NoError(t, err)
	require.EqualValues(t, 4, info.Size())
	require.NoError(t, file.Close())
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for mode, want := range map[fs.FileMode]string{
		fs.ModeDir: "a directory", fs.ModeNamedPipe: "a named pipe", fs.ModeSocket: "a socket", fs.ModeDevice: "a device",
		fs.ModeDevice | fs.ModeCharDevice: "a device", fs.ModeIrregular: "a special file",
	} {
		require.EqualError(t, &regularfile.KindError{Path: "p", Mode: mode}, "p: is "+want+", not a regular file")
	}
}

// The modules of plugins are read at each start.
func TestReadTakesOneBuffer(t *testing.T) { //nolint:paralleltest // it counts allocations
	allocations := func(size int) float64 {
		path := write(t, strings.Repeat("x", size))
		return testing.AllocsPerRun(10, func() {
			content, err := regularfile.Read(path, 1<<20)
			require.NoError(t, err)
			require.Len(t, content, size)
		})
	}
	require.InDelta(t, allocations(4), allocations(200_000), 1, "the buffer does not grow")
}
