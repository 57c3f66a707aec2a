//go:build linux || darwin

package shellsession_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/shellsession"
	"github.com/agenthost/agenthost/internal/processgroup"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	type result = shellsession.Result
	for _, test := range []struct {
		name, command string
		want          result
	}{
		{"a line", "echo hi", result{Output: "hi\n", Lines: 1, Bytes: 3}},
		{"nothing", "", result{}},
		{"a comment", "# nothing", result{}},
		{"no end of line", "printf hi", result{Output: "hi", Lines: 1, Bytes: 2}},
		{"several lines", "echo a\necho b\n", result{Output: "a\nb\n", Lines: 2, Bytes: 4}},
		{"a here document", "cat <<END\na 'b' $((1+1))\nEND", result{Output: "a 'b' 2\n", Lines: 1, Bytes: 8}},
		{"quotes", `echo 'it'"'"'s' "\\" '"'`, result{Output: "it's \\ \"\n", Lines: 1, Bytes: 9}},
		{"an exit code", "(exit 3)", result{ExitCode: 3}},
		{"stderr", "echo e >&2", result{Output: "[stderr] e\n", Lines: 1, Bytes: 2}},
		{
			"stdout and stderr without an end of the line", "printf 'o\n'; sleep 0.5; printf e >&2; false",
			result{Output: "o\n[stderr] e", Lines: 2, Bytes: 3, ExitCode: 1},
		},
		{"binary output", `printf 'a\377\376b\000c\n'`, result{Output: "a\uFFFDb\x00c\n", Lines: 1, Bytes: 7}},
		{"empty lines", `printf '\n\n'`, result{Output: "\n\n", Lines: 2, Bytes: 2}},
		{"no stdin", "cat; read line || echo end", result{Output: "end\n", Lines: 1, Bytes: 4}},
		{"another stdin", "exec </dev/null; echo a", result{Output: "a\n", Lines: 1, Bytes: 2}},
		{"an exit in a subshell", "(echo a; exit 4)", result{Output: "a\n", Lines: 1, Bytes: 2, ExitCode: 4}},
		{"an exit", "echo a; exit 5", result{Output: "a\n", Lines: 1, Bytes: 2, ExitCode: 5, Ended: true}},
		{"a shell that kills itself", "kill -9 $$", result{ExitCode: 137, Ended: true}},
		{"a program in the place of the shell", "exec echo a", result{Output: "a\n", Lines: 1, Bytes: 2, Ended: true}},
		{"errexit", "set -e; echo a; false; echo b", result{Output: "a\n", Lines: 1, Bytes: 2, ExitCode: 1, Ended: true}},
		{"a job that goes on", "sleep 1000 & echo a", result{Output: "a\n", Lines: 1, Bytes: 2}},
		{"a job with its output", "(echo a) & wait", result{Output: "a\n", Lines: 1, Bytes: 2}},
		{"a stopped shell's streams", "exec 2>/dev/null; echo a >&2; echo b", result{Output: "b\n", Lines: 1, Bytes: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, shell string) {
				t.Helper()
				s := start(t, func(c *shellsession.Config) { c.Command = []string{shell} })
				require.Equal(t, test.want, *run(t, s, test.command))
				require.Equal(t, !test.want.Ended, s.Alive())
				if !test.want.Ended {
					require.Equal(t, "still\n", run(t, s, "echo still").Output)
				}
			})
		})
	}
}

// What is wrong with a command is said, and the session goes on.
func TestBadCommands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, command, says string }{
		{"an open quote", "echo 'a", "nterminated|EOF|matching"},
		{"an open block", "if true", "yntax error"},
		{"a closing brace", "} >&2; echo x; {", "yntax error"},
		{"an unknown command", "no_such_command", "not found"},
		{"an open here document", "cat <<END\na", ""},
		{"a failing redirection", "echo a </no/such/file", "o such file|cannot open"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, shell string) {
				t.Helper()
				s := start(t, func(c *shellsession.Config) { c.Command = []string{shell} })
				require.Regexp(t, test.says, run(t, s, test.command).Output)
				require.Equal(t, "still\n", run(t, s, "echo still").Output)
			})
		})
	}
}

func TestASessionLasts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, shell string) {
		t.Helper()
		s := start(t, func(c *shellsession.Config) { c.Command = []string{shell} })
		run(t, s, "mkdir d && cd d; X=1; export Y=2; f() { echo f$1; }")
		require.Equal(t, "d 1 2 f3\n", run(t, s, `echo "$(basename "$PWD") $X $(sh -c 'echo $Y') $(f 3)"`).Output)
		run(t, s, "exec >log 2>&1")
		require.Empty(t, run(t, s, "echo to the log; echo too >&2").Output, "a command may redirect for good")
		run(t, s, "exec >/dev/null")
		require.True(t, s.Alive())
	})
}

// A shell that shows what it reads and does is not taken for one that is done.
func TestTracing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, shell string) {
		t.Helper()
		s := start(t, func(c *shellsession.Config) { c.Command = []string{shell} })
		require.Contains(t, run(t, s, "set -xv; echo hi").Output, "hi\n")
		result := run(t, s, "echo ho")
		require.Contains(t, "\n"+result.Output, "\nho\n")
		require.Zero(t, result.ExitCode)
		run(t, s, "set +xv")
		require.Equal(t, "end\n", run(t, s, "echo end").Output)
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	type result = shellsession.Result
	for _, test := range []struct {
		name, command string
		limits        shellsession.Limits
		want          result
	}{
		{"lines", "seq 5", shellsession.Limits{Lines: 3, Bytes: 99}, result{Output: "1\n2\n3\n", TruncatedLines: true, Lines: 5, Bytes: 10}},
		{"as many lines", "seq 3", shellsession.Limits{Lines: 3, Bytes: 99}, result{Output: "1\n2\n3\n", Lines: 3, Bytes: 6}},
		{"bytes", "echo abc; echo def; echo g", shellsession.Limits{Lines: 9, Bytes: 6}, result{Output: "abc\nde", TruncatedBytes: true, Lines: 3, Bytes: 10}},
		{"as many bytes", "echo abc", shellsession.Limits{Lines: 9, Bytes: 4}, result{Output: "abc\n", Lines: 1, Bytes: 4}},
		{
			"whole lines", "echo abc; echo def; echo g",
			shellsession.Limits{Lines: 9, Bytes: 6, WholeLines: true},
			result{Output: "abc\n", TruncatedBytes: true, Lines: 3, Bytes: 10},
		},
		{"within a character", "printf 'aä€😀'", shellsession.Limits{Lines: 9, Bytes: 9}, result{Output: "aä€", TruncatedBytes: true, Lines: 1, Bytes: 10}},
		{
			"both", "echo abcdef; seq 5",
			shellsession.Limits{Lines: 2, Bytes: 3},
			result{Output: "abc", TruncatedLines: true, TruncatedBytes: true, Lines: 6, Bytes: 17},
		},
		{
			"both streams", "echo a; echo b >&2; sleep 0.5; echo c",
			shellsession.Limits{Lines: 2, Bytes: 99},
			result{Output: "a\n[stderr] b\n", TruncatedLines: true, Lines: 3, Bytes: 6},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(c *shellsession.Config) { c.Limits = test.limits })
			got := *run(t, s, test.command)
			if test.name == "both streams" {
				got.Output = strings.ReplaceAll(got.Output, "[stderr] b\na\n", "a\n[stderr] b\n") // they are two pipes
			}
			require.Equal(t, test.want, got)
		})
	}
}

// A gigabyte is read, and next to nothing of it is kept.
func TestAGigabyte(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result := run(t, s, "yes | head -c 1000000000; head -c 50000000 /dev/zero")
	runtime.ReadMemStats(&after)
	require.Equal(t, 1_050_000_000, result.Bytes)
	require.Equal(t, 500_000_001, result.Lines)
	require.Equal(t, strings.Repeat("y\n", 100), result.Output)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+64<<20)
}

func TestTheMarkerIsFoundInPieces(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for i := range 20 {
		text := strings.Repeat("x", 65_536-i)
		require.Equal(t, 65_536-i, run(t, s, "printf "+text).Bytes)
	}
}

func TestNUL(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, err := s.Run(t.Context(), "echo \x00", patience)
	require.ErrorIs(t, err, shellsession.ErrNUL)
	require.True(t, s.Alive())
}

func TestALongCommand(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	require.Equal(t, 300_001, run(t, s, "echo "+strings.Repeat("x", 300_000)).Bytes)
}

func TestLateOutputIsDropped(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	require.Empty(t, run(t, s, "(while [ ! -e go ]; do sleep 0.01; done; echo late; echo >done) &").Output)
	dir := strings.TrimSpace(run(t, s, "pwd").Output)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "done")); return err == nil }, patience, time.Millisecond)
	time.Sleep(50 * time.Millisecond)
	require.Equal(t, "next\n", run(t, s, "echo next").Output)
}

func TestTheEnvironmentIsClean(t *testing.T) {
	t.Setenv("SECRET_OF_THE_HOST", "1")
	s := start(t, func(c *shellsession.Config) { c.Env = []string{"A=b c"} })
	var names []string
	for variable := range strings.SplitSeq(strings.TrimSpace(run(t, s, "env").Output), "\n") {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	want := []string{"A", "PWD", "SHLVL", "_"} // the last three are bash's own
	if runtime.GOOS == "linux" {
		want = append(want, processgroup.Variable)
	}
	require.ElementsMatch(t, want, names)
	require.Equal(t, "b c\n", run(t, s, `echo "$A"`).Output)
}

func TestThereIsNoTerminal(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	require.NotZero(t, run(t, s, "read line </dev/tty").ExitCode)
}

func TestResourceLimits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, shell string) {
		t.Helper()
		s := start(t, func(c *shellsession.Config) {
			c.Command, c.CPUSeconds = []string{shell}, 1
			if shellsession.LimitsMemory {
				c.MemoryBytes = 1 << 30
			}
		})
		require.Equal(t, "1\n1\n", run(t, s, "ulimit -St; ulimit -Ht").Output)
		if shellsession.LimitsMemory {
			require.Equal(t, "1048576\n1048576\n", run(t, s, "ulimit -Sv; ulimit -Hv").Output)
		}
		if os.Getuid() != 0 {
			require.NotZero(t, run(t, s, "ulimit -t unlimited").ExitCode, "it cannot be lifted")
		}
		require.Equal(t, 137, run(t, s, "sh -c 'while :; do :; done'").ExitCode, "the kernel has killed it")
		require.Equal(t, "still\n", run(t, s, "echo still").Output)
	})
}

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	if !shellsession.LimitsMemory {
		t.Skip("memory cannot be limited here")
	}
	s := start(t, func(c *shellsession.Config) { c.MemoryBytes = 64 << 20 })
	require.NotZero(t, run(t, s, "head -c 200000000 /dev/zero | tail -n 1 | wc -c; exit ${PIPESTATUS[1]}").ExitCode)
}

func TestAPrefix(t *testing.T) {
	t.Parallel()
	env, err := exec.LookPath("env")
	require.NoError(t, err)
	s := start(t, func(c *shellsession.Config) {
		c.Command, c.Env, c.Polite = []string{env, "-i", "B=2", "/bin/sh"}, []string{"A=1"}, true
	})
	require.Equal(t, "2\n", run(t, s, "echo $A$B").Output)
}
