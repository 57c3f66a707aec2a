package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/plugin"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWaiting     = 3
	exitLimit       = 4
	exitPlugin      = 5
	exitProvider    = 6
	exitInterrupted = 130
)

// exitError is an error with the exit code that it leads to. Without an error only the code counts.
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

// runExit returns the exit code of a run that failed, by the outermost thing that went wrong.
func runExit(ctx context.Context, err error) int {
	var limit *host.LimitError
	var fault *plugin.Error
	var provider *host.ModelError
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &limit):
		return exitLimit
	case errors.As(err, &fault):
		return exitPlugin
	case errors.As(err, &provider):
		return exitProvider
	case isRefused(err):
		return exitUsage
	default:
		return exitFailed
	}
}

// isRefused reports whether a run did not begin, since its input does not fit the thread, or what is stored cannot be read.
func isRefused(err error) bool {
	for _, reason := range []error{
		host.ErrNoCheckpointer, host.ErrNoThread, host.ErrUnknownThread, host.ErrNotWaiting,
		checkpoint.ErrNoThread, checkpoint.ErrNoCheckpoint, checkpoint.ErrThreadName, checkpoint.ErrCorrupt, checkpoint.ErrNewer,
	} {
		if errors.Is(err, reason) {
			return true
		}
	}
	_, changed := errors.AsType[*host.ProgramError](err)
	return changed
}

// storeExit returns the exit code of something that a store did not do: 1 if that may be otherwise the next time.
func storeExit(err error) int {
	for _, passing := range []error{
		checkpoint.ErrBusy, checkpoint.ErrLocked, checkpoint.ErrLost, checkpoint.ErrFull, checkpoint.ErrUnavailable,
	} {
		if errors.Is(err, passing) {
			return exitFailed
		}
	}
	return exitUsage
}

// explained adds to an error what helps: which key of the manifest it comes from, if that need not stand there, or a flag.
func explained(err error) error {
	if errors.Is(err, checkpoint.ErrBusy) {
		return fmt.Errorf("%w\n  --wait 30s waits for it", err)
	}
	limit, ok := errors.AsType[*host.LimitError](err)
	if ok && limit.Code == host.CodeToolCallLimit && (limit.Step == host.ModelStep || limit.Step == host.ToolsStep) {
		return fmt.Errorf("%w\n  the limit is one of the manifest's tool_calls, whose max_loops is 10 by default", err)
	}
	return err
}
