package host

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
)

// This file holds what an agent offers to the agents that its tools run inside it.

// Inner returns the configuration of an agent inside this one. It takes over the agent's model and named models, tools,
// fields, store, checkpointer, durability, limits, prices, logger, tracer, clock and seeds, but no system prompt, middleware, breakpoints or
// alerts. Its name consists of the agent's name, a dot, and the given name; or of the given name only, if the agent has none.
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
		inner.ToolCalls, inner.Clock, inner.Seed, inner.MayHaveTool = outer.ToolCalls, outer.Clock, outer.Seed, outer.MayHaveTool
		inner.ToolCalls.Alert, inner.Tracer = nil, outer.Tracer
		inner.Prices, inner.MaxCost = outer.Prices, outer.MaxCost
	}
	return inner
}

// Fields returns the declarations of the agent's fields, including those of its middleware.
func (a *Agent) Fields() []Field {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.present.fields.declared()
}

// Declared returns the declarations of all fields that the state may have.
func (s *State) Declared() []Field { return s.table.declared() }

func (t *fieldTable) declared() []Field {
	out := make([]Field, len(t.fields))
	for i := range t.fields {
		out[i] = t.fields[i].Field
	}
	return out
}

// Forget removes a thread with all its checkpoints. A missing thread is not an error. If a run had stopped in the thread and
// could have continued, it is now over, and [Hooks.End] is called for it. No run may have the thread open. The error, a
// [*ThreadError], wraps [ErrNoCheckpointer] or an error of [checkpoint.Store.Delete].
func (a *Agent) Forget(ctx context.Context, thread string) error {
	b, _, err := a.enter(ctx)
	if err == nil {
		defer a.leave(b)
	} // otherwise the agent is closed, and its hooks are gone
	keeper := b.config.Checkpointer
	if keeper == nil {
		return &ThreadError{thread, ErrNoCheckpointer}
	}
	held, _ := keeper.Load(ctx, thread, 0) // an unreadable thread is removed too
	if err := keeper.Delete(ctx, thread); err != nil && !errors.Is(err, checkpoint.ErrNoThread) {
		return &ThreadError{thread, err}
	}
	if err == nil && held != nil && held.Record.Checkpoint.Next != "" {
		b.tellEnd(ctx, held.Record.Checkpoint.Run.ID)
	}
	return nil
}

// CallID returns the id of the tool call that this hook or tool belongs to; the innermost one, if hooks or tools call tools. It is
// "" in hooks that are steps.
func (rt *Runtime) CallID() string { return cmp.Or(rt.nested, rt.callID) }

// AcceptsChanges reports whether the run may continue with a program that differs from the one it began with, see
// Input.AcceptChanges.
func (rt *Runtime) AcceptsChanges() bool { return rt.run.input.AcceptChanges }

// Spend adds tokens that an agent inside a tool or hook has used, and what they cost, to those of the run. A [Purse] has paid for them already, and
// tokens of [Runtime.Generate] are counted already.
func (rt *Runtime) Spend(spent abi.Usage, cost model.Cost) {
	rt.run.budget.usage.add([]abi.Message{{Usage: &spent}}, cost)
}
