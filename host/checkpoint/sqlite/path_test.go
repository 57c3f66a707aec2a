package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

func TestPathsThatAreTakenAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a?mode=ro.db", "a%41.db", "a#b.db", "a b.db", ":memory:", "file:a.db", "ä🙂.db", "a&b;c.db", "'", "no suffix"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			store := open(t, filepath.Join(dir, name), sqlite.Options{})
			require.NoError(t, write(store, 1, 10))
			info, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			for _, suffix := range []string{"-wal", "-shm"} {
				info, err := os.Stat(filepath.Join(dir, name+suffix))
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds what people say, too")
			}
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, files, 3, "the file, its log and the memory that processes share")
		})
	}
}

func TestPathsThatDoNotDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for path, want := range map[string]string{
		"":                                    `^sqlite "": the path is empty; name a file$`,
		dir:                                   `^sqlite ".*": the path is a directory; name a file in it$`,
		filepath.Join(dir, "no", "x.db"):      `^sqlite ".*/no/x.db": the file cannot be created: there is no directory .*/no; create it, or correct the path$`,
		filepath.Join(dir, "file", "x.db"):    `^sqlite ".*/file/x.db": the file cannot be opened: not a directory$`,
		dir + "/x\x00y":                       `^sqlite ".*/x\\x00y": the file cannot be opened: invalid argument$`,
		filepath.Join(dir, string(long('x'))): `^sqlite ".*/x+": the file cannot be opened: file name too long$`,
	} {
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		require.Error(t, err, path)
		require.Regexp(t, want, err.Error())
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is left behind")
}

func long(b byte) []byte {
	out := make([]byte, 300)
	for i := range out {
		out[i] = b
	}
	return out
}

// TestALinkToAFile opens the file that a link leads to, also one that is not there yet.
func TestALinkToAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(filepath.Join(dir, "file.db"), link); err != nil {
		t.Skipf("there are no links here: %v", err)
	}
	for range 2 {
		require.NoError(t, write(open(t, link, sqlite.Options{}), 1, 10))
	}
	info, err := os.Stat(filepath.Join(dir, "file.db"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	id, err := newest(open(t, filepath.Join(dir, "file.db"), sqlite.Options{}))
	require.NoError(t, err)
	require.EqualValues(t, 2, id)
}
