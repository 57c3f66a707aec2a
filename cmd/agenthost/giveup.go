package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
)

// addGiveUp adds the flag that lets a new prompt give up a run that waits for an answer.
func (f *runFlags) addGiveUp(c *cobra.Command) {
	c.Flags().BoolVar(&f.giveUp, "give-up", false, "give up the thread's last run if it waits for an answer, without asking")
}

// giveUp asks the person at the terminal whether to give up the thread's run, which waits for an answer. It returns an error with the
// exit code unless the answer is yes.
func (p *performance) giveUp(ctx context.Context) error {
	yes, err := p.confirmGiveUp(ctx)
	switch {
	case yes:
		return nil
	case ctx.Err() != nil:
		return interrupted()
	case err != nil && !errors.Is(err, prompt.ErrLeft):
		return &exitError{exitFailed, err}
	default:
		return &exitError{exitWaiting, fmt.Errorf("thread %q: its run still waits for an answer; the prompt was not sent", p.flags.thread)}
	}
}

// confirmGiveUp shows the questions of the thread's run, and asks whether to give it up.
func (p *performance) confirmGiveUp(ctx context.Context) (bool, error) {
	_, _ = io.WriteString(p.err, terminal.Line(fmt.Sprintf("thread %q: its run waits for an answer:", p.flags.thread))+"\n"+p.waiting(ctx))
	return p.conversation().Confirm(ctx, "Give up that run and send the prompt?")
}

// waiting describes the questions that the thread waits for, with the commands that answer them if the thread is kept.
func (p *performance) waiting(ctx context.Context) string {
	now := p.newest(ctx)
	waiting := question.Waiting(now.questions)
	switch {
	case len(waiting) == 0:
		return ""
	case !p.durable():
		return threadview.Questions(waiting, nil)
	default:
		return threadview.Questions(waiting, &now.command)
	}
}

// refused explains that a new prompt would give up a run that waits for an answer.
func (p *performance) refused(ctx context.Context, err error) error {
	heading := terminal.Line(fmt.Sprintf("thread %q: its run waits for an answer, and a new prompt would give it up:", p.flags.thread))
	return &exitError{exitUsage, errortext.LaidOut(heading+"\n"+p.waiting(ctx)+"to give it up and send the prompt, add --give-up", err)}
}
