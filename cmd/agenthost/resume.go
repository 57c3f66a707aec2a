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
an answer, you can give another one.

--always also approves further calls of the tool in this thread, without asking, and --always-same those
with the same arguments. Both are rules that 'agenthost threads rules THREAD' lists and 'agenthost threads
revoke' removes. They count only where human_in_the_loop permits approve, for calls of the model, and
until the tool's definition changes. With --server, calls are approved one by one.`,
		Example: `  agenthost resume ada --approve call-1
  agenthost resume ada --approve call-1 --reject call-2 --message "not on Fridays"
  agenthost resume ada --always call-1
  agenthost resume ada --edit call-1=arguments.json
  agenthost resume ada --respond call-1 --message "it is 5 degrees"
  agenthost resume ada --retry call-1
  echo '{"ask-5d3c-1": {"decisions": [{"type": "approve"}]}}' | agenthost resume ada --answer -
  agenthost resume ada --server http://127.0.0.1:8123 --approve call-1
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
			return a.perform(c.Context(), &flags, func(ctx context.Context, p *performance) (host.Input, error) {
				return p.resumption(ctx, &decisions)
			})
		},
	}
	a.manifestFlags(c)
	decisions.add(c.Flags())
	flags.server.add(c)
	flags.add(c)
	return c
}

// resumption returns the input that continues the thread.
func (p *performance) resumption(ctx context.Context, given *decisionFlags) (host.Input, error) {
	flags, input := p.flags, p.flags.input()
	held, err := p.standing(ctx, input.Checkpoint)
	if err != nil {
		if p.remote != nil {
			return input, &exitError{serverExit(err), err}
		}
		return input, p.threadError(flags.thread, err)
	}
	questions := held.questions
	sheet := question.NewSheet(questions)
	waiting := question.Waiting(questions)
	switch {
	case !given.isEmpty():
		if len(questions) == 0 {
			return input, &exitError{exitUsage, fmt.Errorf("thread %q: %w; send it a prompt, or leave the answers out to continue a run that failed",
				flags.thread, question.ErrNothingAsked)}
		}
		err = given.fill(ctx, sheet, p.in)
	case p.terminal && len(waiting) > 0:
		err = p.conversation().Answer(ctx, waiting, sheet)
		if errors.Is(err, prompt.ErrLeft) {
			var command *question.Command
			if p.durable() {
				command = &held.command
			}
			return input, waitingExit(held.next, waiting, command)
		}
	}
	if ctx.Err() != nil {
		return input, interrupted()
	}
	if err == nil {
		input.Resume, err = p.settle(ctx, flags.thread, sheet)
	}
	if err != nil {
		return input, &exitError{exitUsage, fmt.Errorf("thread %q: %w", flags.thread, err)}
	}
	input.Continue = input.Resume == nil
	return input, nil
}
