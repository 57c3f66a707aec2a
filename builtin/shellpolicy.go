package builtin

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/builtin/internal/shellsession"
)

// ShellPolicy says where the commands of a [Shell] run, for how long, and how much of their output the model sees.
type ShellPolicy struct {
	// Type is the type of the policy. "host": the shell is a process like this one, of the same user, with everything that
	// the user may do. "command": command starts the shell. Required.
	Type string `yaml:"type" schema:"enum=host|command"`
	// Command is the program that isolates the shell, with its arguments, for the type command; shell_command is appended to
	// them. {workspace} in an argument is the path of the workspace. The program must pass stdin, stdout and stderr on unchanged,
	// so it must not use a terminal (docker run -i, not -it). If a session ends at once, the program gets SIGTERM first, so that
	// it can clean up: docker then needs --init, or the container outlives it.
	Command []string `yaml:"command"`

	// CommandTimeout is the time limit for a command, and for each shutdown command, in seconds. 0: 30.
	CommandTimeout Seconds `yaml:"command_timeout" schema:"default=30"`
	// StartupTimeout is the time limit for the start of the shell, and for each startup command, in seconds. 0: 30.
	StartupTimeout Seconds `yaml:"startup_timeout" schema:"default=30"`
	// TerminationTimeout is the time limit for a shell to end, and for a command to clean up, in seconds. 0: 10.
	TerminationTimeout Seconds `yaml:"termination_timeout" schema:"default=10"`

	// MaxOutputLines is the number of lines of a command's output that the model sees. nil: 100.
	MaxOutputLines *int `yaml:"max_output_lines" schema:"default=100,min=1"`
	// MaxOutputBytes is the number of bytes of a command's output that the model sees. LangChain has no limit. nil: 65,536.
	MaxOutputBytes *int `yaml:"max_output_bytes" schema:"default=65536,min=1"`

	// CPUTimeSeconds limits the processor time of each process, for the type host. Only root can exceed the limit. nil: no limit.
	CPUTimeSeconds *int `yaml:"cpu_time_seconds" schema:"min=1"`
	// MemoryBytes limits the address space of each process, for the type host on Linux. Only root can exceed the limit. nil: no
	// limit.
	MemoryBytes *int64 `yaml:"memory_bytes" schema:"min=1"`
}

// The defaults of a ShellPolicy.
const (
	defaultCommandTimeout     Seconds = 30
	defaultStartupTimeout     Seconds = 30
	defaultTerminationTimeout Seconds = 10
	defaultOutputLines                = 100
	defaultOutputBytes                = 1 << 16
)

// workspaceWord is the placeholder of the workspace in the arguments of a command.
const workspaceWord = "{workspace}"

// withDefaults returns the policy with its defaults filled in.
func (p ShellPolicy) withDefaults() ShellPolicy {
	for _, timeout := range []struct {
		value *Seconds
		usual Seconds
	}{
		{&p.CommandTimeout, defaultCommandTimeout},
		{&p.StartupTimeout, defaultStartupTimeout},
		{&p.TerminationTimeout, defaultTerminationTimeout},
	} {
		if *timeout.value == 0 {
			*timeout.value = timeout.usual
		}
	}
	if p.MaxOutputLines == nil {
		p.MaxOutputLines = new(defaultOutputLines)
	}
	if p.MaxOutputBytes == nil {
		p.MaxOutputBytes = new(defaultOutputBytes)
	}
	return p
}

// sessionConfig checks the policy and returns the configuration of a shell's sessions, with the environment of the shell.
func (p ShellPolicy) sessionConfig(shell []string, of ShellEnv) (*shellsession.Config, error) {
	env, err := of.list()
	if err != nil {
		return nil, err
	}
	argv, err := p.argv(shell)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("execution_policy: %w", err)
	}
	full := p.withDefaults()
	config := &shellsession.Config{
		Command: argv, Env: env, Polite: p.Type == policyCommand,
		Limits:       shellsession.Limits{Lines: *full.MaxOutputLines, Bytes: *full.MaxOutputBytes},
		StartTimeout: full.StartupTimeout.Duration(), StopTimeout: full.TerminationTimeout.Duration(),
	}
	if p.CPUTimeSeconds != nil {
		config.CPUSeconds = int64(*p.CPUTimeSeconds)
	}
	if p.MemoryBytes != nil {
		config.MemoryBytes = *p.MemoryBytes
	}
	return config, nil
}

// argv returns the program and arguments that start the shell. It checks that the program exists.
func (p *ShellPolicy) argv(shell []string) ([]string, error) {
	key, argv := "shell_command", shell
	switch {
	case p.Type == "" && len(p.Command) == 0:
		return nil, errNoPolicy
	case p.Type == policyHost && len(p.Command) > 0:
		return nil, errors.New("execution_policy: command is only for the type command; the type host would not use it")
	case p.Type == policyCommand && (len(p.Command) == 0 || p.Command[0] == ""):
		return nil, errors.New("execution_policy: command is missing; name what isolates the shell, " +
			"such as [docker, run, -i, --rm, --init, --network, none, IMAGE]")
	case p.Type == policyCommand:
		key, argv = "execution_policy: command", append(append([]string{}, p.Command...), shell...)
	case p.Type != policyHost:
		return nil, fmt.Errorf("execution_policy: type is %q; use host or command", p.Type)
	}
	for _, arg := range argv {
		if strings.ContainsRune(arg, 0) {
			return nil, fmt.Errorf("%s: an argument contains a NUL character", key)
		}
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w; install it, or name another one", key, err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return append([]string{program}, argv[1:]...), nil
}

// check checks the numbers.
func (p *ShellPolicy) check() error {
	for _, timeout := range []struct {
		key   string
		value Seconds
	}{
		{"command_timeout", p.CommandTimeout}, {"startup_timeout", p.StartupTimeout}, {"termination_timeout", p.TerminationTimeout},
	} {
		if !(timeout.value >= 0) { // also refuses NaN
			return fmt.Errorf("%s must be positive", timeout.key)
		}
	}
	limited := p.CPUTimeSeconds != nil || p.MemoryBytes != nil
	//nolint:staticcheck,revive // texts with a full stop are LangChain's
	switch {
	case p.MaxOutputLines != nil && *p.MaxOutputLines <= 0:
		return errors.New("max_output_lines must be positive.")
	case p.MaxOutputBytes != nil && *p.MaxOutputBytes <= 0:
		return errors.New("max_output_bytes must be positive.")
	case limited && p.Type == policyCommand:
		return errors.New("cpu_time_seconds and memory_bytes are for the type host; limit the command by its own means, " +
			"such as --cpus and --memory of docker")
	case p.CPUTimeSeconds != nil && *p.CPUTimeSeconds <= 0:
		return errors.New("cpu_time_seconds must be positive if provided.")
	case p.MemoryBytes != nil && *p.MemoryBytes <= 0:
		return errors.New("memory_bytes must be positive if provided.")
	case p.MemoryBytes != nil && !shellsession.LimitsMemory:
		return errors.New("memory_bytes needs Linux: this system has no limit of a process's memory")
	}
	return nil
}

// resolved returns the policy with a resolved command, if that is a path.
func (p ShellPolicy) resolved(resolve func(path string) string) ShellPolicy {
	if len(p.Command) > 0 && strings.ContainsRune(p.Command[0], filepath.Separator) {
		p.Command = append([]string{resolve(p.Command[0])}, p.Command[1:]...)
	}
	return p
}
