//go:build unix

package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

// init: an errand is one that this file brings.
func init() { errands["as somebody else"] = asSomebodyElse } //nolint:gochecknoinits // beside what it belongs to

// asSomebodyElse opens a file, reads a thread and changes it, as a user who owns nothing.
func asSomebodyElse(path string) []error {
	if os.Geteuid() == 0 { // whom nothing is forbidden
		const nobody = 65534
		if err := syscall.Setgid(nobody); err != nil {
			return []error{err}
		}
		if err := syscall.Setuid(nobody); err != nil {
			return []error{err}
		}
	}
	store, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return []error{err}
	}
	_, err = newest(store)
	return []error{nil, err, write(store, 1, 10), store.Delete(context.Background(), "t"), store.Close()}
}

func TestAFileThatMayNotBeUsed(t *testing.T) {
	t.Parallel()
	const readOnly = `^sqlite ".*/a.db": the database cannot be written to; check its permissions `
	const none os.FileMode = 1
	opens := func(text string) []string { return []string{text} }
	for name, test := range map[string]struct {
		file, dir os.FileMode
		want      []string // texts of the errors, "" for none
	}{
		"it may be used": {0o666, 0o777, []string{"", "", "", "", ""}},
		"a read-only file": {0o444, 0o777, []string{
			"", "", readOnly + `\(attempt to write a readonly database \(8\)\)$`, readOnly + `\(attempt to write a readonly database \(8\)\)$`, "",
		}},
		"a read-only directory":                {0o666, 0o555, opens(readOnly + `\(attempt to write a readonly database \(1544\)\)$`)},
		"a read-only file in such a directory": {0o444, 0o555, opens(readOnly + `\(attempt to write a readonly database \(1544\)\)$`)},
		"a file that may not be read":          {0, 0o777, opens(`check its permissions: the file cannot be opened: permission denied$`)},
		"a directory that may not be entered":  {0o666, 0, opens(`check its permissions: the file cannot be opened: permission denied$`)},
		"no file in a read-only directory":     {none, 0o555, opens(`check its permissions: the file cannot be created: permission denied$`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := os.MkdirTemp("", "access-") //nolint:usetesting // the test's own directory lets nobody in
			require.NoError(t, err)
			dir := filepath.Join(base, "dir")
			require.NoError(t, os.Mkdir(dir, 0o777))
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(base)) })
			t.Cleanup(func() { require.NoError(t, os.Chmod(dir, 0o700)) })
			require.NoError(t, os.Chmod(base, 0o755))
			path := filepath.Join(dir, "a.db")
			if test.file != none {
				store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
				require.NoError(t, err)
				require.NoError(t, write(store, 1, 10))
				require.NoError(t, store.Close())
				require.NoError(t, os.Chmod(path, test.file))
			}
			require.NoError(t, os.Chmod(dir, test.dir))
			got := child(t, "as somebody else", path)
			require.Len(t, got, len(test.want), "%v", got)
			for i, want := range test.want {
				if want == "" {
					require.Equal(t, met{}, got[i])
					continue
				}
				require.Regexp(t, want, got[i].Text)
				require.Equal(t, "ErrReadOnly", got[i].Is)
				require.NotContains(t, got[i].Text, "\n")
			}
		})
	}
}
