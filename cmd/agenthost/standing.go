package main

import (
	"context"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
)

// standing is where a thread of a run stands.
type standing struct {
	questions []*question.Question // answered or not
	next      string               // the step that comes next; "": the run is over
	command   question.Command     // what continues the thread
}

// standing reads the thread of the run at a checkpoint, or at the newest one if that is 0.
func (p *performance) standing(ctx context.Context, at checkpoint.ID) (*standing, error) {
	if p.remote != nil {
		state, err := p.remote.State(ctx, p.flags.thread, at)
		if err != nil {
			return nil, err
		}
		asked := question.OfResult(&host.Result{Messages: state.Messages, Interrupts: state.Interrupts})
		return &standing{asked, state.Next, p.commandOf(nil)}, nil
	}
	held, err := p.agent.Threads.Load(ctx, p.flags.thread, at)
	if err != nil {
		return nil, err
	}
	asked := question.OfThread(held)
	question.Offer(asked, p.agent)
	return &standing{asked, held.Record.Checkpoint.Next, p.commandOf(held.Program)}, nil
}

// newest returns where the thread of the run stands now. If it cannot be read, there are no questions.
func (p *performance) newest(ctx context.Context) *standing {
	now, err := p.standing(context.WithoutCancel(ctx), 0)
	if err != nil { // why the run ended is the error to report
		return &standing{command: p.commandOf(nil)}
	}
	return now
}

// commandOf returns the command line that continues the thread of the run. The program is that of a thread on this machine; nil: it is not
// known.
func (p *performance) commandOf(program *checkpoint.Program) question.Command {
	command := p.continuing(p.flags.thread, program)
	if p.remote != nil {
		command = question.Command{Thread: p.flags.thread, Server: p.flags.server.words(p.remote.Name)}
	}
	command.Context = p.flags.context.shown()
	return command
}
