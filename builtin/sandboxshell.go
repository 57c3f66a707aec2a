package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/agenthost/agenthost/builtin/internal/shellsession"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// ShellSandbox is a [backend.Sandbox] that a shell reaches, as in a [Shell]. All runs of the agent share one shell, which starts
// when a file is first used and ends after IdleTimeout without use. It runs one operation at a time; an operation that its caller
// cancels, or that takes too long, ends the shell, and the next one starts another. So the policy's command must enter a sandbox
// that lasts, such as docker exec does: what docker run has made is gone with the shell, and no other middleware sees it.
type ShellSandbox struct {
	RootDir         string        // the directory in the sandbox, an absolute path; required
	ExecutionPolicy ShellPolicy   // where the shell runs, and for how long one operation may; required
	ShellCommand    ShellCommands // the shell with its arguments; none: /bin/sh
	Env             ShellEnv      // the whole environment of the shell, or of the policy's command
	IdleTimeout     Seconds       // how long the shell may be unused before it is ended; 0: 15 minutes
}

// Open checks the configuration. It does not start the shell.
func (s ShellSandbox) Open(ctx context.Context, env host.Env, o backend.Options) (*backend.Opened, error) {
	config, err := s.sessionConfig()
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	executor := &shellExecutor{
		config: *config, timeout: s.ExecutionPolicy.withDefaults().CommandTimeout.Duration(), turn: make(chan struct{}, 1),
		unused: cmp.Or(s.IdleTimeout, defaultIdleTimeout).Duration(),
	}
	opened, err := backend.Sandbox{Root: s.RootDir, Executor: executor}.Open(ctx, env, o)
	if err != nil {
		return nil, err
	}
	opened.Close = executor.close
	return opened, nil
}

func (s *ShellSandbox) sessionConfig() (*shellsession.Config, error) {
	if !shellsession.Supported {
		return nil, shellsession.ErrUnsupported
	}
	shell := []string(s.ShellCommand)
	if len(shell) == 0 {
		shell = []string{"/bin/sh"}
	}
	if !(s.IdleTimeout >= 0) { // also refuses NaN
		return nil, errors.New("the idle timeout must be positive")
	}
	if s.ExecutionPolicy.MaxOutputLines != nil || s.ExecutionPolicy.MaxOutputBytes != nil {
		return nil, errors.New("execution_policy: max_output_lines and max_output_bytes are for the middleware shell")
	}
	for _, arg := range s.ExecutionPolicy.Command {
		if strings.Contains(arg, workspaceWord) {
			return nil, errors.New("execution_policy: command: {workspace} is for the middleware shell; write the directory")
		}
	}
	config, err := s.ExecutionPolicy.sessionConfig(shell, s.Env)
	if err != nil {
		return nil, err
	}
	config.Dir = "/"
	config.Limits = shellsession.Limits{Lines: math.MaxInt, Bytes: backend.MaxExecuted}
	return config, nil
}

// resolved returns the sandbox with the path of a resolved command.
func (s ShellSandbox) resolved(resolve func(path string) string) ShellSandbox {
	s.ExecutionPolicy = s.ExecutionPolicy.resolved(resolve)
	return s
}

// shellExecutor runs scripts in one session of a shell. The holder of the turn may use the session.
type shellExecutor struct {
	config  shellsession.Config
	timeout time.Duration
	unused  time.Duration // the idle timeout
	turn    chan struct{} // holds one token

	session  *shellsession.Session // nil if there is none
	stopIdle func()
	closed   bool
	ending   sync.WaitGroup // the end of an idle session
}

// errSandboxClosed is a use of files after the end of their agent.
var errSandboxClosed = errors.New("the agent is closed")

// Execute runs a script.
func (e *shellExecutor) Execute(ctx context.Context, script string) (backend.Executed, error) {
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return backend.Executed{}, context.Cause(ctx)
	}
	defer func() { <-e.turn }()
	if e.closed {
		return backend.Executed{}, errSandboxClosed
	}
	e.busy()
	defer e.idle()
	if e.session == nil || !e.session.Alive() {
		e.drop()
		session, err := shellsession.Start(ctx, e.config)
		if err != nil {
			return backend.Executed{}, err
		}
		e.session = session
	}
	// A shell of its own for each script: it changes nothing for the next one, and may end as it likes.
	result, err := e.session.Run(ctx, "(\n"+script+")", e.timeout)
	switch {
	case err != nil:
		e.drop()
		return backend.Executed{}, cmp.Or(context.Cause(ctx), err)
	case result.Ended:
		e.drop()
		return backend.Executed{}, fmt.Errorf("the shell has ended with exit code %d%s", result.ExitCode, saidBy(result))
	}
	return backend.Executed{Output: result.Output, ExitCode: result.ExitCode}, nil
}

// saidBy returns the last words of a shell.
func saidBy(result *shellsession.Result) string {
	if text := strings.TrimSpace(result.Output); text != "" {
		return fmt.Sprintf(" and wrote %.200q", text)
	}
	return ""
}

// busy stops the idle timer. The caller has the turn.
func (e *shellExecutor) busy() {
	if e.stopIdle != nil {
		e.stopIdle()
		e.stopIdle = nil
	}
}

// idle starts the idle timer. The caller has the turn.
func (e *shellExecutor) idle() {
	if e.session == nil {
		return
	}
	session := e.session
	ctx, cancel := context.WithTimeout(context.Background(), e.unused)
	e.ending.Add(1)
	stop := context.AfterFunc(ctx, func() {
		defer e.ending.Done()
		select {
		case e.turn <- struct{}{}:
			if e.session == session && e.stopIdle != nil {
				e.drop()
			}
			<-e.turn
		default: // it is in use
		}
	})
	e.stopIdle = func() {
		if stop() {
			e.ending.Done()
		}
		cancel()
	}
}

// drop ends the session. The caller has the turn.
func (e *shellExecutor) drop() {
	if e.session != nil {
		e.session.Close()
		e.session = nil
	}
}

// close ends the session for good.
func (e *shellExecutor) close() error {
	e.turn <- struct{}{}
	e.closed = true
	e.busy()
	e.drop()
	<-e.turn
	e.ending.Wait()
	return nil
}
