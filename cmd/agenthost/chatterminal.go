package main

import (
	"context"
	"os"
	"os/signal"

	"golang.org/x/term"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/host"
)

// atTerminal prepares the chat for a person at a terminal. The caller must call release at the end.
func (c *chatSession) atTerminal(keys *chat.Keyboard) (release func()) {
	screen, notes := c.chat.Screen, c.err
	editor := chat.NewEditor(keys, notes)
	editor.Complete = c.chat.Complete
	ahead := &typeAhead{keys: keys, editor: editor, notes: notes, terminal: -1}
	if file, ok := c.in.(*os.File); ok {
		editor.Raw = func() (func(), chat.Size, error) { return raw(int(file.Fd())) }
		screen.Ticks = ticks()
		ahead.terminal = int(file.Fd())
	}
	ask := func(ctx context.Context) *prompt.Prompt {
		edit := &prompt.Editor{In: c.in, Out: notes, Hold: c.interrupt.hold}
		return &prompt.Prompt{In: prompt.NewLines(keys.During(ctx)), Out: notes, Edit: edit.Edit}
	}
	c.chat.Messages = editor
	c.chat.Person = &chat.Person{
		Turn: func(ctx context.Context) (context.Context, func()) {
			ahead.begin()
			turn, end := c.interrupt.during(ctx)
			return turn, func() { end(); ahead.end() }
		},
		Ask: func(ctx context.Context, result *host.Result) (host.Input, error) {
			resume := ahead.pause()
			defer resume()
			c.prompt = ask(ctx)
			return c.ask(ctx, result)
		},
		GiveUp: func(ctx context.Context) (bool, error) {
			resume := ahead.pause()
			defer resume()
			c.prompt = ask(ctx)
			return c.confirmGiveUp(ctx)
		},
		Explain: withHint,
	}
	if c.hold == nil {
		return func() {}
	}
	return c.hold() // Ctrl-C stops a turn or clears the line, and does not end the command
}

// raw puts the terminal into raw mode and returns its size.
func raw(terminal int) (restore func(), size chat.Size, err error) {
	state, err := term.MakeRaw(terminal)
	if err != nil {
		return nil, size, err
	}
	size.Columns, size.Rows, err = term.GetSize(terminal)
	if err != nil || size.Columns < 1 || size.Rows < 1 {
		size = chat.Size{Columns: 80, Rows: 24}
	}
	return func() { _ = term.Restore(terminal, state) }, size, nil // fails only if the terminal is gone
}

// interrupts stops turns by Ctrl-C, unless another program has the terminal.
type interrupts struct{ terminalHold }

// during returns a context that Ctrl-C cancels, and a function that stops listening for it.
func (i *interrupts) during(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, os.Interrupt)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-arrived:
				if !i.held() {
					cancel()
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(arrived)
		close(done)
		<-ended
		cancel()
	}
}
