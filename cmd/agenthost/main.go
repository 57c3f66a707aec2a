// Command agenthost runs LLM agents that a manifest describes.
//
// Where to find what: the exit codes of errors are in exit.go, the code of an interrupted run in agentrun.go (outcome); the flags of a
// subcommand are in the file of its name; what plugin new writes is decided in pluginnew.go (chooseSDK) and internal/scaffold.
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
