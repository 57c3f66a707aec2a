//go:build linux || darwin

package builtin_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

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
		{"an unknown policy", policy(func(p *builtin.ShellPolicy) { p.Type = "docker" }), `type is "docker"`},
		{"no type", policy(func(p *builtin.ShellPolicy) { p.Type, p.Command = "", []string{"env"} }), `type is ""; use host or command`},
		{"no command", policy(func(p *builtin.ShellPolicy) { p.Type = "command" }), "command is missing"},
		{"a command that is not used", policy(func(p *builtin.ShellPolicy) { p.Command = []string{"env"} }), "command is only for the type command"},
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
		{"a variable", onHost(func(s *builtin.Shell) { s.Env = builtin.ShellEnv{"A=B": ""} }), `env: "A=B" is not a valid name of a variable`},
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
			shellAnswers(result))
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
	}, shellAnswers(result))
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
