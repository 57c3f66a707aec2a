package host

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// build is an agent as it is built from a configuration. It does not change: where a middleware is swapped, another
// build takes its place for the runs that begin then.
type build struct {
	config     Config
	logger     *slog.Logger
	middleware []*boundMiddleware
	fields     fieldTable
	tools      toolSet
	program    *program
	identity   *checkpoint.Program
	modelWraps []modelWrap
	modelNeeds needs
	toolWraps  []toolWrap
	system     abi.Content
	respond    *responder     // nil: answers are texts
	context    *contextSchema // nil: every context fits
	toolCalls  ToolCallConfig
	alerts     []*alert
	limit      int
	watches    bool            // a middleware can tell that it has changed, or the tools can be refreshed
	advice     []string        // on the order of the middleware and the names of tools
	protects   map[string]bool // the advice without which something that protects does not: it is worth an interruption

	made []*boundMiddleware // for this build; the others were there

	generation *generation // of its configuration

	users *int // runs, and one for the agent while it is the present one; the agent's lock guards it
}

// boundMiddleware is a middleware in its agent. Several builds may share it.
type boundMiddleware struct {
	name   string
	config Middleware
	hooks  *Hooks

	builds int // that have it; the agent's lock guards it
}

// generation is what the builds of one configuration have in common: the models and tools that the configuration brings. Swap makes
// another build of the same generation, and Reconfigure begins another generation.
type generation struct {
	builds int    // that have it; the agent's lock guards it
	over   func() // releases what the configuration holds; nil: its owner does that after closing the agent
}

// newBuild builds an agent. present are middleware that are there already, by their place in the list; the others are
// made. After an error, what was made is closed.
func newBuild(ctx context.Context, config Config, present map[int]*boundMiddleware) (a *build, err error) {
	a = &build{config: config, logger: config.Logger, limit: config.RecursionLimit, watches: config.RefreshTools != nil, users: new(int)}
	if a.logger == nil {
		a.logger = slog.New(slog.DiscardHandler)
	}
	if a.limit == 0 {
		a.limit = DefaultRecursionLimit
	}
	a.system = config.SystemPrompt
	defer func() {
		if err == nil {
			return
		}
		a, err = nil, errors.Join(err, closeMiddleware(a.made))
	}()
	if err := a.check(); err != nil {
		return a, err
	}
	if err := a.bindMiddleware(ctx, present); err != nil {
		return a, err
	}
	if err := a.bindFields(); err != nil {
		return a, err
	}
	if err := a.bindTools(); err != nil {
		return a, err
	}
	if a.respond, err = newResponder(config.ResponseFormat, &a.tools); err != nil {
		return a, &ConfigError{ConfigSubject{Kind: SubjectResponseFormat}, err}
	}
	if a.context, err = newContextSchema(config.ContextSchema); err != nil {
		return a, err
	}
	if err := a.checkAlerts(); err != nil {
		return a, err
	}
	tools := len(a.tools.ordered) > 0 || a.wrapsCalls()
	if a.program, err = compileProgram(a.middleware, tools || a.respond.offersTools()); err != nil {
		return a, err
	}
	if a.program.breaks, err = a.program.breakAt(config.InterruptBefore, config.InterruptAfter, nil); err != nil {
		return a, err
	}
	a.program.returns, a.program.responds = a.tools.returns(), a.respond != nil
	a.program.mustRespond = a.respond.offersTools() && !tools
	a.identify()
	if err := a.bindNeeds(); err != nil {
		return a, err
	}
	a.advise()
	for _, text := range a.advice {
		level := slog.LevelInfo
		if a.protects[text] {
			level = slog.LevelWarn
		}
		a.logger.Log(ctx, level, text, logEvent, EventWarn)
	}
	return a, nil
}

func (a *build) check() (err error) {
	if a.toolCalls, err = a.config.ToolCalls.withDefaults(); err != nil {
		return &ConfigError{ConfigSubject{Kind: SubjectToolCalls}, err}
	}
	a.alerts = newAlerts(a.toolCalls.Alert)
	switch {
	case a.config.Model == nil:
		return &ConfigError{ConfigSubject{}, errors.New("Config.Model is missing")}
	case !slices.Contains([]Durability{"", DurabilityRound, DurabilityStep, DurabilityExit}, a.config.Durability):
		return &ConfigError{ConfigSubject{}, fmt.Errorf("Durability is %q; use %q, %q or %q", a.config.Durability,
			DurabilityRound, DurabilityStep, DurabilityExit)}
	case a.limit < 0:
		return &ConfigError{ConfigSubject{}, fmt.Errorf("RecursionLimit is %d; it must be positive, or 0 for %d", a.limit, DefaultRecursionLimit)}
	}
	return nil
}

func (a *build) bindMiddleware(ctx context.Context, present map[int]*boundMiddleware) error {
	taken := map[string]bool{}
	for i, m := range a.config.Middleware {
		if m == nil {
			return &ConfigError{ConfigSubject{Kind: SubjectMiddleware, Index: i}, errors.New("is nil")}
		}
		name := m.Name()
		if name == "" {
			return &ConfigError{ConfigSubject{Kind: SubjectMiddleware, Index: i}, errors.New("has no name; its method Name must return one")}
		}
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", m.Name(), n)
		}
		taken[name] = true
		bound := present[i]
		if bound == nil {
			var err error
			if bound, err = a.bind(ctx, name, m); err != nil {
				err = &ConfigError{ConfigSubject{Kind: SubjectMiddleware, Name: name, Index: i}, err}
				return err
			}
			a.made = append(a.made, bound)
		}
		a.middleware = append(a.middleware, bound)
		a.watches = a.watches || bound.hooks.Changed != nil
		a.modelWraps = appendModelWrap(a.modelWraps, bound)
		a.toolWraps = appendToolWrap(a.toolWraps, bound)
	}
	return nil
}

// subject is the middleware at a place in the list, for errors.
func (a *build) subject(i int) ConfigSubject {
	return ConfigSubject{Kind: SubjectMiddleware, Name: a.middleware[i].name, Index: i}
}

// bind makes the hooks of a middleware.
func (a *build) bind(ctx context.Context, name string, m Middleware) (*boundMiddleware, error) {
	env := Env{
		Name: name, Agent: a.config.Name, Logger: a.logger.With("middleware", name), Model: a.config.Model, Models: a.config.Models,
		Tools: a.config.Tools, Store: a.config.Store, Checkpointer: a.config.Checkpointer,
		Middleware: slices.Clone(a.config.Middleware), SystemPrompt: a.config.SystemPrompt, config: &a.config,
	}
	hooks, err := makeHooks(ctx, m, env)
	if err == nil && hooks == nil {
		err = errors.New("Hooks returned nil")
	}
	if err != nil {
		return nil, err
	}
	return &boundMiddleware{name: name, config: m, hooks: hooks}, nil
}

// makeHooks lets a middleware make its hooks; a panic becomes a [*PanicError].
func makeHooks(ctx context.Context, m Middleware, env Env) (hooks *Hooks, err error) {
	defer catchPanic(&err)
	return m.Hooks(ctx, env)
}

func (a *build) bindFields() error {
	if err := a.fields.declare(ConfigSubject{Kind: SubjectState}, a.config.State); err != nil {
		return err
	}
	if a.config.ResponseFormat != nil {
		if err := a.fields.declare(ConfigSubject{Kind: SubjectResponseFormat}, []Field{structuredField.Field}); err != nil {
			return err
		}
	}
	for i, m := range a.middleware {
		if err := a.checkRepeated(i); err != nil {
			return err
		}
		if err := a.fields.declare(a.subject(i), m.hooks.State); err != nil {
			return err
		}
	}
	for i, m := range a.middleware {
		for _, name := range m.hooks.Uses {
			if _, ok := a.fields.slots[name]; !ok {
				return &ConfigError{a.subject(i), fmt.Errorf(
					"it uses the field %q, which nobody declares; add the middleware that declares it to the list", name)}
			}
		}
	}
	return nil
}

// checkRepeated returns an error if a middleware that owns fields is the same module as an earlier one: the error about its first field
// would not say so.
func (a *build) checkRepeated(at int) error {
	m := a.middleware[at]
	if m.hooks.Digest == "" || !slices.ContainsFunc(m.hooks.State, func(f Field) bool { return f.Exclusive }) {
		return nil
	}
	for i, earlier := range a.middleware[:at] {
		if earlier.hooks.Digest == m.hooks.Digest {
			return &ConfigError{a.subject(at), fmt.Errorf("the plugin is listed twice: entry %d of the middleware, %q, is the same module, "+
				"and its fields can have only one owner; remove one of the entries", i+1, earlier.name)}
		}
	}
	return nil
}

// bindNeeds works out what each chain of wraps must lease, in the order of the middleware.
func (a *build) bindNeeds() error {
	owners := a.poolOwners()
	chain := needs(nil)
	for i := range a.modelWraps {
		chain = chain.add(a.modelWraps[i].hook.Pool)
	}
	var err error
	if a.modelNeeds, err = chain.ordered(owners); err != nil {
		return &ConfigError{ConfigSubject{Kind: SubjectHooks, Name: string(abi.WrapModelCall)}, err}
	}
	return a.tools.bindNeeds(a.toolWraps, owners)
}

// poolOwners returns the middleware that each pool belongs to.
func (a *build) poolOwners() map[*Pool]poolOwner {
	owners := map[*Pool]poolOwner{}
	for i, m := range a.middleware {
		for _, p := range m.pools() {
			owners[p] = poolOwner{i, m.name}
		}
	}
	return owners
}

// pools returns the pools that the middleware's hooks and tools use.
func (m *boundMiddleware) pools() []*Pool {
	h := m.hooks
	all := []*Pool{h.BeforeAgent.Pool, h.BeforeModel.Pool, h.AfterModel.Pool, h.AfterAgent.Pool, h.WrapModelCall.Pool, h.WrapToolCall.Pool}
	for _, t := range h.Tools {
		if pooled, ok := t.(ToolPooled); ok {
			all = append(all, pooled.Pool())
		}
	}
	return all
}

// closeMiddleware closes middleware, the last first.
func closeMiddleware(all []*boundMiddleware) error {
	var errs []error
	for _, m := range slices.Backward(all) {
		if m.hooks.Close == nil {
			continue
		}
		if err := m.hooks.Close(); err != nil {
			errs = append(errs, fmt.Errorf("middleware %q: close: %w", m.name, err))
		}
	}
	return errors.Join(errs...)
}

func (a *build) now() time.Time {
	if a.config.Clock != nil {
		return a.config.Clock()
	}
	return time.Now() //nolint:forbidigo // the default of the clock in Config
}

func (a *build) seed() uint64 {
	if a.config.Seed != nil {
		return a.config.Seed()
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint64(b[:])
}
