package backend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/backend"
)

// openDisk returns a directory with a file, and a secret beside it.
func openDisk(t *testing.T) (disk *backend.Directory, root, secret string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "root")
	secret = filepath.Join(filepath.Dir(root), "secret")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "dir"), 0o755))
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "dir", "file"), []byte("text"), 0o600))
	disk, err := backend.OpenDirectory(root, backend.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	return disk, root, secret
}

func TestDiskLinksLeadNowhereOutside(t *testing.T) {
	t.Parallel()
	disk, root, secret := openDisk(t)
	for name, target := range map[string]string{
		"absolute": secret, "relative": "../secret", "up": "..", "dir/up": "../..", "inside": "dir/file", "dangling": "nowhere", "loop": "loop",
		"etc": "/etc",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, filepath.FromSlash(name))))
	}
	for _, name := range []string{"/absolute", "/relative", "/up/secret", "/dir/up/secret", "/etc/passwd", "/up"} {
		_, _, err := disk.Open(t.Context(), name)
		require.EqualError(t, err, "Path traversal not allowed: "+name)
		_, err = disk.Stat(t.Context(), name)
		require.True(t, backend.Is(err, backend.Outside), name)
		_, err = disk.Edit(t.Context(), name, backend.Edit{Old: "secret", New: "x"})
		require.True(t, backend.Is(err, backend.Outside), name)
		require.Error(t, disk.Write(t.Context(), name+"/x", []byte("overwritten")))
	}
	for _, name := range []string{"/absolute", "/inside", "/dangling", "/loop"} {
		require.True(t, backend.Is(disk.Write(t.Context(), name, []byte("x")), backend.IsLink), name)
	}
	require.True(t, backend.Is(disk.Remove(t.Context(), "/up/secret"), backend.Outside))
	text, err := backend.ReadFile(t.Context(), disk, "/inside", 100)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	require.Equal(t, "/dir/ /inside", list(t.Context(), t, disk, "/"), "links outside and nowhere are left out")
	require.Equal(t, "/dir/file", walk(t.Context(), t, disk, "/"), "links are not followed")
	_, err = disk.Stat(t.Context(), "/loop")
	require.True(t, backend.Is(err, backend.BadPath))

	require.NoError(t, disk.Remove(t.Context(), "/up"), "the link goes, not what it leads to")
	require.NoError(t, disk.Remove(t.Context(), "/dir"))
	text, err = os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "secret", string(text))
}

// A disk that refuses links follows none of them, and leaves them out of lists. A link itself can be removed.
func TestDiskThatRefusesLinks(t *testing.T) {
	t.Parallel()
	_, root, secret := openDisk(t)
	for name, target := range map[string]string{"link": "dir", "dir/again": "file", "out": secret, "dangling": "nowhere"} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, filepath.FromSlash(name))))
	}
	disk, err := backend.OpenDirectory(root, backend.Options{RefuseLinks: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, disk.Close()) }()
	for _, name := range []string{"/link", "/link/file", "/link/none", "/dir/again", "/out", "/dangling"} {
		_, _, err := disk.Open(t.Context(), name)
		require.EqualError(t, err, "Symbolic links are not followed here: "+name)
		_, err = disk.Stat(t.Context(), name)
		require.True(t, backend.Is(err, backend.Linked), name)
		_, err = disk.List(t.Context(), name)
		require.True(t, backend.Is(err, backend.Linked), name)
		_, err = disk.Walk(t.Context(), name, func(backend.Info) bool { return true })
		require.True(t, backend.Is(err, backend.Linked), name)
		_, err = disk.Edit(t.Context(), name, backend.Edit{Old: "text", New: "x"})
		require.True(t, backend.Is(err, backend.Linked), name)
		require.True(t, backend.Is(disk.Write(t.Context(), name+"/new", nil), backend.Linked), name)
		require.Error(t, disk.Write(t.Context(), name, nil))
	}
	require.True(t, backend.Is(disk.Remove(t.Context(), "/link/file"), backend.Linked))
	require.NoError(t, disk.Write(t.Context(), "/new/dir/file", []byte("new")))
	require.Equal(t, "/dir/ /new/", list(t.Context(), t, disk, "/"))
	require.Equal(t, "/dir/file /new/dir/file", walk(t.Context(), t, disk, "/"))
	require.NoError(t, disk.Remove(t.Context(), "/link"))
	require.Equal(t, content{"/dir/file": "text", "/new/dir/file": "new"}, onDisk(t, root))
}

// A directory that becomes a link while it is used never leads outside.
func TestDiskLinkRace(t *testing.T) {
	t.Parallel()
	disk, root, secret := openDisk(t)
	inside, link := filepath.Join(root, "real"), filepath.Join(root, "link")
	require.NoError(t, os.Mkdir(inside, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(inside, "secret"), []byte("inside"), 0o600))
	require.NoError(t, os.Symlink(filepath.Dir(secret), link))
	target := filepath.Join(root, "target")
	require.NoError(t, os.Symlink(inside, target))

	var swapping sync.WaitGroup
	stop := make(chan struct{})
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			temporary := filepath.Join(root, "temporary")
			to := "real"
			if i%2 == 0 {
				to = filepath.Dir(secret)
			}
			if os.Symlink(to, temporary) == nil {
				_ = os.Rename(temporary, target)
			}
		}
	})
	for i := range 300 {
		text, err := backend.ReadFile(t.Context(), disk, "/target/secret", 100)
		if err == nil {
			require.NotEqual(t, "secret", string(text))
		}
		_ = disk.Write(t.Context(), fmt.Sprintf("/target/new-%d", i), []byte("x"))
	}
	close(stop)
	swapping.Wait()
	entries, err := os.ReadDir(filepath.Dir(secret))
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing was written outside")
}

func TestDiskWriteLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	disk, root, _ := openDisk(t)
	require.NoError(t, os.Chmod(filepath.Join(root, "dir", "file"), 0o640))
	require.NoError(t, disk.Write(t.Context(), "/dir/file", []byte("new")))
	require.Equal(t, content{"/dir/file": "new"}, onDisk(t, root))
	info, err := os.Stat(filepath.Join(root, "dir", "file"))
	require.NoError(t, err)
	require.EqualValues(t, 0o640, info.Mode().Perm(), "permissions stay")
}

// Edits at once are all made.
func TestDiskEditsAtOnce(t *testing.T) {
	t.Parallel()
	disk, root, _ := openDisk(t)
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "line %d.\n", i)
	}
	require.NoError(t, disk.Write(t.Context(), "/file", []byte(text.String())))
	var edits sync.WaitGroup
	for i := range 50 {
		edits.Go(func() {
			_, err := disk.Edit(t.Context(), "/file", backend.Edit{Old: fmt.Sprintf("line %d.", i), New: fmt.Sprintf("edited %d.", i)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	edits.Wait()
	require.Equal(t, strings.ReplaceAll(text.String(), "line", "edited"), onDisk(t, root)["/file"])
}

func TestOpenDirectoryOfNothing(t *testing.T) {
	t.Parallel()
	_, err := backend.OpenDirectory(filepath.Join(t.TempDir(), "none"), backend.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	disk, err := backend.OpenDirectory(t.TempDir(), backend.Options{RefuseLinks: true})
	require.NoError(t, err)
	require.NoError(t, disk.Close())
	_, err = disk.List(t.Context(), "/")
	require.True(t, backend.Is(err, backend.Failed))
}
