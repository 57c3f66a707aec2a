//go:build linux || darwin

package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// Two runs have two sessions, and a temporary workspace goes with its run; a given one stays.
func TestShellSessionsAreOfARun(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"", filepath.Join(t.TempDir(), "a", "b")} {
		shell := onHost(func(s *builtin.Shell) { s.WorkspaceRoot = root })
		agent := shellAgent(t, []scripted.Turn{command("X=1; pwd -P; touch file"), command("echo a$X"), scripted.Say("done"), command("echo b$X"), scripted.Say("done")}, host.Config{}, shell)
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		answers := shellAnswers(result)
		require.Equal(t, "a1\n", answers[1])
		dir := strings.TrimSpace(answers[0])
		if root == "" {
			require.Contains(t, dir, "agenthost-shell-")
			require.NoDirExists(t, dir)
		} else {
			require.FileExists(t, filepath.Join(root, "file"))
		}
		result, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.Equal(t, []string{"b\n"}, shellAnswers(result))
	}
}

// What a command did to the rights of a temporary workspace does not keep it.
func TestShellRemovesALockedWorkspace(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.Mkdir(outside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "file"), nil, 0o600))
	answers := inShell(t, onHost(), "pwd -P; mkdir -p a/b/c; touch a/b/c/d; ln -s "+outside+" link; ln -s "+outside+" a/b/link; chmod 0 a/b/c a/b a .")
	require.NoDirExists(t, strings.TrimSpace(answers[0]))
	require.FileExists(t, filepath.Join(outside, "file"), "links are not followed")
}

func TestShellRunsParallelCallsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	list := make([]string, 20)
	for i := range list {
		list[i] = fmt.Sprintf("[ $n ] || n=0; m=$n; sleep 0.01; n=$((m+1)); echo $n # %d", i)
	}
	agent := shellAgent(t, []scripted.Turn{command(list...), scripted.Say("done")}, host.Config{ToolCalls: host.ToolCallConfig{Parallel: 8}}, onHost())
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	numbers := make([]int, 0, len(list))
	for _, answer := range shellAnswers(result) {
		n, err := strconv.Atoi(strings.TrimSpace(answer))
		require.NoError(t, err)
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		require.Equal(t, i+1, n)
	}
}

func TestShellsStandBesideEachOther(t *testing.T) {
	t.Parallel()
	other := onHost(func(s *builtin.Shell) { s.ToolName = "other" })
	turns := []scripted.Turn{
		command("X=1"), scripted.CallTools(abi.Call("2", "other", map[string]any{"command": "echo a$X"})), command("echo a$X"), scripted.Say("done"),
	}
	result, err := shellAgent(t, turns, host.Config{}, onHost(), other).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, []string{"<no output>", "a\n", "a1\n"}, shellAnswers(result))
}

func TestShellShutdownCommands(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	shell := onHost(func(s *builtin.Shell) {
		s.ShutdownCommands = []string{"echo $X >>" + log, "false", "exit", "echo never >>" + log}
	})
	for name, turns := range map[string][]scripted.Turn{
		"completed": commands("X=1"), "failed": {command("X=1"), scripted.Fail(errors.New("broken"))}, "no session": commands(), "session over": commands("exit"),
	} {
		_ = os.Remove(log)
		_, err := shellAgent(t, turns, host.Config{}, shell).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.Equal(t, name == "failed", err != nil)
		text, _ := os.ReadFile(log)
		require.Equal(t, map[string]string{"completed": "1\n", "failed": "1\n"}[name], string(text), name)
	}
}

func TestShellIsCancelled(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	shell := onHost(func(s *builtin.Shell) { s.WorkspaceRoot = root })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	agent := shellAgent(t, commands("sleep 1000 & echo $! >next; mv next pid; wait"), host.Config{}, builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}"}}, shell)
	ended := make(chan error)
	go func() {
		_, err := agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("go")}})
		ended <- err
	}()
	pid := readPID(t, filepath.Join(root, "pid"))
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	goneProcess(t, pid)
}

// A tool without time is ended, and the model hears of it before a command runs in another session.
func TestShellAndATimeoutOfTheHost(t *testing.T) {
	t.Parallel()
	config := host.Config{ToolCalls: host.ToolCallConfig{ToolTimeout: time.Second}}
	agent := shellAgent(t, commands("cd /", "sleep 1000", "rm -f x", "echo a"), config, onHost())
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, []string{"<no output>", "!Error: tool 'shell' timed out after 1s.", lostSession, "a\n"}, shellAnswers(result))
}

// What the model could not know when it asked is no reason to run a command elsewhere than it meant.
func TestShellSessionIsLostWithoutTheModel(t *testing.T) {
	t.Parallel()
	fast := onHost(func(s *builtin.Shell) { s.ExecutionPolicy.CommandTimeout = 0.5 })
	const over = "\n\nThe shell session has ended. The next command starts a new one."
	for name, test := range map[string]struct {
		shell builtin.Shell
		turns []scripted.Turn
		want  []string
	}{
		"by exit":       {onHost(), []scripted.Turn{command("exit", "echo a", "echo b"), command("echo c")}, []string{"<no output>" + over, lostSession, lostSession, "c\n"}},
		"by a timeout":  {fast, []scripted.Turn{command("sleep 1000", "echo a"), command("echo b")}, []string{"!Error: Command timed out after 0.5 seconds.", lostSession, "b\n"}},
		"and restarted": {onHost(), []scripted.Turn{command("exit", "restart", "echo a")}, []string{"<no output>" + over, "Shell session restarted.", "a\n"}},
		"in the background": {
			onHost(),
			[]scripted.Turn{command("( sleep 0.1; kill -9 $$ ) & while :; do sleep 0.01; done"), command("echo a")},
			[]string{"!<no output>\n\nExit code: 137" + over, "a\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := shellAgent(t, append(test.turns, scripted.Say("done")), host.Config{}, test.shell)
			result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
			require.NoError(t, err)
			require.Equal(t, test.want, shellAnswers(result))
		})
	}
}

// A shell that is killed while the model thinks is one that the model knows nothing of.
func TestShellEndsBetweenTwoAnswers(t *testing.T) {
	t.Parallel()
	awaitEnd := host.BeforeModel("await", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		messages := rt.State().Messages().Messages()
		if last := messages[len(messages)-1]; last.Role == abi.RoleTool {
			if pid, err := strconv.Atoi(strings.TrimSpace(last.Content.Text())); err == nil {
				goneProcess(t, pid)
			}
		}
		return nil, nil
	})
	agent := shellAgent(t, commands("echo $$; ( sleep 0.1; kill -9 $$ ) >/dev/null 2>&1 &", "echo a", "echo b"), host.Config{}, awaitEnd, onHost())
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	answers := shellAnswers(result)
	require.Contains(t, []string{ // the second, if the shell has gone and its end is not noted yet
		lostSession, "!<no output>\n\nExit code: 137\n\nThe shell session has ended. The next command starts a new one.",
	}, answers[1])
	require.Equal(t, "b\n", answers[2])
}

func TestShellWaitsForAHuman(t *testing.T) {
	t.Parallel()
	define := "ask() { echo asked in $(basename $PWD); }; mkdir d; cd d"
	for name, test := range map[string]struct {
		between func(t *testing.T, agent *host.Agent, store checkpoint.Store, shell builtin.Shell, dir string) *host.Agent
		want    []string
	}{
		"in this process": {
			func(_ *testing.T, agent *host.Agent, _ checkpoint.Store, _ builtin.Shell, _ string) *host.Agent {
				return agent
			},
			[]string{"asked in d\n", "asked in d\n", "asked in d\n"},
		},
		"in another process": {
			func(t *testing.T, agent *host.Agent, store checkpoint.Store, shell builtin.Shell, dir string) *host.Agent {
				t.Helper()
				require.NoError(t, agent.Close())
				require.NoDirExists(t, dir)
				return shellAgent(t, []scripted.Turn{command("type ask"), scripted.Say("done")}, host.Config{Checkpointer: store}, reviewedShell(), shell)
			},
			[]string{lostSession, lostSession, "![stderr] /bin/bash: type: ask: not found\n\nExit code: 1"},
		},
		"for too long": {
			func(t *testing.T, agent *host.Agent, _ checkpoint.Store, _ builtin.Shell, dir string) *host.Agent {
				t.Helper()
				require.Eventually(t, func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) }, patience, time.Millisecond)
				return agent
			},
			[]string{lostSession, lostSession, "![stderr] /bin/bash: ask: command not found\n\nExit code: 127"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := memory.New()
			shell := onHost(func(s *builtin.Shell) {
				if name == "for too long" {
					s.IdleTimeout = 0.1
				}
			})
			turns := []scripted.Turn{command("pwd -P; " + define), command("ask", "ask #"), command("ask ##"), scripted.Say("done")}
			agent := shellAgent(t, turns, host.Config{Checkpointer: store, ToolCalls: host.ToolCallConfig{Parallel: 1}}, reviewedShell(), shell)
			result := startThread(t, agent)
			dir := strings.TrimSpace(shellAnswers(result)[0])
			agent = test.between(t, agent, store, shell, dir)
			result = approved(t, agent, result, approve, approve)
			if result.Status == host.Interrupted {
				result = approved(t, agent, result, approve)
			}
			answers := shellAnswers(result)[1:]
			for i := range answers {
				answers[i] = lineNumber.ReplaceAllString(answers[i], "")
			}
			require.Equal(t, test.want, answers)
			require.NoDirExists(t, dir)
		})
	}
}

// A human may edit a command; the limit counts it once.
func TestShellBesideAReviewAndALimit(t *testing.T) {
	t.Parallel()
	limit := builtin.ToolCallLimit{ToolName: "shell", RunLimit: new(2)}
	agent := shellAgent(t, []scripted.Turn{command("X=1"), command("ask", "echo never"), scripted.Say("done")},
		host.Config{Checkpointer: memory.New()}, limit, reviewedShell(), onHost())
	edited := edit("shell", map[string]any{"command": "echo edited $X"})
	result := approved(t, agent, startThread(t, agent), edited)
	require.Equal(t, host.Completed, result.Status)
	answers := shellAnswers(result)
	require.Len(t, answers, 3)
	require.Contains(t, answers, "!Tool call limit exceeded. Do not call 'shell' again.")
	require.True(t, slices.ContainsFunc(answers, func(a string) bool { return strings.HasSuffix(a, "edited 1\n") }), "%q", answers)
}

// An agent that is closed leaves nothing of runs that wait.
func TestShellIsClosed(t *testing.T) {
	t.Parallel()
	agent := shellAgent(t, []scripted.Turn{command("pwd -P; sleep 1000 & echo $!"), command("ask")}, host.Config{Checkpointer: memory.New()}, reviewedShell(), onHost())
	dir, pid, _ := strings.Cut(strings.TrimSpace(shellAnswers(startThread(t, agent))[0]), "\n")
	require.DirExists(t, dir)
	require.NoError(t, agent.Close())
	require.NoDirExists(t, dir)
	n, err := strconv.Atoi(pid)
	require.NoError(t, err)
	goneProcess(t, n)
}

// A run of the same agent does not wait for that of another, whose command runs.
func TestShellRunsOfAnAgentAreApart(t *testing.T) {
	t.Parallel()
	args := map[string]any{
		"command": "if mkdir first 2>/dev/null; then while [ ! -e go ]; do sleep 0.01; done; else touch go; fi",
	}
	model, err := scripted.NewRules(
		scripted.Rule{From: "human", Call: []scripted.RuleCall{{Tool: "shell", Args: args}}}, scripted.Rule{From: "tool", Say: "done"},
	)
	require.NoError(t, err)
	root := t.TempDir()
	shell := onHost(func(s *builtin.Shell) { s.WorkspaceRoot = root })
	agent, err := host.New(host.Config{Model: model, Middleware: []host.Middleware{shell}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	ended := make(chan error)
	for range 2 {
		go func() {
			result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
			if err == nil && !slices.Equal(shellAnswers(result), []string{"<no output>"}) {
				err = fmt.Errorf("it answered %q", shellAnswers(result))
			}
			ended <- err
		}()
	}
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
}
