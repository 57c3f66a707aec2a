package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Chat is a conversation in one thread of an agent.
type Chat struct {
	Agent         *host.Agent // its Checkpointer is Threads
	Threads       checkpoint.Store
	Thread        string
	AcceptChanges bool // see [host.Input]

	Messages Reader
	Screen   *Screen
	Verbose  bool // also show the arguments and results of tools, and reasoning
	Quiet    bool // do not show tools

	// Person is the user at a terminal, or nil. With a person, answers show as they arrive, and a failed turn does not end the
	// conversation.
	Person *Person
	// Begin returns the function that performs a turn. If it is nil, the agent's RunEvents does.
	Begin func() Run
	// Tools returns the tools that /tools shows.
	Tools func() []abi.ToolSpec

	last  string // the last prompt sent
	turns int
}

// Run performs a stretch of a turn, up to a question or the end.
type Run func(ctx context.Context, in host.Input, handle func(host.Event) error) (*host.Result, error)

// Person is what a user at a terminal can do during a turn.
type Person struct {
	// Turn returns a context that ends when the person stops the turn, and a function that releases it.
	Turn func(context.Context) (context.Context, func())
	// Ask puts the questions of a run to the person, and returns the input that continues the run. The error is
	// [prompt.ErrLeft] if the person does not answer.
	Ask func(context.Context, *host.Result) (host.Input, error)
	// Explain adds a hint to an error. It may be nil.
	Explain func(error) error
}

// WaitingError says that a run waits for an answer or stopped at a breakpoint, and there is nobody to ask.
type WaitingError struct{ Result *host.Result }

func (e *WaitingError) Error() string {
	return "the run is interrupted and waits before " + terminal.Line(e.Result.Next)
}

// TurnError says that a turn failed and there is no person to continue.
type TurnError struct {
	Result *host.Result
	Err    error
}

func (e *TurnError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *TurnError) Unwrap() error { return e.Err }

// Welcome shows the state of the thread unless it is empty.
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
		c.Screen.Notef("· /retry continues the run, a new message abandons it")
	}
	return nil
}

// Converse reads messages and runs the agent with each until the input or the context ends.
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

// Turns returns the number of turns so far.
func (c *Chat) Turns() int { return c.turns }

// complain shows an error.
func (c *Chat) complain(err error) {
	if c.Person.Explain != nil {
		err = c.Person.Explain(err)
	}
	c.Screen.Notef("%s", terminal.Text("error: "+err.Error()))
}

// handle performs a command or sends a message.
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

// send starts a run with a message. It abandons an unfinished run of the thread, whose effects remain.
func (c *Chat) send(ctx context.Context, text string) error {
	c.last = text
	return c.turn(ctx, host.Input{Thread: c.Thread, Messages: []abi.Message{abi.Human(text)}}, nil)
}

// turn performs a run to its end, including the answers of the person. The input starts or continues the run; if waiting is
// not nil, the run waits for answers first.
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
			if in, err = c.ask(turn, result); err != nil || in.Thread == "" { // there was no answer
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

// stretch performs the run up to a question or its end.
func (c *Chat) stretch(ctx context.Context, run Run, in host.Input, shown *transcript) (*host.Result, error) {
	result, err := run(ctx, in, shown.event)
	c.Screen.Idle()
	if ending := c.Screen.End(); err == nil {
		err = ending
	}
	return result, err
}

// ask puts the questions of the run to the person. It returns an input without a thread if there was no answer.
func (c *Chat) ask(ctx context.Context, result *host.Result) (host.Input, error) {
	if c.Person == nil {
		return host.Input{}, &WaitingError{result}
	}
	next, err := c.Person.Ask(ctx, result)
	if errors.Is(err, prompt.ErrLeft) {
		c.Screen.Notef("· the run waits before %s: /retry asks again, a new message abandons the run", terminal.Line(result.Next))
		return host.Input{}, nil
	}
	return next, err
}

// stopped reports a run that the person stopped, or returns why it failed.
func (c *Chat) stopped(ctx, turn context.Context, result *host.Result, err error) error {
	switch {
	case c.Person == nil:
		return &TurnError{result, err}
	case turn.Err() == nil && result.Next != "":
		return fmt.Errorf("%w\n  the run stopped before %s: /retry continues it, a new message abandons it", err, terminal.Line(result.Next))
	case turn.Err() == nil || ctx.Err() != nil:
		return err
	case result.Next == "":
		c.Screen.Notef("· stopped before the run started: /retry sends the message again")
		return nil
	}
	c.Screen.Notef("· stopped before %s: /retry continues, a new message abandons the run", terminal.Line(result.Next))
	return nil
}
