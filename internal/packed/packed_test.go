package packed_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/packed"
)

func pack(t *testing.T, module []byte) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	return e.EncodeAll(module, nil)
}

func TestModule(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("agenthost"), 1<<20)
	compressed := pack(t, want)
	unpack := packed.Module("engine for tests", compressed)
	got, err := unpack()
	require.NoError(t, err)
	require.Equal(t, want, got)
	again, err := unpack()
	require.NoError(t, err)
	require.Same(t, &got[0], &again[0], "it is unpacked once")

	for name, damaged := range map[string][]byte{
		"none": {1}, "text": []byte("engine"), "cut": compressed[:len(compressed)/2], "changed": append(bytes.Clone(compressed[:40]), 0xff, 0xff),
		"too large": pack(t, make([]byte, 65<<20)),
	} {
		_, err := packed.Module("engine for tests", damaged)()
		require.ErrorContains(t, err, "engine for tests: the packed module is damaged", name)
	}
}

// TestCommand unpacks what the command zstd packs, which the Makefile uses.
func TestCommand(t *testing.T) {
	t.Parallel()
	command, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("there is no command zstd")
	}
	module, err := os.ReadFile("../../sdk/js/engine.wasm")
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), command, "-19", "-c")
	c.Stdin = bytes.NewReader(module)
	compressed, err := c.Output()
	require.NoError(t, err)
	got, err := packed.Module("engine", compressed)()
	require.NoError(t, err)
	require.True(t, bytes.Equal(module, got))
}
