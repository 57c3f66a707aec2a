package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

func (a *app) runCommand() *cobra.Command {
	var output, record string
	var quiet bool
	c := &cobra.Command{
		Use:   "run [flags] [PROMPT | -]",
		Short: "Run the agent once and print its answer",
		Long: `Run the agent once. The prompt is the argument, or with - standard input. The answer goes to
standard output; progress, logs and errors go to standard error.

A run that asks a human something, or that a breakpoint stops, ends as interrupted. What it waits for
is printed, but this version of the command cannot resume it: nothing is kept when the process ends.`,
		Example: `  agenthost run "which errors are in app.log?"
  agenthost run --set 'middleware[0].config.strategy=hash' --output jsonl "which errors are in app.log?"
  agenthost run --record run.cassette "which errors are in app.log?"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			show, err := a.renderer(output, quiet)
			if err != nil {
				return err
			}
			prompt, err := a.prompt(args)
			if err != nil {
				return err
			}
			if record == "" {
				return a.run(c.Context(), prompt, show)
			}
			return a.recording(record, quiet, func() error { return a.run(c.Context(), prompt, show) })
		},
	}
	a.manifestFlags(c)
	c.Flags().StringVarP(&output, "output", "o", "text", "what to print: `text` (the answer), json (the result), jsonl (every event)")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress on standard error")
	c.Flags().StringVar(&record, "record", "", "record all that plugins see and do in a new `file`, for 'plugin replay'; keep it as you keep secrets")
	return c
}

// run performs the run and closes the agent.
func (a *app) run(ctx context.Context, prompt string, show renderer) (err error) {
	agent, err := a.load(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if closing := agent.Close(); closing != nil {
			err = errors.Join(err, &exitError{exitFailed, closing})
		}
	}()
	result, err := agent.RunEvents(ctx, host.Input{Messages: []abi.Message{abi.Human(prompt)}}, show.event)
	if printing := show.result(result, err); printing != nil {
		return &exitError{exitFailed, printing}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case err != nil:
		return &exitError{runExit(ctx, err), explained(err)}
	case result.Status == host.Interrupted:
		return &exitError{exitWaiting, &interruptedError{result}}
	default:
		return nil
	}
}

// recording performs a run whose plugins are recorded in a new file.
func (a *app) recording(path string, quiet bool, run func() error) error {
	w, err := cassette.Create(path)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("run: --record: %w", err)}
	}
	a.recorder = w
	err = run()
	closing, calls := w.Close(), w.Calls()
	switch {
	case closing != nil:
		return errors.Join(err, &exitError{exitFailed, fmt.Errorf("run: --record: the recording is incomplete: %w", closing)})
	case calls == 0:
		_ = os.Remove(path) // nothing is in it, and it would be in the way
		fmt.Fprintln(a.err, "· no plugin was called: nothing is recorded")
	case !quiet:
		fmt.Fprintf(a.err, "· recorded %d calls in %s\n", calls, path)
	}
	return err
}

// maxPrompt is the largest prompt that is read from standard input, in bytes.
const maxPrompt = 4 << 20

// prompt takes the prompt from the argument, or with "-" from standard input.
func (a *app) prompt(args []string) (string, error) {
	if len(args) == 0 {
		return "", &exitError{exitUsage, errors.New("run: there is no prompt: give it as an argument, or - to read it from standard input")}
	}
	prompt := args[0]
	if prompt == "-" {
		data, err := io.ReadAll(io.LimitReader(a.in, maxPrompt+1))
		switch {
		case err != nil:
			return "", &exitError{exitUsage, fmt.Errorf("run: standard input: %w", err)}
		case len(data) > maxPrompt:
			return "", &exitError{exitUsage, fmt.Errorf("run: the prompt on standard input has more than %d bytes", maxPrompt)}
		}
		prompt = strings.ToValidUTF8(string(data), "\uFFFD")
	}
	if strings.TrimSpace(prompt) == "" {
		return "", &exitError{exitUsage, errors.New("run: the prompt is empty")}
	}
	return prompt, nil
}
