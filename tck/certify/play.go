package certify

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// play calls all hooks and tools in all scenes.
func (c *certifier) play(ctx context.Context) {
	bases := c.bases()
	for _, base := range bases {
		for _, sc := range callScenarios() {
			for _, s := range sc.scenes(c, base) {
				c.resume(ctx, s, c.call(ctx, sc.check, s))
			}
		}
		c.compareUnknown(ctx, base)
	}
	for _, base := range bases {
		if base.spec != nil && !abi.Hook(base.export).IsNode() {
			c.playWrap(ctx, base)
		}
	}
	c.playOperations(ctx)
	c.compareInstances(ctx)
	for _, base := range bases {
		c.leaks(ctx, base)
	}
	c.shared.close(ctx)
}

// playConfigured calls all hooks and tools a few times with another configuration than the other checks.
func (c *certifier) playConfigured(ctx context.Context, config []byte, plugin abi.Description) {
	before, beforePlugin := c.config, c.plugin
	c.config, c.plugin = config, plugin
	for _, base := range c.bases() {
		for _, s := range []*scene{base, c.full(base), c.full(base)} {
			c.call(ctx, "configure.works", s)
		}
	}
	c.shared.close(ctx)
	c.shared, c.played, c.asked = nil, nil, nil
	c.config, c.plugin = before, beforePlugin
}

// bases makes the simplest scene of each hook that the plugin has, and of each tool.
func (c *certifier) bases() []*scene {
	var out []*scene
	for _, name := range abi.Hooks() {
		spec := c.plugin.Hooks.Spec(name)
		if spec == nil {
			continue
		}
		s := c.base(string(name), spec)
		if name != abi.WrapToolCall {
			out = append(out, s)
			continue
		}
		for _, tool := range wrapped(spec) {
			t := *s
			t.call.Name = tool
			t.call.Args = c.arguments(tool)
			t.history = withCall(s.history, t.call)
			out = append(out, &t)
		}
	}
	const mostTools = 16
	for i := range min(len(c.plugin.Tools), mostTools) {
		s := c.base(abi.ExportCallTool, nil)
		s.call.Name = c.plugin.Tools[i].Name
		s.call.Args = c.arguments(s.call.Name)
		out = append(out, s)
	}
	return out
}

// wrapped returns tools whose calls a hook wraps.
func wrapped(spec *abi.HookSpec) []string {
	const most = 8
	if len(spec.Tools) > 0 {
		return spec.Tools[:min(len(spec.Tools), most)]
	}
	return []string{"search"}
}

func (c *certifier) base(export string, spec *abi.HookSpec) *scene {
	const nexts = 10
	s := &scene{
		plugin: &c.plugin, export: export, spec: spec, n: 1, now: 1_767_225_600_000_000_000, seed: 7, nexts: nexts,
		history: []abi.Message{{Role: abi.RoleHuman, ID: "m1", Content: abi.Text("hello")}},
		call:    abi.ToolCall{ID: "call-1", Name: "search", Args: wire.Map{}.Raw()},
	}
	if export == string(abi.AfterModel) || export == string(abi.AfterAgent) {
		s.history = append(s.history, abi.Message{Role: abi.RoleAI, ID: "m2", Content: abi.Text("hi")})
	}
	return s
}

// withCall returns a history that ends with the call.
func withCall(history []abi.Message, call abi.ToolCall) []abi.Message {
	m := abi.AI("", call)
	m.ID = "m-call"
	return append(slices.Clone(history), m)
}

// arguments makes as few arguments as possible that fit a tool's parameters.
func (c *certifier) arguments(tool string) wire.Raw {
	at := slices.IndexFunc(c.plugin.Tools, func(t abi.ToolSpec) bool { return t.Name == tool })
	if at < 0 || c.plugin.Tools[at].Parameters.IsZero() {
		return wire.Map{}.Raw()
	}
	if args, ok := conforming(c.rng, c.plugin.Tools[at].Parameters, false); ok {
		return args
	}
	return wire.Map{}.Raw()
}

// frame calls the hook of a scene in an instance that has already served calls, if there is one. It returns nil if no
// instance can be made, or if the guest has run endlessly too often.
func (c *certifier) frame(ctx context.Context, s *scene) *Frame {
	const patience = 2
	if c.endless > patience {
		return nil
	}
	if c.shared == nil {
		if c.shared, _ = c.configured(ctx, c.config); c.shared == nil {
			return nil
		}
	}
	i := c.shared
	f := i.call(ctx, s.export, s.input(), s.host())
	s.verify(f)
	c.absorb(f)
	for k := range f.Exchanges {
		if e := &f.Exchanges[k]; e.Import == abi.ImportHostCall {
			c.remember(operationCall{e.Op, s})
		}
	}
	i.served++
	switch {
	case f.Fault != nil:
		i.close(ctx)
		c.shared = nil
		if f.Fault.Kind == faultFuel || f.Fault.Kind == faultDeadline {
			c.endless++
		}
	case i.served > 1 && (f.Wrote || f.Code != abi.ReturnResult):
		c.played = append(c.played, repeatedCall{s, f})
	}
	return f
}

// remember keeps the first scenes in which a hook calls an operation.
func (c *certifier) remember(a operationCall) {
	const most = 2
	n := 0
	for _, b := range c.asked {
		if b.op == a.op && b.scene.export == a.scene.export {
			n++
		}
	}
	if n < most {
		c.asked = append(c.asked, a)
	}
}

// call plays a scene for a check, which fails if the guest broke. If the guest broke another rule, the check of that rule
// says what is wrong.
func (c *certifier) call(ctx context.Context, check string, s *scene) *Frame {
	f := c.frame(ctx, s)
	if f == nil {
		return nil // the guest has already failed
	}
	broke := f.Fault != nil && f.Fault.Kind != faultProtocol && f.closed == 0
	c.checkf(check, !broke, "%s: %v", s.export, f.Fault)
	return f
}

// resume answers the questions of a hook, as often as it asks.
func (c *certifier) resume(ctx context.Context, s *scene, f *Frame) {
	const rounds = 3
	again := *s
	for round := range rounds {
		var r abi.Result
		if f == nil || f.Fault != nil || !f.Wrote || f.Code != abi.ReturnResult || decode(f.Result, &r) != nil || len(r.Interrupts) == 0 {
			return
		}
		for i, asks := range r.Interrupts {
			if i > 0 && round == 0 {
				break // the others wait for the next round
			}
			answer := []wire.Raw{wire.Bool(true), value(nil), strangeMap(c.rng).Raw()}[round]
			again.answers = again.answers.With(wire.Map{{Key: asks.Key, Value: answer}})
		}
		next := again
		f = c.call(ctx, "interrupt.resume", &next)
	}
}

// compareUnknown compares the results of a hook with and without keys of a later minor version.
func (c *certifier) compareUnknown(ctx context.Context, base *scene) {
	for _, s := range []*scene{base, c.full(base)} {
		tomorrow := *s
		tomorrow.unknown = true
		plain := *s
		a, b := c.frame(ctx, &plain), c.call(ctx, "call.unknown-keys", &tomorrow)
		if a == nil || b == nil || a.Fault != nil || b.Fault != nil {
			return
		}
		c.checkf("call.unknown-keys", outline(a) == outline(b), "%s: it wrote %s, and with unknown keys in its input %s",
			s.export, outline(a), outline(b))
	}
}

// outline describes the outcome of a frame by the keys of its result, without values copied from the input.
func outline(f *Frame) string {
	if f.Code != abi.ReturnResult {
		return "nothing"
	}
	var keys []string
	for key := range wire.Raw(f.Result).Pairs() {
		keys = append(keys, string(key))
	}
	slices.Sort(keys)
	return "{" + strings.Join(keys, ", ") + "}"
}

// compareInstances repeats calls in fresh instances, because the earlier calls of an instance must not matter.
func (c *certifier) compareInstances(ctx context.Context) {
	const most = 40
	step := max(1, len(c.played)/most)
	for at := 0; at < len(c.played); at += step {
		p := c.played[at]
		i, _ := c.configured(ctx, c.config)
		if i == nil {
			return
		}
		f := i.call(ctx, p.scene.export, p.frame.Input, p.scene.host())
		if f.Fault == nil {
			i.close(ctx)
		}
		ok := f.Fault == nil && f.Code == p.frame.Code && sameDocument(f.Result, p.frame.Result, f.Code) && sameCalls(f, p.frame)
		c.checkf("instance.interchangeable", ok, "%s: for the same input, a fresh instance wrote %s (%v), and a used one %s",
			p.scene.export, shown(f), f.Fault, shown(p.frame))
	}
}

// leaks repeats one call and watches the memory. A guest that leaks keeps growing; any other stops after some calls.
func (c *certifier) leaks(ctx context.Context, s *scene) {
	const (
		calls, warmUp = 1_000, 100
		settled       = 8 << 20 // by which a garbage collector may let the memory grow
	)
	i, _ := c.configured(ctx, c.config)
	if i == nil {
		return
	}
	input, first, last := s.input(), 0, 0
	for n := range calls {
		f := i.call(ctx, s.export, input, s.host())
		if f.Fault != nil {
			return // another check has reported it
		}
		if last = len(i.memory.bytes); n <= warmUp {
			first = last
		}
	}
	i.close(ctx)
	c.checkf("instance.leaks", last-first < settled, "%s: its memory grew from %d to %d KiB in %d equal calls", s.export, first>>10, last>>10, calls-warmUp)
}

func shown(f *Frame) string {
	if f.Code != abi.ReturnResult {
		return "nothing"
	}
	return wire.Raw(f.Result).JSON()
}

func sameDocument(a, b []byte, code int32) bool {
	if code != abi.ReturnResult {
		return true
	}
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := wire.Canonical(a, wire.Limits{})
	y, errY := wire.Canonical(b, wire.Limits{})
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// sameCalls reports whether two frames made the same calls to the host.
func sameCalls(a, b *Frame) bool {
	return slices.EqualFunc(a.Exchanges, b.Exchanges, func(x, y Exchange) bool {
		none := len(x.Payload) == 0 && len(y.Payload) == 0
		return x.Import == y.Import && x.Op == y.Op && (none || sameDocument(x.Payload, y.Payload, abi.ReturnResult))
	})
}
