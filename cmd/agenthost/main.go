// Command agenthost runs LLM agents that a manifest describes.
//
// Where to find what: exit.go has the exit codes of errors, and agentrun.go (outcome) the code of an interrupted run. The flags
// of a subcommand are in the file of its name. pluginnew.go (chooseSDK) and internal/scaffold decide which files plugin new
// writes.
package main

import (
	"context"
	"os"

	"github.com/mattn/go-isatty"
)

func main() {
	ctx, s := listen(context.Background())
	os.Exit(execute(ctx, os.Args[1:], streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		terminal: isatty.IsTerminal(os.Stdin.Fd()) && isatty.IsTerminal(os.Stderr.Fd()), hold: s.hold,
	}))
}
