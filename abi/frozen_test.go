package abi_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// frozenList is the digest of the list of what version 1.0 consists of. No later minor version changes it.
const frozenList = "9b8d6a0dce7a0c3d1935580b87b7248395e7560fc756f295b7756b3fe7434460"

// TestVersion10IsFrozen shows that the vectors and the modules of version 1.0 are still there, byte for byte.
func TestVersion10IsFrozen(t *testing.T) {
	t.Parallel()
	const dir = "testdata/v1.0"
	list, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	require.NoError(t, err)
	require.Equal(t, frozenList, digest(list), "SHA256SUMS has changed")
	files := 0
	for lines := bufio.NewScanner(strings.NewReader(string(list))); lines.Scan(); files++ {
		want, name, ok := strings.Cut(lines.Text(), "  ")
		require.True(t, ok, lines.Text())
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		require.Equal(t, want, digest(content), "%s has changed: a later version adds vectors, and changes none", name)
	}
	require.Greater(t, files, 200)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
