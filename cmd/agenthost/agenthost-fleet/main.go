// Command agenthost-fleet serves agents whose runs are performed by workers that Temporal directs. It is a module of its own, so that agenthost
// does not link Temporal's SDK.
//
// # Where to find what
//
//   - the commands: serve.go, worker.go, promote.go, doctor.go
//   - the manifests, serve.yaml and the database: setup.go; the connection to Temporal: connect.go
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes are those of agenthost.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is an error of the command line, or of a file that it names.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	root := root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(err)
	failed := root.ExecuteContext(ctx)
	if failed == nil {
		return exitOK
	}
	fmt.Fprintln(err, "agenthost-fleet: "+failed.Error())
	if _, usage := errors.AsType[usageError](failed); usage {
		return exitUsage
	}
	return exitFailed
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "agenthost-fleet",
		Short: "Serve agents whose runs are performed by workers that Temporal directs",
		Long: `agenthost-fleet serves the agents of manifests as agenthost does, while workers on any number of machines
perform their runs. Temporal finds a worker for each run, and another one when it dies. docs/fleet.md says
when that is worth it, and how to go there.

All processes read the same manifests and the same serve.yaml, and share a database.`,
		Example: `  agenthost-fleet doctor --config serve.yaml
  agenthost-fleet worker -f agent.yaml --config serve.yaml
  agenthost-fleet serve -f agent.yaml --config serve.yaml --engine temporal`,
		SilenceErrors: true, SilenceUsage: true, DisableAutoGenTag: true,
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	c.AddCommand(serveCommand(), workerCommand(), promoteCommand(), doctorCommand(), compileCommand())
	return c
}

// compileName is the name of the hidden command that compiles a module: see [plugin.CompileInChild].
const compileName = "compile-module"

func compileCommand() *cobra.Command {
	return &cobra.Command{
		Use: compileName + " DIR", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Compile the module on standard input into a cache",
		RunE: func(c *cobra.Command, args []string) error {
			return plugin.CompileHere(c.Context(), args[0], c.InOrStdin())
		},
	}
}

// noArguments refuses arguments.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%q is not a flag, and the command takes no arguments; name manifests with -f", args[0])}
	}
	return nil
}
