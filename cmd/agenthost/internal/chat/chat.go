package chat

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/attachment"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Agent performs the turns of a chat: a [host.Agent], or one on a server.
type Agent interface {
	RunEvents(ctx context.Context, in host.Input, handle func(host.Event) error) (*host.Result, error)
	State(ctx context.Context, thread string, at checkpoint.ID) (*host.Snapshot, error)
}

// Chat is a conversation in one thread of an agent.
type Chat struct {
	Agent         Agent
	Thread        string
	AcceptChanges bool // see [host.Input]
	// Threads is the store of the agent's threads. It may be nil: then there are neither /rules nor /revoke.
	Threads checkpoint.Store
	// List yields the threads that /threads shows. If it is nil, those of Threads are shown.
	List func(ctx context.Context) iter.Seq2[threadview.Summary, error]
	// Graph returns the steps of the agent as a Mermaid flowchart, for /graph. It may be nil.
	Graph func() string
	// GiveUp lets a message give up a run that waits for an answer. Otherwise a person is asked first, and without a person such a
	// message is refused with [host.ErrWaiting].
	GiveUp bool

	Messages Reader
	Screen   *Screen
	Verbose  bool // also show the arguments and results of tools, and reasoning
	Quiet    bool // do not show tools

	// Person is the user at a terminal, or nil. With a person, answers show as they arrive, and a failed turn does not end the
	// conversation.
	Person *Person
	// Begin returns the function that performs a turn. If it is nil, the agent's RunEvents does.
	Begin func() Run
	// Takes returns an error if no model of the agent takes these files. If it is nil, all are taken.
	Takes func(files ...*attachment.File) error
	// NewThread returns the name of a new thread, for /new. If it is nil, there is no /new.
	NewThread func() string
	// Model is the name of the model, and SwitchModel builds the agent with another model and returns that model's name: see /model. If
	// SwitchModel is nil, the model stays.
	Model       string
	SwitchModel func(ctx context.Context, name string) (model string, err error)
	// Tools returns the tools that /tools shows. It may be nil.
	Tools func() []abi.ToolSpec
	// PromptServers returns the servers whose prompts /prompt lists and sends. It may be nil.
	PromptServers func() []PromptServer

	last     []abi.Message      // what was sent last
	attached []*attachment.File // of the next message
	turns    int
	warned   map[string]bool // see Live
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
	// GiveUp asks the person whether to give up the thread's run, which waits for an answer. The error is [prompt.ErrLeft] if the
	// person does not answer.
	GiveUp func(context.Context) (bool, error)
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
	c.Screen.Notef("error: %s", errortext.Of(err))
}

// handle performs a command or sends a message.
func (c *Chat) handle(ctx context.Context, text string) error {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return nil
	case strings.HasPrefix(trimmed, "//"): // a message that begins with a slash
		return c.say(ctx, strings.Replace(text, "//", "/", 1))
	case strings.HasPrefix(trimmed, "/"):
		return c.command(ctx, trimmed)
	default:
		return c.say(ctx, text)
	}
}

// say sends a text with the files that were added.
func (c *Chat) say(ctx context.Context, text string) error {
	m := attachment.Message(text, c.attached...)
	c.attached = nil
	return c.send(ctx, []abi.Message{m})
}

// send starts a run with messages. It abandons an unfinished run of the thread, whose effects remain; if that run waits for an answer,
// only if the person agrees.
func (c *Chat) send(ctx context.Context, messages []abi.Message) error {
	c.last = messages
	in := host.Input{Thread: c.Thread, Messages: messages, KeepWaiting: !c.GiveUp}
	err := c.turn(ctx, in, nil)
	if c.Person == nil || !errors.Is(err, host.ErrWaiting) {
		return err
	}
	switch yes, err := c.giveUp(ctx); {
	case err != nil && !errors.Is(err, prompt.ErrLeft):
		return err
	case !yes:
		c.Screen.Notef("· the message was not sent, and the run still waits: /retry asks again")
		return nil
	}
	in.KeepWaiting = false
	return c.turn(ctx, in, nil)
}

// giveUp asks the person whether to give up the run that waits.
func (c *Chat) giveUp(ctx context.Context) (bool, error) {
	ctx, end := c.Person.Turn(ctx)
	defer end()
	return c.Person.GiveUp(ctx)
}

// turn performs a run to its end, including the answers of the person. The input starts or continues the run; if waiting is
// not nil, the run waits for answers first.
func (c *Chat) turn(ctx context.Context, in host.Input, waiting *host.Result) error {
	c.turns++
	if c.warned == nil {
		c.warned = map[string]bool{}
	}
	shown := &Live{Screen: c.Screen, Verbose: c.Verbose, Quiet: c.Quiet, Streams: c.Person != nil, warned: c.warned}
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
			return shown.Over(result)
		}
	}
}

// stretch performs the run up to a question or its end.
func (c *Chat) stretch(ctx context.Context, run Run, in host.Input, shown *Live) (*host.Result, error) {
	result, err := run(ctx, in, shown.Event)
	if ending := shown.Pause(); err == nil {
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
		c.Screen.Notef("· the run waits before %s: /retry asks again, a new message abandons the run if you confirm it", terminal.Line(result.Next))
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
		return errortext.Advise(err, "  the run stopped before "+terminal.Line(result.Next)+": /retry continues it, a new message abandons it")
	case turn.Err() == nil || ctx.Err() != nil:
		return err
	case result.Next == "":
		c.Screen.Notef("· stopped before the run started: /retry sends the message again")
		return nil
	}
	c.Screen.Notef("· stopped before %s: /retry continues, a new message abandons the run", terminal.Line(result.Next))
	return nil
}
