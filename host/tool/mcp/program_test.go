package mcp_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/mcp"
)

// The path of a program is relative to the directory of its command, and never a name of PATH, even in the directory ".".
func TestTheProgramOfARelativeCommand(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("server", []byte("#!/bin/sh\n"), 0o700))
	for _, in := range []string{"", ".", dir} {
		config := mcp.Config{Command: []string{"./server"}, Dir: in}
		path, err := config.Program()
		require.NoError(t, err, in)
		require.Equal(t, filepath.Join(dir, "server"), path)

		config.Command = []string{"./sh"}
		_, err = config.Program()
		require.Error(t, err, "sh is in PATH, and not here")
	}
}
