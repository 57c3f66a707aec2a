package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Chat is a conversation in one thread of an agent.
type Chat struct {
	Agent         *host.Agent // it has a Checkpointer, which is Threads
	Threads       checkpoint.Store
	Thread        string
	AcceptChanges bool // see [host.Input]

	Messages Reader
	Screen   *Screen
	Verbose  bool // shows what tools are given and return, and what the model thinks
	Quiet    bool // shows no tools

	// Person is somebody at a terminal: answers show as they come, and a turn that goes wrong does not end the conversation.
	Person *Person
	// Begin returns what performs a turn; nil: the agent's RunEvents does.
	Begin func() Run
	// Tools are those that /tools shows.
	Tools func() []abi.ToolSpec

	last  string // the prompt that was sent last
	turns int
}

// Run performs a stretch of a turn: up to a question, or the end.
type Run func(ctx context.Context, in host.Input, handle func(host.Event) error) (*host.Result, error)

// Person is what somebody at a terminal can do while a turn goes on.
type Person struct {
	// Turn returns a context that ends when the person stops the turn, and what ends the watching for that.
	Turn func(context.Context) (context.Context, func())
	// Ask asks what a run waits for, and returns the input that goes on with it. The error is [prompt.ErrLeft] if the person
	// does not say.
	Ask func(context.Context, *host.Result) (host.Input, error)
	// Explain adds to an error what helps; nil: nothing.
	Explain func(error) error
}

// WaitingError is a run that waits for an answer, where nobody can be asked, or that stopped at a breakpoint.
type WaitingError struct{ Result *host.Result }

func (e *WaitingError) Error() string {
	return "the run is interrupted, and waits before " + terminal.Line(e.Result.Next)
}

// TurnError is a turn that failed, where no person goes on.
type TurnError struct {
	Result *host.Result
	Err    error
}

func (e *TurnError) Error() string { return e.Err.Error() }

// Unwrap returns why it failed.
func (e *TurnError) Unwrap() error { return e.Err }

// Welcome shows where the thread stands, if something was said in it.
func (c *Chat) Welcome(ctx context.Context) error {
	at, err := c.Agent.State(ctx, c.Thread, 0)
	if errors.Is(err, checkpoint.ErrNoThread) {
		return nil
	}
	if err != nil {
		return err
	}
	c.Screen.Notef("· %d messages so far; %s", at.Messages.Len(), standing(at))
	if at.Next != "" {
		c.Screen.Notef("· /retry goes on with it, a message gives it up")
	}
	return nil
}

// Converse reads messages and answers them until the input or the context ends.
func (c *Chat) Converse(ctx context.Context) error {
	for {
		text, err := c.Messages.Read(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		err = c.handle(ctx, text)
		switch {
		case errors.Is(err, errQuit):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && c.Person == nil:
			return err
		case err != nil:
			c.complain(err)
		}
	}
}

// Turns is how many turns there were.
func (c *Chat) Turns() int { return c.turns }

// complain shows an error.
func (c *Chat) complain(err error) {
	if c.Person.Explain != nil {
		err = c.Person.Explain(err)
	}
	c.Screen.Notef("%s", terminal.Text("error: "+err.Error()))
}

// handle does what a message or a command says.
func (c *Chat) handle(ctx context.Context, text string) error {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return nil
	case strings.HasPrefix(trimmed, "//"): // a message that begins with a slash
		return c.send(ctx, strings.Replace(text, "//", "/", 1))
	case strings.HasPrefix(trimmed, "/"):
		return c.command(ctx, trimmed)
	default:
		return c.send(ctx, text)
	}
}

// send begins a new run with a message. One that the thread has not ended is given up; what it did stays.
func (c *Chat) send(ctx context.Context, text string) error {
	c.last = text
	return c.turn(ctx, host.Input{Thread: c.Thread, Messages: []abi.Message{abi.Human(text)}}, nil)
}

// turn performs a run to its end, with what the person answers meanwhile: one that the input begins or goes on with or, if
// waiting is not nil, that waits.
func (c *Chat) turn(ctx context.Context, in host.Input, waiting *host.Result) error {
	c.turns++
	shown := &transcript{screen: c.Screen, verbose: c.Verbose, quiet: c.Quiet, streams: c.Person != nil}
	defer c.Screen.Idle()
	turn, end := ctx, func() {}
	if c.Person != nil {
		turn, end = c.Person.Turn(ctx)
	}
	defer end()
	run := c.Agent.RunEvents
	if c.Begin != nil {
		run = c.Begin()
	}
	for result := waiting; ; {
		var err error
		if result != nil {
			if in, err = c.ask(turn, result); err != nil || in.Thread == "" { // nobody has answered
				return err
			}
		}
		if result, err = c.stretch(turn, run, in, shown); err != nil {
			return c.stopped(ctx, turn, result, err)
		}
		if result.Status != host.Interrupted {
			return shown.over(result)
		}
	}
}

// stretch performs the run up to a question, or its end.
func (c *Chat) stretch(ctx context.Context, run Run, in host.Input, shown *transcript) (*host.Result, error) {
	result, err := run(ctx, in, shown.event)
	c.Screen.Idle()
	if ending := c.Screen.End(); err == nil {
		err = ending
	}
	return result, err
}

// ask asks what the run waits for. An input without a thread says that nobody has answered.
func (c *Chat) ask(ctx context.Context, result *host.Result) (host.Input, error) {
	if c.Person == nil {
		return host.Input{}, &WaitingError{result}
	}
	next, err := c.Person.Ask(ctx, result)
	if errors.Is(err, prompt.ErrLeft) {
		c.Screen.Notef("· the run waits before %s: /retry asks again, a message gives it up", terminal.Line(result.Next))
		return host.Input{}, nil
	}
	return next, err
}

// stopped tells of a run that the person has stopped, or returns why it failed.
func (c *Chat) stopped(ctx, turn context.Context, result *host.Result, err error) error {
	switch {
	case c.Person == nil:
		return &TurnError{result, err}
	case turn.Err() == nil && result.Next != "":
		return fmt.Errorf("%w\n  the run stopped before %s: /retry goes on with it, a message gives it up", err, terminal.Line(result.Next))
	case turn.Err() == nil || ctx.Err() != nil:
		return err
	case result.Next == "":
		c.Screen.Notef("· stopped before it began: /retry sends the message again")
		return nil
	}
	c.Screen.Notef("· stopped before %s: /retry goes on, a message gives it up", terminal.Line(result.Next))
	return nil
}
