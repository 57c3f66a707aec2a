package main

import (
	"context"
	"errors"
	"fmt"

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

// explained adds to an error which key of the manifest it comes from, if that need not stand there.
func explained(err error) error {
	limit, ok := errors.AsType[*host.LimitError](err)
	if ok && limit.Code == host.CodeToolCallLimit && (limit.Step == host.ModelStep || limit.Step == host.ToolsStep) {
		return fmt.Errorf("%w\n  the limit is one of the manifest's tool_calls, whose max_loops is 10 by default", err)
	}
	return err
}
