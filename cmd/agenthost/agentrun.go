package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/remote"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// performance is one run of the agent, including the answers of a person at the terminal.
type performance struct {
	*app

	flags  *runFlags
	show   renderer
	agent  *manifest.Agent // nil: the agent is that of a server
	remote *remote.Agent   // nil: the agent is that of a manifest
	// threads is the store of the run: the manifest's, or one in memory. nil: the threads are those of a server.
	threads checkpoint.Store

	models []model.Info // the agent's own first
	warned bool         // by warnPassing

	unpriced error // why a budget in money cannot be kept; nil: it can, or there is none
}

// runner performs runs of an agent: of one here, or of one on a server.
type runner interface {
	RunEvents(ctx context.Context, in host.Input, handle func(host.Event) error) (*host.Result, error)
	State(ctx context.Context, thread string, at checkpoint.ID) (*host.Snapshot, error)
}

// beginning returns the input of a run whose agent is loaded.
type beginning func(context.Context, *performance) (host.Input, error)

// perform loads the agent, performs the run whose input begin returns, and prints the result.
func (a *app) perform(ctx context.Context, flags *runFlags, begin beginning) error {
	show, err := a.renderer(flags.output, flags.quiet)
	if err != nil {
		return err
	}
	if flags.server.url == "" {
		if err := a.override(&flags.runLimits, "--model "+flags.model); err != nil {
			return err
		}
	}
	a.showsEvents = !flags.quiet && flags.output != "jsonl"
	p := &performance{app: a, flags: flags, show: show}
	if flags.record == "" {
		return p.do(ctx, begin)
	}
	return a.recording(flags.record, flags.quiet, func() error { return p.do(ctx, begin) })
}

func (p *performance) do(ctx context.Context, begin beginning) (err error) {
	if err := p.open(ctx, p.adjust); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if p.flags.thread != "" && p.agent != nil && p.agent.Threads == nil {
		return &exitError{exitUsage, withoutCheckpoint(p.file)}
	}
	if p.flags.thread == "" && p.durable() {
		p.flags.thread = newThread("run", time.Now())
	}
	input, err := begin(ctx, p)
	if err != nil {
		return err
	}
	input.Thread = p.flags.thread
	if input.Thread == "" && p.terminal {
		input.Thread = passingThread
	}
	limited := p.limited()
	for {
		result, err := limited.perform(ctx, input, p.event)
		if pausing := p.show.pause(); err == nil && pausing != nil {
			err = pausing
		}
		if p.terminal && errors.Is(err, host.ErrWaiting) {
			if err := p.giveUp(ctx); err != nil {
				return err
			}
			input.KeepWaiting = false
			continue
		}
		if err == nil && result.Status == host.Interrupted && p.terminal {
			p.warnPassing()
			next, asking := p.ask(ctx, result)
			if asking == nil {
				input = next
				continue
			}
			if !errors.Is(asking, prompt.ErrLeft) {
				return &exitError{exitFailed, asking}
			}
		}
		if p.flags.thread == "" {
			result.Thread = ""
		}
		if printing := p.show.result(result, err); printing != nil {
			return &exitError{exitFailed, printing}
		}
		return p.outcome(ctx, result, err)
	}
}

// open builds the agent of the manifest, or connects to the server.
func (p *performance) open(ctx context.Context, adjust func(*host.Config)) (err error) {
	if p.flags.server.url != "" {
		p.remote, err = p.flags.server.connect(ctx)
		return err
	}
	if p.agent, err = p.load(ctx, manifest.Options{}, adjust); err != nil {
		return err
	}
	if p.unpriced != nil {
		return errors.Join(&exitError{exitUsage, fmt.Errorf("--budget: %w", p.unpriced)}, p.close())
	}
	if err := p.flags.checkAttachments(p.models, p.err); err != nil {
		return errors.Join(err, p.close())
	}
	return nil
}

// close closes the agent.
func (p *performance) close() error {
	if p.remote != nil {
		return failure(p.remote.Close())
	}
	return failure(p.agent.Close())
}

// durable reports whether threads are still there when the command has ended.
func (p *performance) durable() bool { return p.remote != nil || p.agent.Durable }

// runner returns what performs the runs.
func (p *performance) runner() runner {
	if p.remote != nil {
		return p.remote
	}
	return p.agent.Agent
}

// limited returns a run within the limits of the command line.
func (p *performance) limited() *limitedRun {
	l := &limitedRun{agent: p.runner(), limits: p.flags.runLimits, context: p.flags.context.value, inputs: p.remote != nil}
	if p.agent != nil && p.agent.Durable {
		l.during = p.during
	}
	return l
}

// offer says which answers are possible, besides those that every question has.
func (p *performance) offer(questions []*question.Question) {
	if p.agent != nil {
		question.Offer(questions, p.agent)
	}
}

// event shows an event.
func (p *performance) event(e host.Event) error {
	if p.flags.thread == "" {
		e.Thread = "" // passingThread is of no use to anybody
	}
	return p.show.event(e)
}

// warnPassing tells the person, before the first question, that the run is lost if the question is left open.
func (p *performance) warnPassing() {
	if p.durable() || p.warned {
		return
	}
	p.warned = true
	fmt.Fprintln(p.err, "· this run is not kept, because the manifest's checkpoint names no database: if you leave the question open, the run is lost")
}

// withoutCheckpoint says that a manifest keeps no threads although the command needs one.
func withoutCheckpoint(file string) error {
	return errortext.Advise(fmt.Errorf("%s: the manifest keeps no threads; add a checkpoint, such as", file), "  checkpoint: sqlite:agent.db")
}

// passingThread names the in-memory thread of a run at a terminal that is not kept. A person needs it to answer questions.
const passingThread = "run"

// adjust chooses the store of threads by the flags.
func (p *performance) adjust(config *host.Config) {
	p.models = modelsOf(config)
	if p.flags.maxCost > 0 {
		config.MaxCost, p.unpriced = p.flags.maxCost, served.CheckPrices(config)
	}
	switch {
	case p.flags.thread != "" && config.Checkpointer != nil:
		config.Checkpointer = threadstore.Waiting(config.Checkpointer, p.flags.wait, func(thread string, busy error) {
			fmt.Fprintln(p.err, terminal.Line(fmt.Sprintf("· thread %q: waiting up to %v: %v", thread, p.flags.wait, busy)))
		})
	case config.Checkpointer == nil && p.terminal:
		config.Checkpointer, config.Durability = memory.New(), ""
	}
	p.threads = config.Checkpointer
}

// ask puts the questions of a run to the person at the terminal, and returns the input that continues the run.
func (p *performance) ask(ctx context.Context, result *host.Result) (host.Input, error) {
	next := host.Input{Thread: result.Thread, AcceptChanges: p.flags.acceptChanges}
	questions := question.OfResult(result)
	if len(questions) == 0 {
		yes, err := p.conversation().Confirm(ctx, "The run stopped at a breakpoint before "+result.Next+". Continue?")
		if err == nil && !yes {
			err = prompt.ErrLeft
		}
		next.Continue = true
		return next, err
	}
	answers, err := p.answers(ctx, result.Thread, questions)
	next.Resume = answers
	return next, err
}

// answers puts questions to the person at the terminal and returns the answers.
func (p *performance) answers(ctx context.Context, thread string, questions []*question.Question) ([]host.Answer, error) {
	p.offer(questions)
	sheet := question.NewSheet(questions)
	if err := p.conversation().Answer(ctx, questions, sheet); err != nil {
		return nil, err
	}
	return p.settle(ctx, thread, sheet)
}

// settle returns the answers of a sheet, after it has stored the rules among them in the thread.
func (p *performance) settle(ctx context.Context, thread string, sheet *question.Sheet) ([]host.Answer, error) {
	answers, err := sheet.Answers(p.flags.as)
	rules := sheet.Rules(p.flags.as)
	if err != nil || len(rules) == 0 {
		return answers, err
	}
	if p.flags.checkpoint != 0 {
		return nil, errors.New("a rule belongs to the newest checkpoint of the thread; leave out --checkpoint, or approve the call only once")
	}
	if err := approval.Add(ctx, p.threads, thread, time.Now(), rules...); err != nil {
		return nil, fmt.Errorf("the rule could not be kept, so nothing was approved: %w", err)
	}
	return answers, nil
}

// conversation returns the prompt of the command, which all questions share.
func (a *app) conversation() *prompt.Prompt {
	if a.prompt == nil {
		editor := &prompt.Editor{In: a.in, Out: a.err, Hold: a.hold}
		a.prompt = &prompt.Prompt{In: prompt.NewLines(a.in), Out: a.err, Edit: editor.Edit}
	}
	return a.prompt
}

// errModelFailed says that the answer, which is printed, reports the failure of the model.
var errModelFailed = errors.New("the model failed, and a middleware answered in its place")

// outcome returns nil for a completed run, and otherwise an error with the exit code.
func (p *performance) outcome(ctx context.Context, result *host.Result, err error) error {
	durable := p.durable()
	switch {
	case err == nil && result.Status == host.Interrupted:
		var command *question.Command
		if durable {
			command = &p.newest(ctx).command
		}
		waiting := question.OfResult(result)
		p.offer(waiting)
		return waitingExit(result.Next, waiting, command)
	case err == nil && result.Status == host.Failed:
		return &exitError{exitProvider, errModelFailed}
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = interrupted()
		if durable && result.Next != "" {
			err = &exitError{exitSignal, p.withResume(ctx, result.Next, err)}
		}
		return err
	}
	if errors.Is(err, host.ErrWaiting) {
		return p.refused(ctx, err)
	}
	code := runExit(ctx, err)
	if stopped, ok := errors.AsType[*stoppedError](err); ok {
		code, err = exitLimit, stopped
	}
	err = withHint(err)
	if durable && result.Next != "" && !errors.Is(err, checkpoint.ErrLost) {
		err = p.withResume(ctx, result.Next, err)
	}
	return &exitError{code, err}
}

// withResume adds to an error the commands that continue the run: unchanged and, if the step has answers, with other answers.
func (p *performance) withResume(ctx context.Context, next string, err error) error {
	now := p.newest(ctx)
	command := now.command
	err = errortext.Advise(err, "  the run stopped before "+terminal.Line(next)+"; to continue it:", "  "+text.Clean(command.Line()))
	if note := command.Note(); note != "" {
		err = errortext.Advise(err, "  "+note)
	}
	if len(now.questions) > 0 {
		err = errortext.Advise(err, "  or, if an answer caused this, with another answer:")
		for _, line := range command.Lines(now.questions) {
			err = errortext.Advise(err, "  "+text.Clean(line))
		}
	}
	return err
}
