package mcp_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/programs"
)

// A client that closes its end of the pipe ends a command in an orderly way: no signal kills it.
func TestCommandsOutliveTheirClient(t *testing.T) {
	t.Parallel()
	bin, err := programs.Build("cmd/agenthost")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "agenthost.yaml"), []byte("apiVersion: agenthost/v1\nname: parrot\nmodel: {provider: scripted, echo: true}\n"), 0o600))
	for command, first := range map[string]string{
		"mcp": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		"acp": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			read, write, err := os.Pipe()
			require.NoError(t, err)
			require.NoError(t, read.Close())
			process := exec.CommandContext(t.Context(), filepath.Join(bin, "agenthost"), command)
			var log bytes.Buffer
			process.Dir, process.Stdout, process.Stderr = dir, write, &log
			in, err := process.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, process.Start())
			require.NoError(t, write.Close())
			_, err = in.Write([]byte(first + "\n"))
			require.NoError(t, err)
			require.NoError(t, process.Wait(), &log)
		})
	}
}
