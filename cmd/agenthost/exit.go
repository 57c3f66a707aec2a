package main

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/host"
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
	default:
		return exitFailed
	}
}
