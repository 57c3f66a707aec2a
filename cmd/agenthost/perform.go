package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// performance is a run, with what a person at the terminal answers meanwhile.
type performance struct {
	*app

	flags *runFlags
	show  renderer
	agent *manifest.Agent
}

// perform loads the agent, performs the run that begin says, and prints what came of it.
func (a *app) perform(ctx context.Context, flags *runFlags, begin func(context.Context, *manifest.Agent) (host.Input, error)) error {
	show, err := a.renderer(flags.output, flags.quiet)
	if err != nil {
		return err
	}
	a.set = append(a.set, flags.assignments()...)
	p := &performance{app: a, flags: flags, show: show}
	if flags.record == "" {
		return p.do(ctx, begin)
	}
	return a.recording(flags.record, flags.quiet, func() error { return p.do(ctx, begin) })
}

func (p *performance) do(ctx context.Context, begin func(context.Context, *manifest.Agent) (host.Input, error)) (err error) {
	if p.agent, err = p.load(ctx, manifest.Options{}, p.adjust); err != nil {
		return err
	}
	defer func() {
		if closing := p.agent.Close(); closing != nil {
			err = errors.Join(err, &exitError{exitFailed, closing})
		}
	}()
	if p.flags.thread != "" && p.agent.Threads == nil {
		return &exitError{exitUsage, fmt.Errorf("%s: %w", p.file, errNoCheckpoint)}
	}
	input, err := begin(ctx, p.agent)
	if err != nil {
		return err
	}
	if input.Thread == "" && p.terminal {
		input.Thread = passingThread
	}
	limited := &limitedRun{agent: p.agent.Agent, limits: p.flags.runLimits}
	for {
		result, err := limited.perform(ctx, input, p.show.event)
		if err == nil && result.Status == host.Interrupted && p.terminal {
			next, asking := p.ask(ctx, result)
			if asking == nil {
				input = next
				continue
			}
			if !errors.Is(asking, prompt.ErrLeft) {
				return &exitError{exitFailed, asking}
			}
		}
		if printing := p.show.result(result, err); printing != nil {
			return &exitError{exitFailed, printing}
		}
		return p.outcome(ctx, result, err)
	}
}

// errNoCheckpoint is a manifest without threads, where one is asked for.
var errNoCheckpoint = errors.New("the manifest keeps no threads; add a checkpoint to it, such as\n  checkpoint: sqlite:agent.db")

// passingThread is the thread of a run without one at a terminal: in memory, so that what it asks can be answered there.
const passingThread = "run"

// adjust sets what the flags say about the store of threads.
func (p *performance) adjust(config *host.Config) {
	switch {
	case p.flags.thread != "" && config.Checkpointer != nil:
		config.Checkpointer = threadstore.Waiting(config.Checkpointer, p.flags.wait, func(thread string, busy error) {
			fmt.Fprintln(p.err, terminal.Text(fmt.Sprintf("· thread %q: waiting up to %v: %v", thread, p.flags.wait, busy)))
		})
	case p.flags.thread == "" && p.terminal:
		config.Checkpointer, config.Durability = memory.New(), ""
	}
}

// ask asks the person at the terminal what the run waits for, and returns the input that goes on with it.
func (p *performance) ask(ctx context.Context, result *host.Result) (host.Input, error) {
	next := host.Input{Thread: result.Thread, AcceptChanges: p.flags.acceptChanges}
	questions := question.OfResult(result)
	if len(questions) == 0 {
		yes, err := p.conversation().Confirm(ctx, "The run stopped at a breakpoint, next is "+result.Next+". Go on?")
		if err == nil && !yes {
			err = prompt.ErrLeft
		}
		next.Continue = true
		return next, err
	}
	answers, err := p.answers(ctx, questions)
	next.Resume = answers
	return next, err
}

// answers asks questions at the terminal.
func (p *performance) answers(ctx context.Context, questions []*question.Question) ([]host.Answer, error) {
	sheet := question.NewSheet(questions)
	if err := p.conversation().Answer(ctx, questions, sheet); err != nil {
		return nil, err
	}
	return sheet.Answers(p.flags.as)
}

// conversation is the one prompt of the command.
func (a *app) conversation() *prompt.Prompt {
	if a.asking == nil {
		editor := &prompt.Editor{In: a.in, Out: a.err, Hold: a.hold}
		a.asking = &prompt.Prompt{In: prompt.NewLines(a.in), Out: a.err, Edit: editor.Edit}
	}
	return a.asking
}

// outcome is the error that tells how the run ended, if not well.
func (p *performance) outcome(ctx context.Context, result *host.Result, err error) error {
	durable := p.flags.thread != "" && p.agent.Durable
	switch {
	case err == nil && result.Status == host.Interrupted:
		return &exitError{exitWaiting, &interruptedError{
			next: result.Next, questions: question.OfResult(result), command: p.command(p.flags), named: p.flags.thread != "", durable: durable,
		}}
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = errors.New("interrupted")
		if durable && result.Next != "" {
			err = p.goingOn(ctx, result.Next, err)
		}
		return &exitError{exitInterrupted, err}
	}
	code := runExit(ctx, err)
	if stopped, ok := errors.AsType[*stoppedError](err); ok {
		code, err = exitLimit, stopped
	}
	err = explained(err)
	if durable && result.Next != "" && !errors.Is(err, checkpoint.ErrLost) {
		err = p.goingOn(ctx, result.Next, err)
	}
	return &exitError{code, err}
}

// goingOn adds to an error how to go on with the run: as it is and, if the step has answers, with others.
func (p *performance) goingOn(ctx context.Context, next string, err error) error {
	command := p.command(p.flags)
	err = fmt.Errorf("%w\n  the run stopped before %s; go on with\n  %s", err, next, command.Line())
	held, loading := p.agent.Threads.Load(context.WithoutCancel(ctx), p.flags.thread, 0)
	if loading != nil {
		return err // there is another error to tell of
	}
	if asked := question.OfThread(held); len(asked) > 0 {
		err = fmt.Errorf("%w\n  or, if an answer was at fault, with another one\n  %s", err, strings.Join(command.Lines(asked), "\n  "))
	}
	return err
}
