// Command agenthost runs LLM agents that a manifest describes.
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
