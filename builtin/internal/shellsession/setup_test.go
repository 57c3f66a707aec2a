//go:build linux || darwin

package shellsession_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/shellsession"
)

// shells are those that the tests run with, as far as they are there.
var shells = []string{"/bin/bash", "/bin/sh"}

// patience is more time than anything here needs.
const patience = time.Minute

func start(t *testing.T, change func(*shellsession.Config)) *shellsession.Session {
	t.Helper()
	config := shellsession.Config{
		Command: []string{shells[0]}, Dir: t.TempDir(), Limits: shellsession.Limits{Lines: 100, Bytes: 1 << 16},
		StartTimeout: patience, StopTimeout: patience,
	}
	if change != nil {
		change(&config)
	}
	s, err := shellsession.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func run(t *testing.T, s *shellsession.Session, command string) *shellsession.Result {
	t.Helper()
	result, err := s.Run(t.Context(), command, patience)
	require.NoError(t, err)
	return result
}

// each runs a test with each shell.
func each(t *testing.T, test func(t *testing.T, shell string)) {
	t.Helper()
	for _, shell := range shells {
		if _, err := os.Stat(shell); err != nil {
			continue
		}
		t.Run(filepath.Base(shell), func(t *testing.T) {
			t.Parallel()
			test(t, shell)
		})
	}
}

// pidOf reads the id of a process that a command has written.
func pidOf(t *testing.T, text string) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	require.NoError(t, err)
	return pid
}

// gone waits until a process is gone: one that was killed lives until the kernel has seen to it.
func gone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // nobody may reap orphans in a container
		return err == nil && strings.Contains(string(stat), ") Z ")
	}, patience, time.Millisecond)
}
