package toolchain

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// stopDelay is the time that a tool has to stop after an interrupt.
const stopDelay = 5 * time.Second

// find returns the absolute path of a program.
func find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// tool is a program that is run in the directory of the sources.
type tool struct {
	path        string
	args        []string
	environment []string  // added to that of this process
	stdout      io.Writer // nil: the log
	stderr      io.Writer // nil: the log
}

// do runs a tool to its end. When ctx ends, the tool gets an interrupt, as by Ctrl-C, and is killed after stopDelay.
func (b *Build) do(ctx context.Context, t *tool) error {
	//nolint:gosec // the tool is the user's, and so are the flags
	c := exec.CommandContext(ctx, t.path, t.args...)
	c.Dir = b.Dir
	c.Env = append(c.Environ(), t.environment...)
	c.Stdout, c.Stderr = t.stdout, t.stderr
	if t.stdout == nil {
		c.Stdout = b.Log
	}
	if t.stderr == nil {
		c.Stderr = b.Log
	}
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = stopDelay
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return &FailedError{Tool: filepath.Base(t.path), Err: err}
	default:
		return nil
	}
}
