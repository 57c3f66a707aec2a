//go:build unix

package backend_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/backend"
)

func TestDiskOfWhatIsNoFile(t *testing.T) {
	t.Parallel()
	disk, root, _ := openDisk(t)
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	_, _, err := disk.Open(t.Context(), "/pipe")
	require.EqualError(t, err, "'/pipe' is a pipe, a socket or a device, not a file")
	require.True(t, backend.Is(disk.Write(t.Context(), "/pipe", nil), backend.NotRegular))
	_, err = disk.List(t.Context(), "/pipe")
	require.True(t, backend.Is(err, backend.NotDir), "it does not wait for a writer")
	require.True(t, backend.Is(disk.Write(t.Context(), "/pipe/x", nil), backend.NotDir))
	require.Equal(t, "/dir/", list(t.Context(), t, disk, "/"))
	require.Equal(t, "/dir/file", walk(t.Context(), t, disk, "/"))
	_, err = disk.Stat(t.Context(), "/"+strings.Repeat("x", 300))
	require.True(t, backend.Is(err, backend.BadPath))
	if os.Geteuid() != 0 {
		require.NoError(t, os.Chmod(filepath.Join(root, "dir", "file"), 0))
		_, _, err = disk.Open(t.Context(), "/dir/file")
		require.EqualError(t, err, "'/dir/file' is not permitted by the operating system")
	}
}
