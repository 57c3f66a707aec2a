package host

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// This file is what an agent offers to agents inside of it: those that its tools run.

// Inner returns the configuration of an agent inside of this one. It has the agent's model and named models, tools, fields,
// store, checkpointer, durability, limits, logger and clock; no system prompt, no middleware, no breakpoints and no alerts.
// Its name is that of the agent, a dot, and name.
func (e *Env) Inner(name string) Config {
	inner := Config{
		Name: name, Model: e.Model, Models: maps.Clone(e.Models), Tools: slices.Clone(e.Tools),
		Checkpointer: e.Checkpointer, Store: e.Store, Logger: e.Logger,
	}
	if e.Agent != "" {
		inner.Name = e.Agent + "." + name
	}
	if outer := e.config; outer != nil {
		inner.State, inner.Durability, inner.RecursionLimit = slices.Clone(outer.State), outer.Durability, outer.RecursionLimit
		inner.ToolCalls, inner.Clock, inner.Seed = outer.ToolCalls, outer.Clock, outer.Seed
		inner.ToolCalls.Alert = nil
	}
	return inner
}

// Fields returns the declarations of the agent's fields, those of middleware included.
func (a *Agent) Fields() []Field {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.present.fields.declared()
}

// Declared returns the declarations of the fields of the agent whose state it is.
func (s *State) Declared() []Field { return s.table.declared() }

func (t *fieldTable) declared() []Field {
	out := make([]Field, len(t.fields))
	for i := range t.fields {
		out[i] = t.fields[i].Field
	}
	return out
}

// Forget removes a thread with all its checkpoints; one that is not there is removed already. A run that stopped in it, and could
// have gone on, is over then: see [Hooks.End]. No run may have it open. The error, a [*ThreadError], is [ErrNoCheckpointer], or one
// of [checkpoint.Store.Delete].
func (a *Agent) Forget(ctx context.Context, thread string) error {
	b, _, err := a.enter(ctx)
	if err == nil {
		defer a.leave(b)
	} // else it is closed, and has no hooks any more
	keeper := b.config.Checkpointer
	if keeper == nil {
		return &ThreadError{thread, ErrNoCheckpointer}
	}
	held, _ := keeper.Load(ctx, thread, 0) // what cannot be read is removed too
	if err := keeper.Delete(ctx, thread); err != nil && !errors.Is(err, checkpoint.ErrNoThread) {
		return &ThreadError{thread, err}
	}
	if err == nil && held != nil && held.Record.Checkpoint.Next != "" {
		b.tellEnd(ctx, held.Record.Checkpoint.Run.ID)
	}
	return nil
}

// CallID returns the id of the tool call that this is, or is inside of: the innermost, where hooks and tools call tools. It is ""
// in hooks that are steps.
func (rt *Runtime) CallID() string { return cmp.Or(rt.nested, rt.callID) }

// AcceptsChanges reports whether the run goes on with another program than it began with, see Input.AcceptChanges.
func (rt *Runtime) AcceptsChanges() bool { return rt.run.input.AcceptChanges }

// Spend counts tokens that a tool or hook has used up by itself, such as those of an agent that it runs, as the run's. Those of
// [Runtime.Generate] are counted already.
func (rt *Runtime) Spend(spent abi.Usage) { rt.run.budget.usage.add([]abi.Message{{Usage: &spent}}) }
