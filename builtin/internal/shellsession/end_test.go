//go:build linux || darwin

package shellsession_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/shellsession"
)

func TestOutputThatNeverEnds(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, err := s.Run(t.Context(), "yes", 300*time.Millisecond)
	require.ErrorIs(t, err, shellsession.ErrTimeout)
	require.False(t, s.Alive())
}

// Whatever ends a session, nothing of it survives.
func TestNothingSurvives(t *testing.T) {
	t.Parallel()
	children := map[string]string{
		"a job":              "sleep 1000 & echo $!",
		"one without output": "sleep 1000 >/dev/null 2>&1 & echo $!",
		"one that ignores":   "(trap '' TERM HUP INT; sleep 1000) & echo $!",
	}
	if runtime.GOOS == "linux" {
		children["one of another group"] = "set -m; sleep 1000 & echo $!"
		children["one of another session"] = "setsid sleep 1000 & sleep 0.1; pgrep -s 0 >/dev/null; echo $!"
		children["a daemon"] = "(setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &); while [ ! -s pid ]; do sleep 0.01; done; cat pid"
		children["one with another environment"] = "set -m; env -i sleep 1000 & echo $!"
	}
	ends := map[string]func(t *testing.T, s *shellsession.Session){
		"close": func(_ *testing.T, s *shellsession.Session) { s.Close() },
		"exit": func(t *testing.T, s *shellsession.Session) {
			t.Helper()
			require.True(t, run(t, s, "exit").Ended)
		},
		"timeout": func(t *testing.T, s *shellsession.Session) {
			t.Helper()
			_, err := s.Run(t.Context(), "sleep 1000", 10*time.Millisecond)
			require.ErrorIs(t, err, shellsession.ErrTimeout)
		},
		"cancellation": func(t *testing.T, s *shellsession.Session) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := s.Run(ctx, "sleep 1000", patience)
			require.ErrorIs(t, err, context.Canceled)
		},
	}
	for what, child := range children {
		for how, end := range ends {
			t.Run(what+", "+how, func(t *testing.T) {
				t.Parallel()
				s := start(t, nil)
				pid := pidOf(t, run(t, s, child).Output)
				require.NoError(t, syscall.Kill(pid, 0), "it runs")
				shell := pidOf(t, run(t, s, "echo $$").Output)
				end(t, s)
				require.False(t, s.Alive())
				gone(t, pid)
				gone(t, shell)
			})
		}
	}
}

// A process that keeps the pipes open does not keep the session.
func TestAPipeThatStaysOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs setsid")
	}
	s := start(t, nil)
	pid := pidOf(t, run(t, s, "(trap '' TERM; env -i setsid sh -c 'echo $$ >pid; exec sleep 5' &); while [ ! -s pid ]; do sleep 0.01; done; cat pid").Output)
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }() // it hides from us: it has another session, and no variable of ours
	s.Close()
	require.False(t, s.Alive())
}

// A wrapper that is asked to end may clean up.
func TestAPoliteEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := `trap 'echo ended >` + dir + `/ended; exit' TERM; exec 3<&0; "$@" <&3 3<&- & wait`
	for _, end := range []func(s *shellsession.Session){
		func(s *shellsession.Session) { _, _ = s.Run(t.Context(), "sleep 1000", 10*time.Millisecond) },
		func(s *shellsession.Session) {
			_, _ = s.Run(t.Context(), "sleep 1000 & exec sleep 1000", time.Millisecond)
		},
	} {
		s := start(t, func(c *shellsession.Config) {
			c.Command, c.Polite = []string{"/bin/sh", "-c", script, "sh", "/bin/sh"}, true
		})
		require.Equal(t, "1\n", run(t, s, "echo 1").Output)
		end(s)
		require.False(t, s.Alive())
		ended, err := os.ReadFile(filepath.Join(dir, "ended"))
		require.NoError(t, err)
		require.Equal(t, "ended\n", string(ended))
		require.NoError(t, os.Remove(filepath.Join(dir, "ended")))
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*shellsession.Config)
		want   string
	}{
		{"no shell", func(c *shellsession.Config) { c.Command = []string{"/no/such/shell"} }, `the shell "/no/such/shell" cannot be started: fork/exec`},
		{"no directory", func(c *shellsession.Config) { c.Dir = "/no/such/directory" }, `the shell "/bin/bash" cannot be started`},
		{
			"not a shell", func(c *shellsession.Config) { c.Command = []string{"/bin/sh", "-c", "echo what >&2; exit 3"} },
			`the shell "/bin/sh" ended with exit code 3 before it answered and wrote [stderr] what; it must be a POSIX shell`,
		},
		{
			"no answer", func(c *shellsession.Config) {
				c.Command, c.StartTimeout = []string{"/bin/sh", "-c", "echo what; exec sleep 1000"}, 3*time.Second
			},
			`the shell "/bin/sh" did not answer within 3s and wrote what; it must be`,
		},
		{
			"stdout and stderr are one", func(c *shellsession.Config) {
				c.Command, c.StartTimeout = []string{"/bin/sh", "-c", "exec /bin/sh 2>&1"}, 300*time.Millisecond
			},
			"has stdout and stderr apart",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := shellsession.Config{
				Command: shells[:1], Dir: t.TempDir(), Limits: shellsession.Limits{Lines: 9, Bytes: 99}, StartTimeout: patience, StopTimeout: patience,
			}
			test.change(&config)
			_, err := shellsession.Start(t.Context(), config)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestStartIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := shellsession.Start(ctx, shellsession.Config{
		Command: []string{"/bin/sh", "-c", "exec sleep 1000"}, Dir: t.TempDir(), StartTimeout: patience, StopTimeout: patience,
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A shell that does not end when its stdin does is killed.
func TestAStubbornShell(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *shellsession.Config) { c.StopTimeout = 50 * time.Millisecond })
	run(t, s, "trap 'sleep 1000' EXIT")
	s.Close()
	require.False(t, s.Alive())
	s.Close()
}
