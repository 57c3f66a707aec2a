//go:build unix

package files_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/files"
)

func TestAPipeIsRefusedAndDoesNotBlock(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{Write: true}, nil)
	require.NoError(t, syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o600))
	_, err := b.Read(t.Context(), "pipe", 0, 0)
	require.EqualError(t, err, `"pipe" is a pipe, a socket or a device, not a file`)
	_, err = b.Write("pipe", "text")
	requireReason(t, files.NotRegular, err)
	matches, err := b.Search(t.Context(), files.Query{Pattern: "."})
	require.NoError(t, err)
	require.Equal(t, `No matches for "." in 0 files.`, matches.String())
}
