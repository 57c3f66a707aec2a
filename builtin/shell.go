package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin/internal/shellsession"
	"github.com/agenthost/agenthost/host"
)

// Shell gives the model a tool that runs commands in a shell. The shell's directory, variables and background processes
// persist between the calls of a run. It works only on Linux and macOS.
//
// The model writes the commands, and anything that it has read may have influenced them: a page, a file, the answer of a tool.
// So you must decide where they run: execution_policy is required and has no default. {type: host} runs them as the user of
// this process, with its files and network, which is appropriate if the whole machine is a sandbox. {type: command} starts the
// shell with a command of yours that isolates it, such as docker, bwrap, firejail or ssh.
//
// Each run has a session of its own. It begins with the first command, or before the first model call if there are
// startup_commands, and ends with the run. Calls of one answer run one after the other. A command gets the end of file on
// its stdin, no terminal, and only the variables of env. A command that runs out of time, or that ends the shell itself
// (exit), ends the session; the next command begins a new one in the same workspace.
//
// A run that waits for an answer keeps its session for at most idle_timeout. A command for a session that no longer exists (cd
// build, and then rm -rf *) could do harm in a new one. So a command does not run if the model did not know that the session
// was lost: when another process continues the run, when the session was idle for too long, or when an earlier command of the
// same answer has ended it. The model gets an answer that says so, and may send the command again.
//
// When a session ends, all its processes are killed: those of its process group and, on Linux, those that have left it,
// which are found by the variable AGENTHOST_SESSION in their environment. Some processes survive: one that clears its
// environment and becomes a daemon, one on macOS that leaves the group, and one with the rights of another user. If that
// matters, use {type: command} with a container.
//
// Texts and parameters are those of LangChain 1.4's ShellToolMiddleware, whose policies for Docker and Codex are commands
// here. The original differs: commands run on the host by default, a command that reads its stdin consumes the next command,
// exit waits for the timeout, output is not limited in bytes, and the artifact contains the redacted values, while agenthost's
// artifact contains only their number.
type Shell struct {
	// WorkspaceRoot is the directory in which sessions begin. It is created if it is missing, and all runs share it. In a
	// manifest it is relative to the manifest. "": each run has a temporary directory, which is removed when the run ends.
	WorkspaceRoot string `yaml:"workspace_root"`
	// StartupCommands are the commands that run when a session begins, even after a restart. If one fails, so does the run, or
	// the call that needed the session.
	StartupCommands ShellCommands `yaml:"startup_commands"`
	// ShutdownCommands are the commands that run when the run ends, if it then has a session, and when a session was idle for too
	// long. The end of the run waits for them. Failures are logged. They do not run when the agent is closed while a run waits
	// for an answer.
	ShutdownCommands ShellCommands `yaml:"shutdown_commands"`
	// ExecutionPolicy is where commands run, and for how long. Required.
	ExecutionPolicy ShellPolicy `yaml:"execution_policy"`
	// RedactionRules are the rules that are applied to the output of a command, in order, before the model sees it.
	RedactionRules []RedactionRule `yaml:"redaction_rules"`
	// ToolDescription is the description of the tool for the model. "": LangChain's description.
	ToolDescription string `yaml:"tool_description"`
	// ToolName is the name of the tool. "": shell.
	ToolName string `yaml:"tool_name"`
	// ShellCommand is the shell with its arguments; none: /bin/bash. It must be a POSIX shell that reads its commands from
	// stdin, and leaves the file descriptors 7 and 8 free.
	ShellCommand ShellCommands `yaml:"shell_command"`
	// Env is the environment of the shell, or of the policy's command. It contains nothing of this process's environment,
	// neither secrets nor PATH; shells then use a PATH of their own.
	Env ShellEnv `yaml:"env"`
	// IdleTimeout is how long a session may be idle before it is ended: its run may wait for a human who never answers.
	// LangChain does not have this. 0: 15 minutes.
	IdleTimeout Seconds `yaml:"idle_timeout" schema:"default=900"`
}

var shellEntry = Entry{
	Name:    "shell",
	Aliases: []string{"shell_tool"},
	Summary: "gives the model a shell that lasts as long as the run",
	Example: `- shell:
    execution_policy:
      type: host # only where the machine is a sandbox; if not, type: command, and command: [docker, run, -i, …]
      command_timeout: 60
      cpu_time_seconds: 30
    workspace_root: workspace
    shell_command: /bin/sh
    redaction_rules:
      - {pii_type: email, strategy: mask}
      - {pii_type: token, strategy: block, detector: "ghp_[A-Za-z0-9]{36}"}
`,
	New: func() host.Middleware { return &Shell{} },
}

// shellToolName is the default name of the tool.
const shellToolName = "shell"

// shellDescription is the default description of the tool.
const shellDescription = "Execute a shell command inside a persistent session. Before running a command, " +
	"confirm the working directory is correct (e.g., inspect with `ls` or `pwd`) and ensure " +
	"any parent directories exist. Prefer absolute paths and quote paths containing spaces, " +
	"such as `cd \"/path/with spaces\"`. Chain multiple commands with `&&` or `;` instead of " +
	"embedding newlines. Avoid unnecessary `cd` usage unless explicitly required so the " +
	"session remains stable. Outputs may be truncated when they become very large, and long " +
	"running commands will be terminated once their configured timeout elapses."

// defaultIdleTimeout is the default of idle_timeout, in seconds.
const defaultIdleTimeout Seconds = 900

// Name returns "shell", followed by the tool's name in brackets if that differs.
func (s Shell) Name() string {
	if s.ToolName == "" || s.ToolName == shellToolName {
		return "shell"
	}
	return "shell[" + s.ToolName + "]"
}

// ResolvePaths resolves the workspace and, if it is a path, the policy's command.
func (s Shell) ResolvePaths(resolve func(path string) string) host.Middleware {
	if s.WorkspaceRoot != "" {
		s.WorkspaceRoot = resolve(s.WorkspaceRoot)
	}
	s.ExecutionPolicy = s.ExecutionPolicy.resolved(resolve)
	return s
}

// Hooks checks the configuration.
func (s Shell) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	if !shellsession.Supported {
		return nil, shellsession.ErrUnsupported
	}
	config, err := s.sessionConfig()
	if err != nil {
		return nil, err
	}
	redact, err := newRedaction(s.RedactionRules)
	if err != nil {
		return nil, err
	}
	if !(s.IdleTimeout >= 0) { // also refuses NaN
		return nil, errors.New("idle_timeout must be positive")
	}
	config.Limits.WholeLines = len(redact) > 0 // half of a secret may not look like one
	sessions := &shellSessions{
		config: *config, policy: s.ExecutionPolicy.withDefaults(), logger: env.Logger, redact: redact,
		startup: s.StartupCommands, shutdown: s.ShutdownCommands,
		idle: cmp.Or(s.IdleTimeout, defaultIdleTimeout).Duration(), runs: map[string]*shellRun{},
	}
	if sessions.workspace, err = workspaceOf(s.WorkspaceRoot); err != nil {
		return nil, err
	}
	tool := newShellTool(&s, sessions, redact)
	hooks := &host.Hooks{
		Tools: []host.Tool{tool}, State: []host.Field{tool.ran.Field},
		End:   func(ctx context.Context, run string) { sessions.endRun(ctx, run) },
		Close: sessions.close,
	}
	if len(s.StartupCommands) > 0 {
		hooks.BeforeAgent.Func = sessions.begin
	}
	if len(s.ShutdownCommands) > 0 {
		hooks.AfterAgent.Func = func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			sessions.endRun(ctx, rt.RunID())
			return nil, ctx.Err()
		}
	}
	return hooks, nil
}

// sessionConfig returns the configuration of all sessions, without the workspace.
func (s *Shell) sessionConfig() (*shellsession.Config, error) {
	shell := []string(s.ShellCommand)
	switch {
	case shell == nil:
		shell = []string{"/bin/bash"}
	case len(shell) == 0 || shell[0] == "":
		return nil, errors.New("Shell command must contain at least one argument.") //nolint:staticcheck,revive // the text is LangChain's
	}
	for _, command := range slices.Concat(s.StartupCommands, s.ShutdownCommands) {
		if strings.ContainsRune(command, 0) {
			return nil, fmt.Errorf("startup_commands, shutdown_commands: %w", shellsession.ErrNUL)
		}
	}
	return s.ExecutionPolicy.sessionConfig(shell, s.Env)
}

// newShellTool returns the tool.
func newShellTool(s *Shell, sessions *shellSessions, redact redaction) *shellTool {
	name := cmp.Or(s.ToolName, shellToolName)
	return &shellTool{
		sessions: sessions, redact: redact,
		spec: abi.ToolSpec{Name: name, Description: cmp.Or(s.ToolDescription, shellDescription), Parameters: shellParameters()},
		ran:  host.NewField[int]("shell_commands["+name+"]", host.Hidden, host.Lives(host.LifetimeRun), host.Reduced(host.Add())),
	}
}
