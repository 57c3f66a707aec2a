package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Agent is a compiled agent. Its methods may be called from several goroutines at once.
type Agent struct {
	swapping sync.Mutex // one Swap at a time

	mu      sync.Mutex
	idle    sync.Cond // signalled when no run is left
	present *build    // the build for runs that begin now
	runs    int
	closed  bool // no new run may begin
	over    bool // all middleware is closed

	draining atomic.Bool // runs stop where they can be continued, see Drain
}

// ErrClosed is the error of a run or a Swap on a closed agent.
var ErrClosed = errors.New("the agent is closed")

// New builds an agent: it makes the hooks of all middleware, checks that they fit together, and compiles the program.
// The caller must close the agent. The error is a [*ConfigError]; after an error New has closed what it built.
func New(config Config) (*Agent, error) { return NewContext(context.Background(), config) }

// NewContext is like [New], with a context that can stop a slow build such as the compilation of plugins.
func NewContext(ctx context.Context, config Config) (*Agent, error) {
	config.Middleware = slices.Clone(config.Middleware)
	b, err := newBuild(ctx, config, nil)
	if err != nil {
		return nil, err
	}
	b.generation = &generation{}
	a := &Agent{present: b}
	a.idle.L = &a.mu
	b.hold()
	return a, nil
}

// Swap replaces the middleware of this name by m, which keeps the name in steps and events. It rebuilds the agent around m
// while runs go on. These runs keep the old middleware, which is closed after the last of them. Runs that begin later use m.
// After an error nothing has changed.
//
// A plugin is loaded, configured and tried before the switch, so a plugin that does not load never serves a run.
func (a *Agent) Swap(ctx context.Context, name string, m Middleware) error {
	a.swapping.Lock()
	defer a.swapping.Unlock()
	return a.swap(ctx, name, m)
}

func (a *Agent) swap(ctx context.Context, name string, m Middleware) error {
	old, err := a.open()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(old.middleware, func(m *boundMiddleware) bool { return m.name == name })
	if at < 0 {
		names := make([]string, len(old.middleware))
		for i := range names {
			names[i] = old.middleware[i].name
		}
		return &ConfigError{ConfigSubject{Kind: SubjectMiddleware, Name: name}, fmt.Errorf("the agent has no middleware of this name; it has %q", names)}
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
	return a.rebuild(ctx, old, config, kept)
}

// rebuild puts a build with this configuration in the place of old. It shares the middleware in kept with old.
func (a *Agent) rebuild(ctx context.Context, old *build, config Config, kept map[int]*boundMiddleware) error {
	b, err := newBuild(ctx, config, kept)
	if err != nil {
		return err
	}
	b.alerts = old.alerts // they keep counting
	b.generation = old.generation
	a.replace(old, b)
	return nil
}

// replace puts a build in the place of old.
func (a *Agent) replace(old, b *build) {
	a.mu.Lock()
	b.hold()
	a.present = b
	over := old.release()
	a.mu.Unlock()
	closeReplaced(b, over)
}

// closeReplaced closes what was replaced and what no run uses any more. A failure is only logged, since it changes nothing for the
// caller of Swap.
func closeReplaced(b *build, over unused) {
	if err := over.close(); err != nil {
		b.logger.Warn("closing middleware that was replaced", "error", err)
	}
}

// alias is a middleware under the name of the one that it replaces.
type alias struct {
	Middleware

	name string
}

func (c alias) Name() string { return c.name }

func (c alias) Unwrap() Middleware { return c.Middleware }

// hold counts a user of the build; the first user makes the build a user of its middleware.
func (b *build) hold() {
	*b.users++
	if *b.users > 1 {
		return
	}
	for _, m := range b.middleware {
		m.builds++
	}
	b.generation.builds++
}

// unused is what no build uses any more.
type unused struct {
	middleware []*boundMiddleware
	over       func() // of the generation; nil: there is nothing to do
}

func (u unused) close() error {
	err := closeMiddleware(u.middleware)
	if u.over != nil {
		u.over()
	}
	return err
}

// release ends a use of the build and returns what no build uses any more.
func (b *build) release() (over unused) {
	*b.users--
	if *b.users > 0 {
		return over
	}
	for _, m := range b.middleware {
		m.builds--
		if m.builds == 0 {
			over.middleware = append(over.middleware, m)
		}
	}
	b.generation.builds--
	if b.generation.builds == 0 {
		over.over = b.generation.over
	}
	return over
}

// enter begins a run and returns the build that the run keeps until its end. notices report middleware and tools that changed and
// that the agent could not be built with. A run that entered must call leave.
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

// renew builds middleware again that reports a change. If that fails, the agent goes on with what it has. If another run is
// already renewing, this run goes on at once. The end of this run does not stop the work, because a change is reported once.
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
	return append(notices, a.renewTools(ctx)...)
}

// Close waits for all runs and any Swap to end, and then closes all middleware, the last first. To make it return sooner,
// cancel the contexts of the runs and of the Swap. A hook must not call Close, because Close would wait for that hook.
func (a *Agent) Close() error {
	a.mu.Lock()
	a.closed = true
	for a.runs > 0 {
		a.idle.Wait()
	}
	a.mu.Unlock()
	a.swapping.Lock() // no Swap and no other Close is at work
	defer a.swapping.Unlock()
	a.mu.Lock()
	var over unused
	if !a.over {
		a.over = true
		over = a.present.release()
	}
	a.mu.Unlock()
	return over.close()
}
