package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"golang.org/x/term"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
)

// atTerminal prepares the chat for a person, until the function is called that it returns.
func (c *chatting) atTerminal(keys *chat.Keyboard) (release func()) {
	screen, notes := c.chat.Screen, c.err
	editor := chat.NewEditor(keys, notes, chat.Commands()...)
	if file, ok := c.in.(*os.File); ok {
		editor.Raw = func() (func(), int, error) { return raw(int(file.Fd())) }
		screen.Ticks = func() (<-chan time.Time, func()) {
			ticker := time.NewTicker(tick)
			return ticker.C, ticker.Stop
		}
	}
	c.chat.Messages = editor
	c.chat.Person = &chat.Person{
		Turn: c.interrupt.during,
		Ask: func(ctx context.Context, result *host.Result) (host.Input, error) {
			edit := &prompt.Editor{In: c.in, Out: notes, Hold: c.interrupt.hold}
			c.asking = &prompt.Prompt{In: prompt.NewLines(keys.During(ctx)), Out: notes, Edit: edit.Edit}
			return c.ask(ctx, result)
		},
		Explain: explained,
	}
	if c.hold == nil {
		return func() {}
	}
	return c.hold() // Ctrl-C is for a turn, or the line that is edited
}

// tick is how often it moves what shows that something goes on.
const tick = 120 * time.Millisecond

// raw takes the terminal from the system's own line editor, and tells how wide it is.
func raw(terminal int) (restore func(), width int, err error) {
	state, err := term.MakeRaw(terminal)
	if err != nil {
		return nil, 0, err
	}
	if width, _, err = term.GetSize(terminal); err != nil || width < 1 {
		width = 80
	}
	return func() { _ = term.Restore(terminal, state) }, width, nil // the terminal may be gone
}

// interrupts are the times when a Ctrl-C stops a turn.
type interrupts struct{ holding }

// during returns a context that Ctrl-C ends, and what ends the watching for it.
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
