package probe

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// Probe is a middleware that a file describes as data.
type Probe struct {
	Name    string
	Fields  []Field
	Tools   []*Tool // added to the agent
	Dynamic []*Tool // for the override "tool" of wrap_tool_call
	hooks   map[abi.Hook]*Hook
}

// Hook is a scripted hook. Its actions run in order.
type Hook struct {
	CanJumpTo []abi.Target // targets of a node hook
	Tools     []string     // wrap_tool_call: only calls of these tools; nil: all
	actions   []action
}

// Hook returns a hook of the probe, or nil if the probe has none of that name.
func (p *Probe) Hook(name abi.Hook) *Hook { return p.hooks[name] }

// Parse reads the object of a probe, in which the models of overrides are names, not objects.
func Parse(raw wire.Raw, path string) (*Probe, error) {
	o := strict.Open(raw, path)
	p := &Probe{hooks: map[abi.Hook]*Hook{}}
	o.Need("type", "name", "hooks")
	o.OneOf("type", "probe")
	p.Name = o.Text("name")
	p.Fields = Fields(o.Object("state"))
	p.Tools = Tools(o.Objects("tools"))
	p.Dynamic = Tools(o.Objects("dynamic_tools"))
	for _, t := range p.Dynamic {
		t.Spec.Dynamic = true
	}
	if hooks := o.Object("hooks"); hooks != nil {
		for _, name := range abi.Hooks() {
			if hook := hooks.Object(string(name)); hook != nil {
				p.hooks[name] = parseHook(name, hook)
			}
		}
		_ = hooks.Done()
	}
	return p, o.Done()
}

func parseHook(name abi.Hook, o *strict.Object) *Hook {
	h := &Hook{}
	o.Need("do")
	switch {
	case name.IsNode():
		for _, target := range o.Texts("can_jump_to") {
			h.CanJumpTo = append(h.CanJumpTo, abi.Target(target))
		}
	case name == abi.WrapToolCall:
		if h.Tools = o.Texts("tools"); h.Tools != nil && len(h.Tools) == 0 {
			o.Fail("tools", "must name a tool, or be absent")
		}
	}
	for _, item := range o.Objects("do") {
		h.actions = append(h.actions, parseAction(name, item))
	}
	_ = o.Done()
	return h
}

// perform runs the actions that are due in the n-th call, until one fails.
func (h *Hook) perform(n uint64, do func(place int, a *action) error) error {
	for i := range h.actions {
		if a := &h.actions[i]; a.due(n) {
			if err := do(i, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reads returns the state fields that the hook reads.
func (h *Hook) Reads() []string {
	var fields []string
	for i := range h.actions {
		fields = append(fields, h.actions[i].reads()...)
	}
	return fields
}

// Writes returns the state fields that the hook may update.
func (h *Hook) Writes() []string {
	var fields []string
	for i := range h.actions {
		fields = append(fields, h.actions[i].writes()...)
	}
	return fields
}
