package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/manifest"
)

func (a *app) resumeCommand() *cobra.Command {
	var flags runFlags
	var decisions decisionFlags
	c := &cobra.Command{
		Use:   "resume THREAD [flags]",
		Short: "Continue the last run of a thread, with answers to its questions",
		Long: `Continue the last run of a thread where it stopped. If it waits for answers, give them with the flags
below; at a terminal, the command asks for those that the flags leave out. After a failure, a breakpoint
or a crash, no answers are needed. 'agenthost threads show THREAD' shows the open questions.

ID is the id of a tool call or of an interrupt. The id of an interrupt that asks about several calls stands
for all of its calls that have no flag of their own. Such an interrupt needs a decision about each call. If
there are several interrupts, you may answer some now and the others later. If the run failed because of
an answer, you can give another one.`,
		Example: `  agenthost resume ada --approve call-1
  agenthost resume ada --approve call-1 --reject call-2 --message "not on Fridays"
  agenthost resume ada --edit call-1=arguments.json
  agenthost resume ada --respond call-1 --message "it is 5 degrees"
  agenthost resume ada --retry call-1
  echo '{"ask-5d3c-1": {"decisions": [{"type": "approve"}]}}' | agenthost resume ada --answer -
  agenthost resume ada`,
		Args: arguments("THREAD"),
		RunE: func(c *cobra.Command, args []string) error {
			flags.thread = args[0]
			if err := flags.check(c); err != nil {
				return err
			}
			if err := checkpoint.CheckName(flags.thread); err != nil {
				return &exitError{exitUsage, err}
			}
			return a.perform(c.Context(), &flags, func(ctx context.Context, agent *manifest.Agent) (host.Input, error) {
				return a.resumption(ctx, agent, &flags, &decisions)
			})
		},
	}
	a.manifestFlags(c)
	decisions.add(c.Flags())
	flags.add(c)
	return c
}

// resumption returns the input that continues the thread.
func (a *app) resumption(ctx context.Context, agent *manifest.Agent, flags *runFlags, given *decisionFlags) (host.Input, error) {
	input := flags.input()
	held, err := agent.Threads.Load(ctx, flags.thread, input.Checkpoint)
	if err != nil {
		return input, a.threadError(flags.thread, err)
	}
	questions := question.OfThread(held)
	sheet := question.NewSheet(questions)
	waiting := question.Waiting(questions)
	switch {
	case !given.isEmpty():
		if len(questions) == 0 {
			return input, &exitError{exitUsage, fmt.Errorf("thread %q: %w", flags.thread, question.ErrNothingAsked)}
		}
		err = given.fill(sheet, a.in)
	case a.terminal && len(waiting) > 0:
		err = a.conversation().Answer(ctx, waiting, sheet)
		if errors.Is(err, prompt.ErrLeft) {
			var command *question.Command
			if agent.Durable {
				continuing := a.continuing(flags.thread, held.Program)
				command = &continuing
			}
			return input, waitingExit(held.Record.Checkpoint.Next, waiting, command)
		}
	}
	if err == nil {
		input.Resume, err = sheet.Answers(flags.as)
	}
	if err != nil {
		return input, &exitError{exitUsage, fmt.Errorf("thread %q: %w", flags.thread, err)}
	}
	input.Continue = input.Resume == nil
	return input, nil
}
