package regularfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/regularfile"
)

func TestErrorsOfPathsAreInWords(t *testing.T) {
	t.Parallel()
	file := write(t, "a")
	missing := filepath.Join(filepath.Dir(file), "missing")
	for path, want := range map[string]string{
		missing:                      ": there is no such file",
		filepath.Join(file, "below"): ": a part of the path is a file, and not a directory",
	} {
		_, err := regularfile.Read(path, 1)
		require.EqualError(t, err, path+want)
		var of *fs.PathError
		require.ErrorAs(t, err, &of)
	}
	_, err := regularfile.Read(missing, 1)
	require.ErrorIs(t, err, fs.ErrNotExist)

	below := filepath.Join(missing, "new")
	_, err = os.Create(below)
	require.EqualError(t, regularfile.Uncreatable(below, err), below+": there is no directory "+missing)
	require.EqualError(t, regularfile.Uncreatable(below, &fs.PathError{Op: "open", Path: below, Err: syscall.EACCES}), below+": you may not create a file there")
	require.EqualError(t, regularfile.Unreadable("x", "directory", &fs.PathError{Op: "open", Path: "x", Err: syscall.ELOOP}), "x: "+syscall.ELOOP.Error())
	require.NoError(t, regularfile.Unreadable("x", "file", nil))
}
