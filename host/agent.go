package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Agent is a compiled agent. Its methods may be called from several goroutines at once.
type Agent struct {
	swapping sync.Mutex // one Swap at a time

	mu      sync.Mutex
	idle    sync.Cond // no run is going on
	present *build    // what runs that begin now are given
	runs    int
	closed  bool // no run begins any more
	over    bool // everything is closed
}

// ErrClosed is the error of a run, or a Swap, of an agent that is closed.
var ErrClosed = errors.New("the agent is closed")

// New builds an agent: it makes the hooks of all middleware, checks that they fit together, and compiles the program.
// An agent must be closed. The error is a [*ConfigError]; what was built until then is closed.
func New(config Config) (*Agent, error) { return NewContext(context.Background(), config) }

// NewContext is [New] with a context that can stop slow builds, such as the compilation of plugins.
func NewContext(ctx context.Context, config Config) (*Agent, error) {
	config.Middleware = slices.Clone(config.Middleware)
	b, err := newBuild(ctx, config, nil)
	if err != nil {
		return nil, err
	}
	a := &Agent{present: b}
	a.idle.L = &a.mu
	b.hold()
	return a, nil
}

// Swap puts a middleware in the place of the one with this name, which it keeps in steps and events. It builds the agent
// anew around it, beside the runs that are going on: those end with the middleware that they began with, which is closed
// after the last of them, and runs that begin later have the new one. After an error everything is as it was.
//
// A plugin is loaded, configured and tried before the switch, so that one that does not load never serves.
func (a *Agent) Swap(ctx context.Context, name string, m Middleware) error {
	a.swapping.Lock()
	defer a.swapping.Unlock()
	return a.swap(ctx, name, m)
}

func (a *Agent) swap(ctx context.Context, name string, m Middleware) error {
	a.mu.Lock()
	old := a.present
	closed := a.closed
	a.mu.Unlock()
	if closed {
		return ErrClosed
	}
	at := slices.IndexFunc(old.middleware, func(m *boundMiddleware) bool { return m.name == name })
	if at < 0 {
		names := make([]string, len(old.middleware))
		for i := range names {
			names[i] = old.middleware[i].name
		}
		return &ConfigError{fmt.Sprintf("middleware %q", name), fmt.Errorf("the agent has none of this name; it has %q", names)}
	}
	config := old.config
	config.Middleware = slices.Clone(config.Middleware)
	config.Middleware[at] = m
	if m != nil && m.Name() != name {
		config.Middleware[at] = alias{m, name}
	}
	kept := map[int]*boundMiddleware{}
	for i, bound := range old.middleware {
		if i != at {
			kept[i] = bound
		}
	}
	b, err := newBuild(ctx, config, kept)
	if err != nil {
		return err
	}
	b.alerts = old.alerts // they count on
	a.mu.Lock()
	b.hold()
	a.present = b
	over := old.release()
	a.mu.Unlock()
	closeReplaced(b, over)
	return nil
}

// closeReplaced closes middleware that was swapped and that no run has any more. That it fails changes nothing for who
// swapped it.
func closeReplaced(b *build, over []*boundMiddleware) {
	if err := closeMiddleware(over); err != nil {
		b.logger.Warn("closing middleware that was swapped", "error", err)
	}
}

// alias is a middleware under the name of the one that it replaces.
type alias struct {
	Middleware

	name string
}

func (c alias) Name() string { return c.name }

func (c alias) Unwrap() Middleware { return c.Middleware }

// hold notes a user of the build; the first one makes it a user of its middleware.
func (b *build) hold() {
	b.users++
	if b.users > 1 {
		return
	}
	for _, m := range b.middleware {
		m.builds++
	}
}

// release ends a use of the build and returns the middleware that nobody uses any more.
func (b *build) release() (over []*boundMiddleware) {
	b.users--
	if b.users > 0 {
		return nil
	}
	for _, m := range b.middleware {
		m.builds--
		if m.builds == 0 {
			over = append(over, m)
		}
	}
	return over
}

// enter begins a run: it returns the build that the run has until its end. notices tell of middleware that changed and
// could not be made again. A run that has begun must leave.
func (a *Agent) enter(ctx context.Context) (b *build, notices []string, err error) {
	a.mu.Lock()
	if a.closed {
		defer a.mu.Unlock()
		return a.present, nil, ErrClosed
	}
	a.runs++
	watches := a.present.watches
	a.mu.Unlock()
	if watches {
		notices = a.renew(ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.present.hold()
	return a.present, notices, nil
}

// leave ends a run.
func (a *Agent) leave(b *build) {
	a.mu.Lock()
	over := b.release()
	a.mu.Unlock()
	closeReplaced(b, over)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs--
	if a.runs == 0 {
		a.idle.Broadcast()
	}
}

// renew makes middleware again that says that it has changed. If one cannot be made, the agent goes on with what it has.
// A run that finds another one at it goes on too. That this run ends meanwhile does not end it: a change is told once.
func (a *Agent) renew(ctx context.Context) (notices []string) {
	if !a.swapping.TryLock() {
		return nil
	}
	defer a.swapping.Unlock()
	a.mu.Lock()
	b := a.present
	a.mu.Unlock()
	for _, m := range b.middleware {
		if m.hooks.Changed == nil || !m.hooks.Changed() {
			continue
		}
		if err := a.swap(context.WithoutCancel(ctx), m.name, m.config); err != nil {
			notices = append(notices, fmt.Sprintf("middleware %q changed, and the run goes on without the change: %v", m.name, err))
		}
	}
	return notices
}

// Close waits for the runs and for a Swap that are going on, which a caller in a hurry cancels before, and closes all
// middleware, the last first. A hook must not call it: it would wait for itself.
func (a *Agent) Close() error {
	a.mu.Lock()
	a.closed = true
	for a.runs > 0 {
		a.idle.Wait()
	}
	a.mu.Unlock()
	a.swapping.Lock() // nobody is swapping, or closing
	defer a.swapping.Unlock()
	a.mu.Lock()
	var over []*boundMiddleware
	if !a.over {
		a.over = true
		over = a.present.release()
	}
	a.mu.Unlock()
	return closeMiddleware(over)
}
