package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

// TestAFileIsOpenedTwice opens a file a second time in a process that uses it. That must not give up the locks that the
// process has on it: another program that reads the file would take itself for the last one that uses the log, and
// remove it with what is in it.
func TestAFileIsOpenedTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	require.NoError(t, write(open(t, path, sqlite.Options{}), 1, 10))
	if locks(t, path) == 0 {
		t.Skip("this system does not show locks")
	}
	open(t, path, sqlite.Options{})
	require.Positive(t, locks(t, path))
}

// locks counts the locks that there are on a file.
func locks(t *testing.T, path string) (n int) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	file, ok := info.Sys().(*syscall.Stat_t)
	require.True(t, ok)
	all, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	return strings.Count(string(all), fmt.Sprintf(":%d ", file.Ino))
}
