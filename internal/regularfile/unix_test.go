//go:build unix

package regularfile_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// Nobody writes to the pipe, and the device never ends: a test that reads either of them does not come back.
func TestReadRefusesPipesAndDevices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, zero, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "zero"), filepath.Join(dir, "socket")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink("/dev/zero", zero))
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	for path, kind := range map[string]string{pipe: "a named pipe", zero: "a device", socket: "a socket"} {
		_, err := regularfile.Read(path, 1<<20)
		require.EqualError(t, err, path+": is "+kind+", not a regular file")
	}
}

// A file that turns into a pipe after the look at it blocks nobody either.
func TestOpenDuringASwap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, pipe, file := filepath.Join(dir, "path"), filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	stop, swapped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			link := filepath.Join(dir, "link")
			if os.Symlink([]string{pipe, file}[i%2], link) == nil {
				_ = os.Rename(link, path)
			}
		}
	}()
	for range 2000 {
		if content, err := regularfile.Read(path, 10); err == nil {
			require.Equal(t, "text", string(content))
		}
	}
	close(stop)
	<-swapped
}

func TestReadOfAFileWithoutASize(t *testing.T) {
	t.Parallel()
	const path = "/proc/self/status"
	if _, err := os.Stat(path); err != nil {
		t.Skip("there is no /proc here")
	}
	content, err := regularfile.Read(path, 1<<20)
	require.NoError(t, err)
	require.NotEmpty(t, content)
	_, err = regularfile.Read(path, 10)
	require.EqualError(t, err, path+": is larger than the limit of 10 bytes")
}
