package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// runIn runs the command in a directory below the bundle's, as a process of its own, and returns its exit code.
func (b *bundle) runIn(dir string, env []string, args ...string) int {
	b.t.Helper()
	self, err := os.Executable()
	require.NoError(b.t, err)
	require.NoError(b.t, os.MkdirAll(b.path(dir), 0o700))
	b.out.Reset()
	b.err.Reset()
	c := exec.CommandContext(b.t.Context(), self, args...)
	c.Dir, c.Stdout, c.Stderr = b.path(dir), &b.out, &b.err
	c.Env = append(append(os.Environ(), asCommand+"=1", "HOME="+b.dir), env...)
	_ = c.Run() // the exit code says how it ended
	return c.ProcessState.ExitCode()
}

func TestTheManifestIsFoundInAParentDirectory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("only Unix tells who owns a file")
	}
	b := setup(t, say)
	require.Equal(t, exitOK, b.runIn("a/b", nil, "run", "hi"), &b.err)
	require.Equal(t, "hello\n", b.out.String())
	require.Equal(t, "· using ../../agenthost.yaml\n", b.err.String())

	require.Equal(t, exitOK, b.runIn("a/b", nil, "run", "--quiet", "hi"), &b.err)
	require.Empty(t, b.err.String())
	require.Equal(t, exitOK, b.runIn("a/b", nil, "validate"), &b.err)
	require.Equal(t, "../../agenthost.yaml: ok\n", b.out.String())
	require.Equal(t, exitUsage, b.runIn("a/b", nil, "threads", "list"))
	require.Contains(t, b.err.String(), "../../agenthost.yaml: the manifest keeps no threads")

	b.write("a/agenthost.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: nearer}]}\n")
	require.Equal(t, exitOK, b.runIn("a/b", nil, "run", "hi"), &b.err)
	require.Equal(t, "nearer\n", b.out.String())
	require.Equal(t, exitOK, b.runIn("a", nil, "run", "hi"), &b.err)
	require.Empty(t, b.err.String(), "it is in the current directory")

	require.Equal(t, exitUsage, b.runIn("c/d", []string{"HOME=" + b.path("c")}, "validate"))
	require.Contains(t, b.err.String(), "agenthost.yaml: there is no such file", "the search stops at the home directory")
}

func TestAFileFlagMayNameADirectory(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, args := range [][]string{{"run", "-f", b.dir, "hi"}, {"validate", "--manifest", b.dir}, {"doctor", "-f", b.dir + "/"}} {
		require.Equal(t, exitOK, b.runWith(t.Context(), "", args...), "%s %s", &b.out, &b.err)
	}
	require.NoError(t, os.Mkdir(b.path("empty"), 0o700))
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "run", "-f", b.path("empty"), "hi"))
	require.Contains(t, b.err.String(), filepath.Join(b.dir, "empty", "agenthost.yaml")+": there is no such file (expected a manifest); name another one")
}

// A manifest starts programs. In a shared directory such as /tmp, another user may have written it.
func TestAManifestOfAnotherUserIsNotUsedUnasked(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const nobody = 65534
	for _, given := range []string{"agenthost.yaml", "."} {
		b := setup(t, say)
		require.NoError(t, os.Lchown(b.path(given), nobody, nobody))
		require.Equal(t, exitUsage, b.runIn("a", nil, "run", "hi"), &b.out)
		require.Equal(t, "agenthost: ../agenthost.yaml: the file or its directory may belong to another user, who could make you run programs; "+
			"if you trust the file, name it with -f ../agenthost.yaml\n", b.err.String())
		require.Equal(t, exitOK, b.runIn("a", nil, "run", "-f", "../agenthost.yaml", "hi"), &b.err)
		require.Equal(t, exitOK, b.runIn("a", nil, "run", "-f", "..", "hi"), &b.err)
	}
	b := setup(t, say)
	require.NoError(t, os.MkdirAll(b.path("a"), 0o700))
	require.NoError(t, os.Symlink("../agenthost.yaml", b.path("a/agenthost.yaml")))
	require.NoError(t, os.Lchown(b.path("a/agenthost.yaml"), nobody, nobody))
	require.Equal(t, exitUsage, b.runIn("a/b", nil, "run", "hi"), "a link of another user")
}

func TestManifestFromStopsAtTheRoot(t *testing.T) {
	t.Parallel()
	found, err := manifestFrom(t.TempDir(), "")
	require.NoError(t, err)
	require.Empty(t, found)
}
