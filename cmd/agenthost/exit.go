package main

import (
	"context"
	"errors"
	"strings"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/remote"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/plugin"
)

// The exit codes.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitWaiting  = 3
	exitLimit    = 4
	exitPlugin   = 5
	exitProvider = 6
	exitSignal   = 130
)

// exitError is an error with its exit code. Without err the command ends with the code and prints nothing.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return "exit"
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// interrupted returns the error of a command that a signal stopped.
func interrupted() error { return &exitError{exitSignal, errors.New("interrupted")} }

// runExit returns the exit code of a failed run.
func runExit(ctx context.Context, err error) int {
	var limit *host.LimitError
	var fault *plugin.Error
	var provider *host.ModelError
	var there *remote.RunError
	var wrong *remote.UsageError
	switch {
	case ctx.Err() != nil:
		return exitSignal
	case errors.As(err, &limit):
		return exitLimit
	case errors.As(err, &fault):
		return exitPlugin
	case errors.As(err, &provider):
		return exitProvider
	case errors.As(err, &there):
		return thereExit(there)
	case errors.As(err, &wrong):
		return exitUsage
	case isRefused(err):
		return exitUsage
	default:
		return exitFailed
	}
}

// thereExit returns the exit code of a run that failed on a server.
func thereExit(err *remote.RunError) int {
	switch { // the types of host.ErrorDocument
	case err.Type == "limit_error":
		return exitLimit
	case err.Type == "model_error":
		return exitProvider
	case strings.HasPrefix(err.Type, "plugin_"):
		return exitPlugin
	default:
		return exitFailed
	}
}

// isRefused reports whether a run did not start, because its input does not fit the thread or the thread cannot be read.
func isRefused(err error) bool {
	for _, reason := range []error{
		host.ErrNoCheckpointer, host.ErrNoThread, host.ErrUnknownThread, host.ErrNotWaiting,
		checkpoint.ErrNoThread, checkpoint.ErrNoCheckpoint, checkpoint.ErrThreadName, checkpoint.ErrCorrupt, checkpoint.ErrNewer,
	} {
		if errors.Is(err, reason) {
			return true
		}
	}
	if _, misfits := errors.AsType[*host.ContextError](err); misfits {
		return true
	}
	if update, ok := errors.AsType[*host.UpdateError](err); ok && update.Step == "input" {
		return true
	}
	_, changed := errors.AsType[*host.ProgramError](err)
	return changed
}

// storeExit returns the exit code of a failed store operation: 1 if trying again later may help.
func storeExit(err error) int {
	for _, temporary := range []error{
		checkpoint.ErrBusy, checkpoint.ErrLocked, checkpoint.ErrLost, checkpoint.ErrFull, checkpoint.ErrUnavailable,
	} {
		if errors.Is(err, temporary) {
			return exitFailed
		}
	}
	return exitUsage
}

// withHint adds to an error the flag that helps, or the key of the manifest whose default caused it.
func withHint(err error) error {
	if errors.Is(err, checkpoint.ErrBusy) {
		return errortext.Advise(err, "  add --wait 30s to wait for it")
	}
	if errors.Is(err, checkpoint.ErrNoCheckpoint) {
		return errortext.Advise(err, "  'agenthost threads history THREAD' shows the checkpoints")
	}
	limit, ok := errors.AsType[*host.LimitError](err)
	if ok && limit.Code == host.CodeToolCallLimit && (limit.Step == host.ModelStep || limit.Step == host.ToolsStep) {
		return errortext.Advise(err, "  the manifest sets this limit under tool_calls; the default of max_loops is 10")
	}
	return err
}

// failure returns an error with the exit code of a failed command.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitFailed, err}
}
