package minisig_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/minisig"
)

func TestSignAndVerify(t *testing.T) {
	t.Parallel()
	key, err := minisig.Generate()
	require.NoError(t, err)
	other, err := minisig.Generate()
	require.NoError(t, err)
	content := []byte("content")
	signature, err := key.Sign(content, "a comment")
	require.NoError(t, err)
	signed, ok := minisig.Verify(content, signature, other.Public(), key.Public())
	require.True(t, ok)
	require.Equal(t, key.Public().String(), signed.By.String())
	require.Equal(t, "a comment", signed.Comment)

	for name, test := range map[string]struct{ content, signature string }{
		"other content":     {"contents", string(signature)},
		"other comment":     {"content", strings.Replace(string(signature), "a comment", "b comment", 1)},
		"nothing":           {"content", ""},
		"nonsense":          {"content", "untrusted comment: x\nRWx\ntrusted comment: y\nz\n"},
		"a large signature": {"content", string(signature) + strings.Repeat("\n", minisig.MaxSize)},
	} {
		_, ok := minisig.Verify([]byte(test.content), []byte(test.signature), key.Public())
		require.False(t, ok, name)
	}
	_, ok = minisig.Verify(content, signature, other.Public())
	require.False(t, ok)
	_, ok = minisig.Verify(content, signature)
	require.False(t, ok, "without keys, nobody has signed it")
	_, err = key.Sign(content, "two\nlines")
	require.Error(t, err)
}

func TestFilesOfKeys(t *testing.T) {
	t.Parallel()
	key, err := minisig.Generate()
	require.NoError(t, err)
	private, public, err := key.Files("")
	require.NoError(t, err)
	require.False(t, minisig.IsEncrypted(private))
	read, err := minisig.ReadPrivateKey(private, "")
	require.NoError(t, err)
	require.Equal(t, key.Public().String(), read.Public().String())
	line := strings.Split(string(public), "\n")[1]
	parsed, err := minisig.ParseKey(line)
	require.NoError(t, err)
	require.Equal(t, line, parsed.String())
	require.Contains(t, string(public), parsed.ID())

	for _, file := range []string{"", "x", "untrusted comment: x\nRWx\n", string(public)} {
		_, err := minisig.ReadPrivateKey([]byte(file), "")
		require.Error(t, err)
	}
	_, err = minisig.ParseKeys([]string{line, "RW\x1b[31m"})
	require.ErrorContains(t, err, "is not a public key")
	require.NotContains(t, err.Error(), "\x1b")
}

// TestMinisign lets minisign itself read what is written here, if it is installed.
func TestMinisign(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("minisign")
	if err != nil {
		t.Skip("minisign is not installed")
	}
	dir := t.TempDir()
	key, err := minisig.Generate()
	require.NoError(t, err)
	private, public, err := key.Files("")
	require.NoError(t, err)
	signature, err := key.Sign([]byte("content"), "a comment")
	require.NoError(t, err)
	for name, content := range map[string][]byte{"a.key": private, "a.pub": public, "a": []byte("content"), "a.minisig": signature} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	run := func(args ...string) {
		c := exec.CommandContext(t.Context(), program, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	run("-V", "-p", "a.pub", "-m", "a")
	run("-S", "-W", "-s", "a.key", "-m", "a", "-x", "b.minisig")
	theirs, err := os.ReadFile(filepath.Join(dir, "b.minisig"))
	require.NoError(t, err)
	_, ok := minisig.Verify([]byte("content"), theirs, key.Public())
	require.True(t, ok)
}
