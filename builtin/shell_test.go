//go:build linux || darwin

package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// patience is more time than anything here needs.
const patience = time.Minute

// onHost is a shell on this machine.
func onHost(change ...func(*builtin.Shell)) builtin.Shell {
	s := builtin.Shell{ExecutionPolicy: builtin.ShellPolicy{Type: "host", CommandTimeout: 60, StartupTimeout: 60, TerminationTimeout: 60}}
	for _, change := range change {
		change(&s)
	}
	return s
}

// command is an answer of the model that asks for commands. "restart" restarts the session.
func command(commands ...string) scripted.Turn {
	asked := make([]abi.ToolCall, len(commands))
	for i, text := range commands {
		args := map[string]any{"command": text}
		if text == "restart" {
			args = map[string]any{"restart": true}
		}
		asked[i] = abi.Call(fmt.Sprintf("%d of %s", i, text), "shell", args)
	}
	return scripted.CallTools(asked...)
}

func commands(list ...string) []scripted.Turn {
	turns := make([]scripted.Turn, 0, len(list)+1)
	for _, text := range list {
		turns = append(turns, command(text))
	}
	return append(turns, scripted.Say("done"))
}

// shellAgent is an agent whose model asks for what turns say.
func shellAgent(t *testing.T, turns []scripted.Turn, config host.Config, middleware ...host.Middleware) *host.Agent {
	t.Helper()
	config.Model, config.Middleware = &scripted.Turns{Script: turns, AfterEnd: scripted.EndRepeat}, middleware
	if config.ToolCalls.Parallel == 0 {
		config.ToolCalls.Parallel = 1
	}
	agent, err := host.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

// inShell runs commands in one run and returns their answers, "!" before the failed ones.
func inShell(t *testing.T, shell builtin.Shell, list ...string) []string {
	t.Helper()
	result, err := shellAgent(t, commands(list...), host.Config{}, shell).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return toolAnswers(result)
}

func toolAnswers(result *host.Result) []string {
	var out []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			out = append(out, map[bool]string{true: "!"}[m.Failed()]+m.Content.Text())
		}
	}
	return out
}

func TestShell(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		shell    builtin.Shell
		commands []string
		want     []string
	}{
		{
			"a session lasts", onHost(),
			[]string{"mkdir a && cd a && X='it''s'", `echo "$(basename "$PWD") $X"`, "cat"},
			[]string{"<no output>", "a its\n", "<no output>"},
		},
		{"exit codes", onHost(), []string{"false", "echo a; (exit 3)", "true"}, []string{"!<no output>\n\nExit code: 1", "!a\n\nExit code: 3", "<no output>"}},
		{"stderr", onHost(), []string{"echo a >&2"}, []string{"[stderr] a\n"}},
		{
			"a command that ends the shell", onHost(),
			[]string{"X=1; echo a; exit", "echo b$X; exit 2", "echo c"},
			[]string{
				"a\n\nThe shell session has ended. The next command starts a new one.",
				"!b\n\nExit code: 2\n\nThe shell session has ended. The next command starts a new one.", "c\n",
			},
		},
		{
			"a workspace lasts longer than its shell", onHost(),
			[]string{"echo x >file; exit", "cat file", "restart", "cat file"},
			[]string{"<no output>\n\nThe shell session has ended. The next command starts a new one.", "x\n", "Shell session restarted.", "x\n"},
		},
		{"a restart", onHost(), []string{"X=1", "restart", "echo a$X"}, []string{"<no output>", "Shell session restarted.", "a\n"}},
		{
			"startup commands", onHost(func(s *builtin.Shell) { s.StartupCommands = []string{"mkdir -p d", "cd d; X=1"} }),
			[]string{`basename "$PWD"; echo $X; cd /; X=2`, "restart", `basename "$PWD"; echo $X; exit`, "echo $X"},
			[]string{"d\n1\n", "Shell session restarted.", "d\n1\n\nThe shell session has ended. The next command starts a new one.", "1\n"},
		},
		{
			"a timeout", onHost(func(s *builtin.Shell) { s.ExecutionPolicy.CommandTimeout = 0.25 }),
			[]string{"X=1; sleep 1000", "echo a$X"},
			[]string{"!Error: Command timed out after 0.2 seconds.", "a\n"},
		},
		{
			"too many lines", onHost(func(s *builtin.Shell) { s.ExecutionPolicy.MaxOutputLines = new(2) }),
			[]string{"seq 4", "seq 4; false"},
			[]string{"1\n2\n\n... Output truncated at 2 lines (observed 4).", "!1\n2\n\n... Output truncated at 2 lines (observed 4).\n\nExit code: 1"},
		},
		{
			"too many bytes", onHost(func(s *builtin.Shell) { s.ExecutionPolicy.MaxOutputBytes = new(3) }),
			[]string{"echo abcdef"},
			[]string{"abc\n\n... Output truncated at 3 bytes (observed 7)."},
		},
		{
			"too much of both", onHost(func(s *builtin.Shell) {
				s.ExecutionPolicy.MaxOutputBytes, s.ExecutionPolicy.MaxOutputLines = new(3), new(2)
			}),
			[]string{"seq 10000 10003"},
			[]string{"100\n\n... Output truncated at 2 lines (observed 4).\n\n... Output truncated at 3 bytes (observed 24)."},
		},
		{
			"a default limit of bytes", onHost(),
			[]string{"head -c 70000 /dev/zero | tr '\\0' x"},
			[]string{strings.Repeat("x", 65_536) + "\n\n... Output truncated at 65536 bytes (observed 70000)."},
		},
		{"an environment", onHost(func(s *builtin.Shell) { s.Env = builtin.ShellEnv{"A": "b c", "N": "1"} }), []string{`echo "$A" $N $HOME`}, []string{"b c 1\n"}},
		{"another shell", onHost(func(s *builtin.Shell) { s.ShellCommand = []string{"/bin/sh", "-u"} }), []string{"echo $0; cd /; pwd"}, []string{"/bin/sh\n/\n"}},
		{"NUL", onHost(), []string{"a\x00b", "echo c"}, []string{"!Error: The command contains a NUL character, which no shell can read.", "c\n"}},
		{
			"a command of the policy",
			builtin.Shell{
				ExecutionPolicy: builtin.ShellPolicy{Type: "command", Command: []string{"env", "-i", "W={workspace}"}}, Env: builtin.ShellEnv{"A": "1"},
			},
			[]string{`[ "$W" = "$(pwd -P)" ] || [ "$W" = "$PWD" ] && echo "here$A"`, "exit 3", "echo again"},
			[]string{"here\n", "!<no output>\n\nExit code: 3\n\nThe shell session has ended. The next command starts a new one.", "again\n"},
		},
		{
			"redaction", onHost(func(s *builtin.Shell) {
				s.RedactionRules = []builtin.RedactionRule{{PIIType: "email", Strategy: "mask"}, {PIIType: "key", Detector: "sk-[a-z]+"}}
			}),
			[]string{"echo ann@example.com", "echo sk-abc >&2"},
			[]string{"ann@****.com\n", "[stderr] [REDACTED_KEY]\n"},
		},
		{
			"a refused output", onHost(func(s *builtin.Shell) {
				s.RedactionRules = []builtin.RedactionRule{{PIIType: "key", Detector: "sk-[a-z]+", Strategy: "block"}}
			}),
			[]string{"echo sk-abc", "echo sk-abc; exit", "echo fine"},
			[]string{
				"!Output blocked: detected key.", "!Output blocked: detected key.\n\nThe shell session has ended. The next command starts a new one.",
				"fine\n",
			},
		},
		{
			"a secret at the limit", onHost(func(s *builtin.Shell) {
				s.RedactionRules = []builtin.RedactionRule{{PIIType: "key", Detector: "sk-[a-z]{3}"}}
				s.ExecutionPolicy.MaxOutputBytes = new(8)
			}),
			[]string{"echo a; echo abc sk-abc"},
			[]string{"a\n\n... Output truncated at 8 bytes (observed 13)."},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, inShell(t, test.shell, test.commands...))
		})
	}
}

func TestShellRefusesBadConfigurations(t *testing.T) {
	t.Parallel()
	policy := func(change func(*builtin.ShellPolicy)) builtin.Shell {
		return onHost(func(s *builtin.Shell) { change(&s.ExecutionPolicy) })
	}
	for _, test := range []struct {
		name  string
		shell builtin.Shell
		want  string
	}{
		{"no policy", builtin.Shell{}, "execution_policy is missing: it says where the commands of the model run, and there is no default."},
		{"an unknown policy", policy(func(p *builtin.ShellPolicy) { p.Type = "docker" }), `type is host or command, and not "docker"`},
		{"no type", policy(func(p *builtin.ShellPolicy) { p.Type, p.Command = "", []string{"env"} }), `type is host or command, and not ""`},
		{"no command", policy(func(p *builtin.ShellPolicy) { p.Type = "command" }), "command is missing"},
		{"a command that is not used", policy(func(p *builtin.ShellPolicy) { p.Command = []string{"env"} }), "a command belongs to the type command"},
		{
			"a command that is not there", policy(func(p *builtin.ShellPolicy) { p.Type, p.Command = "command", []string{"no-such-sandbox"} }),
			`execution_policy: command: exec: "no-such-sandbox": executable file not found in $PATH; install it, or name another one`,
		},
		{"no shell", onHost(func(s *builtin.Shell) { s.ShellCommand = builtin.ShellCommands{} }), "Shell command must contain at least one argument."},
		{"a shell that is not there", onHost(func(s *builtin.Shell) { s.ShellCommand = []string{"/no/shell"} }), `shell_command: exec: "/no/shell"`},
		{"lines", policy(func(p *builtin.ShellPolicy) { p.MaxOutputLines = new(0) }), "max_output_lines must be positive."},
		{"bytes", policy(func(p *builtin.ShellPolicy) { p.MaxOutputBytes = new(-1) }), "max_output_bytes must be positive."},
		{"a timeout", policy(func(p *builtin.ShellPolicy) { p.StartupTimeout = -1 }), "startup_timeout must be positive"},
		{"cpu time", policy(func(p *builtin.ShellPolicy) { p.CPUTimeSeconds = new(0) }), "cpu_time_seconds must be positive if provided."},
		{"memory", policy(func(p *builtin.ShellPolicy) { p.MemoryBytes = new(int64(0)) }), "memory_bytes must be positive if provided."},
		{
			"limits of a command", policy(func(p *builtin.ShellPolicy) { p.Type, p.Command, p.CPUTimeSeconds = "command", []string{"env"}, new(1) }),
			"cpu_time_seconds and memory_bytes are for the type host",
		},
		{"idle", onHost(func(s *builtin.Shell) { s.IdleTimeout = -1 }), "idle_timeout must be positive"},
		{"a variable", onHost(func(s *builtin.Shell) { s.Env = builtin.ShellEnv{"A=B": ""} }), `env: "A=B" is no name of a variable`},
		{"a value", onHost(func(s *builtin.Shell) { s.Env = builtin.ShellEnv{"A": "\x00"} }), "env: the value of A contains a NUL character"},
		{"a startup command", onHost(func(s *builtin.Shell) { s.StartupCommands = []string{"\x00"} }), "contains a NUL character"},
		{"a rule", onHost(func(s *builtin.Shell) { s.RedactionRules = []builtin.RedactionRule{{PIIType: "x"}} }), "redaction_rules[0]: Unknown PII type: x."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{test.shell}})
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestShellIsDecoded(t *testing.T) {
	t.Parallel()
	entry, ok := builtin.Lookup("shell_tool")
	require.True(t, ok)
	decoded := entry.New()
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(`{workspace_root: w, startup_commands: a, shutdown_commands: [b, c],
		execution_policy: {type: command, command: [env, -i], command_timeout: 1, startup_timeout: 2.5, termination_timeout: 3s,
			max_output_lines: 4, max_output_bytes: 5, cpu_time_seconds: 6, memory_bytes: 7},
		redaction_rules: [{pii_type: d, strategy: hash, detector: e}], tool_description: f, tool_name: g, shell_command: sh,
		env: {A: b, B: 1, C: 1.5, D: true}, idle_timeout: 2m}`), decoded))
	require.Equal(t, &builtin.Shell{
		WorkspaceRoot: "w", StartupCommands: []string{"a"}, ShutdownCommands: []string{"b", "c"},
		ExecutionPolicy: builtin.ShellPolicy{
			Type: "command", Command: []string{"env", "-i"}, CommandTimeout: 1, StartupTimeout: 2.5, TerminationTimeout: 3,
			MaxOutputLines: new(4), MaxOutputBytes: new(5), CPUTimeSeconds: new(6), MemoryBytes: new(int64(7)),
		},
		RedactionRules:  []builtin.RedactionRule{{PIIType: "d", Strategy: "hash", Detector: "e"}},
		ToolDescription: "f", ToolName: "g", ShellCommand: []string{"sh"},
		Env: builtin.ShellEnv{"A": "b", "B": "1", "C": "1.5", "D": "true"}, IdleTimeout: 120,
	}, decoded)
	require.Equal(t, "shell[g]", decoded.Name())
	for _, bad := range []string{"{env: {A: [1]}}", "{shell_command: {}}", "{startup_commands: [1]}", "{execution_policy: host}", "{env: a}"} {
		require.Error(t, strictyaml.Decode("agenthost.yaml", []byte(bad), entry.New()), bad)
	}
}

func TestShellExample(t *testing.T) {
	t.Parallel()
	entry, ok := builtin.Lookup("shell")
	require.True(t, ok)
	var list []struct {
		Shell *builtin.Shell `yaml:"shell"`
	}
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(entry.Example), &list))
	require.Len(t, list, 1)
	list[0].Shell.WorkspaceRoot = t.TempDir()
	require.Equal(t, []string{"a\n", "!Output blocked: detected token."}, inShell(t, *list[0].Shell, "echo a", "echo ghp_"+strings.Repeat("a", 36)))
}

// Paths of a manifest are relative to it, a program that is looked up is not.
func TestShellResolvesPaths(t *testing.T) {
	t.Parallel()
	resolve := func(path string) string { return "/manifest/" + path }
	shell := builtin.Shell{WorkspaceRoot: "w", ExecutionPolicy: builtin.ShellPolicy{Type: "command", Command: []string{"bin/jail", "a/b"}}}
	require.Equal(t, builtin.Shell{
		WorkspaceRoot: "/manifest/w", ExecutionPolicy: builtin.ShellPolicy{Type: "command", Command: []string{"/manifest/bin/jail", "a/b"}},
	}, shell.ResolvePaths(resolve))
	require.Equal(t, "bin/jail", shell.ExecutionPolicy.Command[0])
	shell = builtin.Shell{ExecutionPolicy: builtin.ShellPolicy{Type: "command", Command: []string{"docker"}}}
	require.Equal(t, shell, shell.ResolvePaths(resolve))
}

func TestShellRefusesBadArguments(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"{}": "Shell tool requires either 'command' or 'restart'.", `{"restart":false}`: "Shell tool requires either 'command' or 'restart'.",
		`{"command":"a","restart":true}`: "Specify only one of 'command' or 'restart'.",
		`{"command":""}`:                 "Shell tool expects a 'command' string when restart is not requested.",
	} {
		raw, err := wire.FromJSON([]byte(args), wire.DefaultLimits)
		require.NoError(t, err)
		agent := shellAgent(t, []scripted.Turn{scripted.CallTools(abi.ToolCall{ID: "1", Name: "shell", Args: raw}), scripted.Say("done")}, host.Config{}, onHost())
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.Equal(t, []string{fmt.Sprintf("!Error invoking tool 'shell' with kwargs %s with error:\n %s\n Please fix the error and try again.", args, want)},
			toolAnswers(result))
	}
}

func TestShellArtifact(t *testing.T) {
	t.Parallel()
	shell := onHost(func(s *builtin.Shell) {
		s.RedactionRules = []builtin.RedactionRule{{PIIType: "key", Detector: "sk-."}, {PIIType: "word", Detector: "secret", Strategy: "block"}}
		s.ExecutionPolicy.CommandTimeout = 1
	})
	agent := shellAgent(t, commands("echo sk-a sk-b; false", "echo secret", "sleep 1000"), host.Config{}, shell)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	var artifacts []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			artifacts = append(artifacts, m.Artifact.JSON())
		}
	}
	require.Equal(t, []string{
		`{"exit_code":1,"redaction_matches":{"key":2},"timed_out":false,"total_bytes":10,"total_lines":1,"truncated_by_bytes":false,"truncated_by_lines":false}`,
		`{"exit_code":0,"matches":{"word":1},"timed_out":false}`,
		`{"exit_code":null,"timed_out":true}`,
	}, artifacts)
}

// Two runs have two sessions, and a temporary workspace goes with its run; a given one stays.
func TestShellSessionsAreOfARun(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"", filepath.Join(t.TempDir(), "a", "b")} {
		shell := onHost(func(s *builtin.Shell) { s.WorkspaceRoot = root })
		agent := shellAgent(t, []scripted.Turn{command("X=1; pwd -P; touch file"), command("echo a$X"), scripted.Say("done"), command("echo b$X"), scripted.Say("done")}, host.Config{}, shell)
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		answers := toolAnswers(result)
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
		require.Equal(t, []string{"b\n"}, toolAnswers(result))
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
	for _, answer := range toolAnswers(result) {
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
	require.Equal(t, []string{"<no output>", "a\n", "a1\n"}, toolAnswers(result))
}

func TestShellStartupFails(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"echo no >&2; false": "Startup command 'echo no >&2; false' failed with exit code 1: [stderr] no",
		"exit":               "Startup command 'exit' failed with exit code 0",
		"false":              "Startup command 'false' failed with exit code 1",
		"echo secret; false": "Startup command 'echo secret; false' failed with exit code 1",
	} {
		shell := onHost(func(s *builtin.Shell) {
			s.StartupCommands = []string{"true", command}
			s.RedactionRules = []builtin.RedactionRule{{PIIType: "word", Detector: "secret", Strategy: "block"}}
		})
		_, err := shellAgent(t, commands("true"), host.Config{}, shell).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.EqualError(t, err, `middleware "shell": before_agent: `+want)
	}
	slow := onHost(func(s *builtin.Shell) {
		s.StartupCommands = []string{"sleep 1000"}
		s.ExecutionPolicy.StartupTimeout = 1
	})
	_, err := shellAgent(t, commands("true"), host.Config{}, slow).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.ErrorContains(t, err, "Startup command 'sleep 1000' timed out after 1.0 seconds")
}

// A restart that fails aborts the run, unless somebody answers.
func TestShellRestartFails(t *testing.T) {
	t.Parallel()
	shell := onHost(func(s *builtin.Shell) { s.StartupCommands = []string{"[ ! -e broken ]"} })
	list := []string{"touch broken", "restart", "true"}
	_, err := shellAgent(t, commands(list...), host.Config{}, shell).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.ErrorContains(t, err, "Failed to restart shell session. Startup command '[ ! -e broken ]' failed with exit code 1")
	answering := builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}"}}
	result, err := shellAgent(t, commands(list...), host.Config{}, answering, shell).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, []string{
		"<no output>", "!Failed to restart shell session. Startup command '[ ! -e broken ]' failed with exit code 1",
		"!Startup command '[ ! -e broken ]' failed with exit code 1",
	}, toolAnswers(result))
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

func goneProcess(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // nobody may reap orphans in a container
		return err == nil && strings.Contains(string(stat), ") Z ")
	}, patience, time.Millisecond)
}

// readPID waits for a file with the id of a process.
func readPID(t *testing.T, path string) (pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(path)
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	}, patience, time.Millisecond)
	return pid
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
	require.Equal(t, []string{"<no output>", "!Error: tool 'shell' timed out after 1s.", lostSession, "a\n"}, toolAnswers(result))
}

const lostSession = "!Error: The command was not run. The shell session that it was meant for is gone: its working directory, variables and " +
	"background processes, and files of a temporary workspace. A new session starts with the next command."

// reviewedShell asks about commands that begin with "ask".
func reviewedShell() builtin.HumanInTheLoop {
	policy := builtin.AnyDecision()
	policy.When = &builtin.ArgCondition{Arg: "command", StartsWith: "ask"}
	return builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"shell": policy}}
}

// approved answers the questions of a run with yes.
func approved(t *testing.T, agent *host.Agent, result *host.Result, decisions ...builtin.Decision) *host.Result {
	t.Helper()
	require.Equal(t, host.Interrupted, result.Status)
	result, err := agent.Run(t.Context(), host.Input{
		Thread: "t", Resume: []host.Answer{{Interrupt: result.Interrupts[0].ID, Value: decide(decisions...)}},
	})
	require.NoError(t, err)
	return result
}

func startThread(t *testing.T, agent *host.Agent) *host.Result {
	t.Helper()
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return result
}

// lineNumber is what shells say in other ways.
var lineNumber = regexp.MustCompile(`line \d+: `)

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
			require.Equal(t, test.want, toolAnswers(result))
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
	answers := toolAnswers(result)
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
			dir := strings.TrimSpace(toolAnswers(result)[0])
			agent = test.between(t, agent, store, shell, dir)
			result = approved(t, agent, result, approve, approve)
			if result.Status == host.Interrupted {
				result = approved(t, agent, result, approve)
			}
			answers := toolAnswers(result)[1:]
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
	answers := toolAnswers(result)
	require.Len(t, answers, 3)
	require.Contains(t, answers, "!Tool call limit exceeded. Do not call 'shell' again.")
	require.True(t, slices.ContainsFunc(answers, func(a string) bool { return strings.HasSuffix(a, "edited 1\n") }), "%q", answers)
}

// An agent that is closed leaves nothing of runs that wait.
func TestShellIsClosed(t *testing.T) {
	t.Parallel()
	agent := shellAgent(t, []scripted.Turn{command("pwd -P; sleep 1000 & echo $!"), command("ask")}, host.Config{Checkpointer: memory.New()}, reviewedShell(), onHost())
	dir, pid, _ := strings.Cut(strings.TrimSpace(toolAnswers(startThread(t, agent))[0]), "\n")
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
			if err == nil && !slices.Equal(toolAnswers(result), []string{"<no output>"}) {
				err = fmt.Errorf("it answered %q", toolAnswers(result))
			}
			ended <- err
		}()
	}
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
}

func TestShellLimitsResources(t *testing.T) {
	t.Parallel()
	shell := onHost(func(s *builtin.Shell) {
		s.ExecutionPolicy.CPUTimeSeconds = new(7)
		if runtime.GOOS == "linux" {
			s.ExecutionPolicy.MemoryBytes = new(int64(1 << 30))
		}
	})
	want := "7\n1048576\n"
	if runtime.GOOS != "linux" {
		want = "7\nunlimited\n"
	}
	require.Equal(t, []string{want}, inShell(t, shell, "ulimit -Ht; ulimit -Hv"))
}
