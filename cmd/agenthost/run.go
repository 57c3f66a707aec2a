package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

func (a *app) runCommand() *cobra.Command {
	var flags runFlags
	var proceed bool
	c := &cobra.Command{
		Use:   "run [flags] [PROMPT | -]",
		Short: "Run the agent and print its answer",
		Long: `Run the agent. The prompt is the argument, or with - standard input. The answer goes to standard
output; progress, logs and errors go to standard error.

With --thread the run goes on with the history of a thread, which the manifest's checkpoint keeps; the
first run with a name begins it. Without, nothing of the run is kept when the command ends. With
--continue there is no prompt: the thread's last run, which failed, was stopped or has died, goes on.

A run that asks a human something is interrupted. At a terminal it can be answered at once; elsewhere,
and if the prompt is left by Ctrl-C, the command ends with the exit code 3, and prints the commands that
answer: see 'agenthost resume --help'.`,
		Example: `  agenthost run "which errors are in app.log?"
  agenthost run --thread ada "which errors are in app.log?"
  agenthost run --thread ada "and in worker.log?"
  agenthost run --thread ada --continue
  agenthost run --thread ada --checkpoint 3 "what about warnings?"
  agenthost run --set 'middleware[0].config.strategy=hash' --output jsonl "which errors are in app.log?"
  agenthost run --record run.cassette "which errors are in app.log?"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.check(c); err != nil {
				return err
			}
			input := flags.input()
			if input.Continue = proceed; !proceed {
				prompt, err := a.prompt(args)
				if err != nil {
					return err
				}
				input.Messages = []abi.Message{abi.Human(prompt)}
			} else if len(args) > 0 {
				return &exitError{exitUsage, errors.New("run: --continue goes on with the run as it is; without it, a prompt begins a new run")}
			}
			return a.perform(c.Context(), &flags, func(context.Context, *manifest.Agent) (host.Input, error) { return input, nil })
		},
	}
	a.manifestFlags(c)
	c.Flags().StringVarP(&flags.thread, "thread", "t", "", "the `name` of the thread to go on with")
	c.Flags().BoolVar(&proceed, "continue", false, "go on with the thread's last run, where it stopped")
	flags.add(c)
	return c
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
