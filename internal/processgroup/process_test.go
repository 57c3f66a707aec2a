//go:build unix

package processgroup_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/internal/processgroup"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a script and returns the process, and the first line that it writes.
func start(t *testing.T, script string) (p *processgroup.Process, line string) {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
	cmd.Env, cmd.Stdout = os.Environ(), write
	p, err = processgroup.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	require.NoError(t, write.Close())
	t.Cleanup(func() {
		p.Kill()
		_ = p.Wait() // it was killed
		require.NoError(t, read.Close())
	})
	_, err = fmt.Fscan(read, &line)
	if !errors.Is(err, io.EOF) {
		require.NoError(t, err)
	}
	return p, line
}

func gone(t *testing.T, pid string) {
	t.Helper()
	var n int
	_, err := fmt.Sscan(pid, &n)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat") // nobody may reap orphans in a container
		return errors.Is(syscall.Kill(n, 0), syscall.ESRCH) || err == nil && strings.Contains(string(stat), ") Z ")
	}, time.Minute, time.Millisecond)
}

func TestTheGroupEndsWithItsLeader(t *testing.T) {
	t.Parallel()
	p, child := start(t, "sleep 300 >/dev/null & echo $!; exit 7")
	status, ok := errors.AsType[*exec.ExitError](p.Wait())
	require.True(t, ok)
	require.Equal(t, 7, status.ExitCode())
	gone(t, child)
	p.Terminate() // its id may be another's by now
	p.Kill()
}

func TestTerminateAsksAndKillDoesNot(t *testing.T) {
	t.Parallel()
	p, _ := start(t, "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done")
	p.Terminate()
	require.EqualError(t, p.Wait(), "exit status 5")

	p, child := start(t, "trap '' TERM; sleep 300 >/dev/null & echo $!; while :; do sleep 0.01; done")
	p.Terminate()
	p.Kill()
	require.EqualError(t, p.Wait(), "signal: killed")
	gone(t, child)
}

func TestAProgramThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	_, err := processgroup.Start(exec.CommandContext(t.Context(), "/no/such/program"), syscall.SIGKILL)
	require.ErrorIs(t, err, os.ErrNotExist)
}
