package host

import (
	"context"
	"slices"
)

// Reconfigure builds the agent again from another configuration while runs go on. These runs keep what they began with, and runs that
// begin later use the new configuration. After an error nothing has changed.
//
// When no run uses the former configuration any more, its middleware is closed and over is called, which may be nil. It is the place to
// release what that configuration holds, such as the connections of its tools. After Close, the caller releases what the present
// configuration holds.
func (a *Agent) Reconfigure(ctx context.Context, config Config, over func()) error {
	a.swapping.Lock()
	defer a.swapping.Unlock()
	old, err := a.open()
	if err != nil {
		return err
	}
	config.Middleware = slices.Clone(config.Middleware)
	b, err := newBuild(ctx, config, nil)
	if err != nil {
		return err
	}
	b.generation = &generation{}
	a.mu.Lock()
	old.generation.over = over
	a.mu.Unlock()
	a.replace(old, b)
	return nil
}

// Remake makes all middleware again from the same configuration, as after a change of their files, while runs go on. It does to each
// middleware what [Agent.Swap] does to one; models and tools stay. After an error nothing has changed.
func (a *Agent) Remake(ctx context.Context) error {
	a.swapping.Lock()
	defer a.swapping.Unlock()
	old, err := a.open()
	if err != nil {
		return err
	}
	return a.rebuild(ctx, old, old.config, nil)
}

// open returns the present build, or [ErrClosed].
func (a *Agent) open() (*build, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, ErrClosed
	}
	return a.present, nil
}
