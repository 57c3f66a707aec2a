package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/attachment"
)

func (a *app) runCommand() *cobra.Command {
	var flags runFlags
	var proceed, dry bool
	c := &cobra.Command{
		Use:   "run [flags] [PROMPT | -]",
		Short: "Run the agent and print its answer",
		Long: `Run the agent. The prompt is the argument, or standard input if the argument is -. The answer goes to
standard output; progress, logs and errors go to standard error. At a terminal the answer appears as it
arrives; --quiet and the other output formats print it once, at the end.

With --thread the run continues a conversation, which the manifest's checkpoint keeps. The first run with
a name starts the thread. Without --thread, the run gets a thread of its own, run-DATE-TIME-…, if the
checkpoint is a database; otherwise nothing is kept when the command ends. With --continue, give no
prompt: the thread's last run, which failed, was stopped or died, continues where it stopped.

--file adds a file to the prompt: an image, a PDF document, audio or text. The command refuses a file that
the agent's model does not take.

With --dry-run, everything is built, MCP servers are started and the hooks before the model run, but no
model is asked and nothing is kept: the command prints the model, the system prompt, the tools and the
messages of the first request.

A run takes plugins of registries from this machine, and uses no network for them. With --pull, those that
are missing are fetched first, as 'agenthost plugin pull' does.

With --server, the agent is one of a server, such as 'agenthost serve' runs, and so are its threads. The
variable AGENTHOST_SERVER_KEY has the key for it. --model is then the name of one of the agent's models.

A run that asks a person something is interrupted. At a terminal you can answer at once. Elsewhere, or if
you leave the question with Ctrl-C, the command ends with exit code 3 and prints the commands that answer:
see 'agenthost resume --help'. While a thread waits for an answer, a new prompt would give its run up. At
a terminal, the command asks before that. Elsewhere it refuses the prompt unless you add --give-up.`,
		Example: `  agenthost run "which errors are in app.log?"
  agenthost run --thread ada "which errors are in app.log?"
  agenthost run --thread ada "and in worker.log?"
  agenthost run --thread ada --continue
  agenthost run --thread ada --checkpoint 3 "what about warnings?"
  agenthost run --set 'middleware[0].config.strategy=hash' --output jsonl "which errors are in app.log?"
  agenthost run --file photo.jpg --file report.pdf "does the photo show what the report says?"
  agenthost run --state "rubric=Every change has one line." "write the release notes"
  agenthost run --dry-run "which errors are in app.log?"
  agenthost run --server https://agents.example.com --thread ada "which errors are in app.log?"
  agenthost run --record run.cassette "which errors are in app.log?"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("run: the prompt must be one argument, but there are %d; put it in quotes", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.check(c); err != nil {
				return err
			}
			input, err := a.runInput(c.Context(), args, &flags, proceed)
			if err != nil {
				return err
			}
			if err := a.pullFirst(c.Context(), &flags); err != nil {
				return err
			}
			if dry {
				if proceed {
					return &exitError{exitUsage, errors.New("run: --dry-run shows what a prompt would send; leave out --continue")}
				}
				return a.dryRun(c.Context(), &flags, input)
			}
			return a.perform(c.Context(), &flags, func(context.Context, *performance) (host.Input, error) { return input, nil })
		},
	}
	a.manifestFlags(c)
	flags.server.add(c)
	c.Flags().StringVarP(&flags.thread, "thread", "t", "", "the `NAME` of the thread to continue, or to start")
	c.Flags().BoolVar(&proceed, "continue", false, "continue the thread's last run where it stopped")
	c.Flags().BoolVar(&dry, "dry-run", false, "print the first request that the run would send to a model, and send none")
	flags.addPull(c)
	flags.add(c)
	flags.state.add(c, "state", "the agent's state that middleware reads, such as the field rubric")
	flags.addAttachments(c)
	flags.addGiveUp(c)
	return c
}

// runInput returns the input of a run: the prompt, or that the thread's last run goes on.
func (a *app) runInput(ctx context.Context, args []string, flags *runFlags, proceed bool) (host.Input, error) {
	input := flags.input()
	if !proceed {
		input.KeepWaiting = !flags.giveUp
		m, err := a.readMessage(ctx, args, flags)
		input.Messages = []abi.Message{m}
		return input, err
	}
	input.Continue, input.KeepWaiting = true, true
	for _, with := range []struct {
		given bool
		text  string
	}{
		{flags.giveUp, "--continue continues the run that --give-up would give up; leave out one of them"},
		{len(args) > 0, "--continue takes no prompt; leave out the prompt to continue the last run, or --continue to start a new one"},
		{len(flags.state.given) > 0, "--continue takes no --state, because the run goes on with the state that it has; leave out one of them"},
		{len(flags.paths) > 0, "--continue takes no --file, because files belong to a prompt; leave out one of them"},
	} {
		if with.given {
			return input, &exitError{exitUsage, errors.New("run: " + with.text)}
		}
	}
	return input, nil
}

// readMessage returns the prompt with the files of --file.
func (a *app) readMessage(ctx context.Context, args []string, flags *runFlags) (abi.Message, error) {
	prompt, err := a.readPrompt(ctx, args)
	if err == nil {
		err = flags.readAttachments()
	}
	return attachment.Message(prompt, flags.files...), err
}

// maxPrompt is the size limit of a prompt on standard input, in bytes.
const maxPrompt = 4 << 20

// readPrompt returns the prompt: the argument, or standard input if that is "-".
func (a *app) readPrompt(ctx context.Context, args []string) (string, error) {
	if len(args) == 0 {
		return "", &exitError{exitUsage, errors.New("run: there is no prompt; give one as an argument, or - to read it from standard input")}
	}
	prompt := args[0]
	if prompt == "-" {
		data, err := readInput(ctx, a.in, maxPrompt+1)
		switch {
		case ctx.Err() != nil:
			return "", interrupted()
		case err != nil:
			return "", &exitError{exitUsage, fmt.Errorf("run: standard input: %w", err)}
		case len(data) > maxPrompt:
			return "", &exitError{exitUsage, fmt.Errorf("run: the prompt on standard input is longer than %d bytes; shorten it", maxPrompt)}
		}
		prompt = strings.ToValidUTF8(string(data), "\uFFFD")
	}
	if strings.TrimSpace(prompt) == "" {
		return "", &exitError{exitUsage, errors.New("run: the prompt is empty; write something to the agent")}
	}
	return prompt, nil
}
