package shellsession_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/shellsession"
)

// beHost starts a session, tells its process, and waits to be killed.
func beHost() {
	s, err := shellsession.Start(context.Background(), shellsession.Config{
		Command: shells[:1], Dir: "/", Limits: shellsession.Limits{Lines: 9, Bytes: 99}, StartTimeout: patience, StopTimeout: patience,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := s.Run(context.Background(), "echo $$", patience)
	fmt.Print(result.Output, err, "\n")
	select {}
}

// A host that is killed, and can end nothing any more, leaves no shell behind.
func TestTheHostIsKilled(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	host := exec.CommandContext(t.Context(), program)
	host.Env = append(os.Environ(), asHost+"=1")
	said, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	pid := pidOf(t, line)
	require.NoError(t, host.Process.Kill())
	require.Error(t, host.Wait())
	gone(t, pid)
}

// In a namespace of its own nothing can hide: what this package cannot find ends with the shell.
func TestAPrefixThatIsolates(t *testing.T) {
	t.Parallel()
	unshare := []string{"unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"}
	if out, err := exec.CommandContext(t.Context(), unshare[0], append(unshare[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v: %s", err, out)
	}
	s := start(t, func(c *shellsession.Config) { c.Command, c.Polite = slices.Concat(unshare, shells[:1]), true })
	require.Equal(t, "1\n", run(t, s, "echo $$").Output)
	sleeping := fmt.Sprintf("sleep\x0086399.%d\x00", os.Getpid())
	run(t, s, fmt.Sprintf("(env -i setsid sleep 86399.%d >/dev/null 2>&1 </dev/null &)", os.Getpid()))
	runs := func() bool {
		lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
		require.NoError(t, err)
		return slices.ContainsFunc(lines, func(path string) bool {
			line, err := os.ReadFile(path)
			return err == nil && string(line) == sleeping
		})
	}
	require.Eventually(t, runs, patience, time.Millisecond)
	s.Close()
	require.Eventually(t, func() bool { return !runs() }, patience, time.Millisecond)
}
