package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/files"
)

// testBundle is a root directory with a file outside of it.
type testBundle struct {
	*files.Root
	t       *testing.T
	dir     string // the root directory
	outside string // a file that must not be reached
}

func setup(t *testing.T, options files.Options, tree map[string]string) *testBundle {
	t.Helper()
	parent := t.TempDir()
	b := &testBundle{t: t, dir: filepath.Join(parent, "root"), outside: filepath.Join(parent, "outside.txt")}
	require.NoError(t, os.WriteFile(b.outside, []byte("top secret"), 0o600))
	require.NoError(t, os.Mkdir(b.dir, 0o700))
	for name, text := range tree {
		b.put(name, text)
	}
	root, err := files.Open(b.dir, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	b.Root = root
	return b
}

func (b *testBundle) put(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(b.t, os.WriteFile(path, []byte(text), 0o600))
}

func (b *testBundle) link(target, name string) {
	b.t.Helper()
	require.NoError(b.t, os.Symlink(target, filepath.Join(b.dir, name)))
}

func (b *testBundle) text(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	require.NoError(b.t, err)
	return string(text)
}

func requireReason(t *testing.T, reason files.Reason, err error) {
	t.Helper()
	var pathErr *files.PathError
	require.ErrorAs(t, err, &pathErr)
	require.Equal(t, reason, pathErr.Reason, err)
}
