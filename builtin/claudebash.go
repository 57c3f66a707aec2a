package builtin

import (
	"context"

	"github.com/agenthost/agenthost/host"
)

// ClaudeBash gives a model of Anthropic the tool bash, in the form that Anthropic has trained its models for (bash_20250124): a shell
// that lasts as long as the run. Everything else is as with shell: where commands run, when a session ends, and that the
// policy has no default. For models of other providers it is an error; they can use shell.
//
// Behaviour is that of langchain-anthropic 1.7.10's ClaudeBashToolMiddleware, except for the differences of shell, that a tool which other
// middleware has left out of a request stays out, and that there is no tool_description, which Anthropic would not get.
type ClaudeBash struct {
	// WorkspaceRoot is the directory in which sessions begin. It is created if it is missing, and all runs share it. In a
	// manifest it is relative to the manifest. "": each run has a temporary directory, which is removed when the run ends.
	WorkspaceRoot string `yaml:"workspace_root"`
	// StartupCommands are the commands that run when a session begins, even after a restart.
	StartupCommands ShellCommands `yaml:"startup_commands"`
	// ShutdownCommands are the commands that run when the run ends, and when a session was idle for too long.
	ShutdownCommands ShellCommands `yaml:"shutdown_commands"`
	// ExecutionPolicy is where commands run, and for how long. Required.
	ExecutionPolicy ShellPolicy `yaml:"execution_policy"`
	// RedactionRules are the rules that are applied to the output of a command, in order, before the model sees it.
	RedactionRules []RedactionRule `yaml:"redaction_rules"`
	// Env is the environment of the shell. It contains nothing of this process's environment.
	Env ShellEnv `yaml:"env"`
	// IdleTimeout is how long a session may be idle before it is ended. 0: 15 minutes.
	IdleTimeout Seconds `yaml:"idle_timeout" schema:"default=900"`
}

var claudeBashEntry = Entry{
	Name:    "claude_bash",
	Summary: "gives Anthropic's models their own form of a shell",
	Example: `- claude_bash:
    execution_policy: {type: command, command: [docker, run, -i, --rm, --init, --network, none, "debian:stable-slim"]}
`,
	New: func() host.Middleware { return &ClaudeBash{} },
}

// bashToolName is the name of Anthropic's tool.
const bashToolName = "bash"

var claudeBashTool = claudeTool{middleware: "claude_bash", name: bashToolName, kind: "bash_20250124", instead: "the middleware shell"}

// Name returns "claude_bash".
func (ClaudeBash) Name() string { return "claude_bash" }

// ResolvePaths resolves the workspace and, if it is a path, the policy's command.
func (b ClaudeBash) ResolvePaths(resolve func(path string) string) host.Middleware {
	if shell, ok := b.shell().ResolvePaths(resolve).(Shell); ok {
		b.WorkspaceRoot, b.ExecutionPolicy = shell.WorkspaceRoot, shell.ExecutionPolicy
	}
	return b
}

// shell returns the shell below the tool.
func (b ClaudeBash) shell() Shell {
	return Shell{
		WorkspaceRoot: b.WorkspaceRoot, StartupCommands: b.StartupCommands, ShutdownCommands: b.ShutdownCommands,
		ExecutionPolicy: b.ExecutionPolicy, RedactionRules: b.RedactionRules, ToolName: bashToolName, Env: b.Env, IdleTimeout: b.IdleTimeout,
	}
}

// Hooks checks the configuration.
func (b ClaudeBash) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	hooks, err := b.shell().Hooks(ctx, env)
	if err != nil {
		return nil, err
	}
	hooks.WrapModelCall, hooks.Order = claudeBashTool.hook(""), claudeBashTool.order()
	return hooks, nil
}
