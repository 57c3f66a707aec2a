package chat

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

// startThread begins a new thread.
func (c *Chat) startThread(context.Context) error {
	if c.NewThread == nil {
		return &CommandError{"/new: this chat has one thread only"}
	}
	c.moveTo(c.NewThread())
	c.Screen.Notef("· new thread %s", terminal.Line(c.Thread))
	return nil
}

// resumeThread continues another thread, which must exist.
func (c *Chat) resumeThread(ctx context.Context, thread string) error {
	err := checkpoint.CheckName(thread)
	if err == nil {
		_, err = c.Agent.State(ctx, thread, 0)
	}
	if err != nil {
		if errors.Is(err, checkpoint.ErrNoThread) {
			err = fmt.Errorf("%w; /threads lists the threads", checkpoint.ErrNoThread)
		}
		return &CommandError{fmt.Sprintf("/resume %s: %v", terminal.Line(thread), err)}
	}
	c.moveTo(thread)
	c.Screen.Notef("· thread %s", terminal.Line(thread))
	return c.Welcome(ctx)
}

// moveTo goes on in another thread. What was meant for the one before does not follow: neither its last message, which /retry would
// send again, nor the files that were added to the next one.
func (c *Chat) moveTo(thread string) { c.Thread, c.last, c.attached = thread, nil, nil }

// model shows the name of the model.
func (c *Chat) model(context.Context) error {
	c.Screen.Notef("· model %s", terminal.Line(c.Model))
	return nil
}

// switchModel uses another model from the next message on. After an error the present one stays.
func (c *Chat) switchModel(ctx context.Context, name string) error {
	if c.SwitchModel == nil {
		return &CommandError{"/model: this chat cannot change its model"}
	}
	model, err := c.SwitchModel(ctx, name)
	if err != nil {
		return &CommandError{fmt.Sprintf("/model: %v (the model is still %s)", err, terminal.Line(c.Model))}
	}
	c.Model = model
	if len(c.attached) > 0 && c.Takes != nil {
		if err := c.Takes(c.attached...); err != nil {
			c.Screen.Notef("· the files that were added are removed from the next message: %s", terminal.Line(err.Error()))
			c.attached = nil
		}
	}
	return c.model(ctx)
}

// clear clears the terminal.
func (c *Chat) clear(context.Context) error {
	if c.Person != nil {
		c.Screen.Notef("\x1b[H\x1b[2J\x1b[3J")
	}
	return nil
}
