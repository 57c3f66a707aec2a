package probe

import (
	"bytes"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// Describe returns the Description of a probe as a plugin. It lists only those fields of the script that some part
// of the agent declares. Reading any other field is not an error; updating one is an error of the run.
func Describe(p *Probe, declared []string) *abi.Description {
	d := &abi.Description{Name: "probe", Version: "1.0.0", ABI: abi.Major, ConfigSchema: wire.Map{{Key: "type", Value: wire.String("object")}}.Raw()}
	for i := range p.Fields {
		d.Fields = append(d.Fields, p.Fields[i].FieldSpec)
	}
	for _, t := range p.Dynamic {
		d.Tools = append(d.Tools, t.Spec)
	}
	for name, into := range hookSpecs(&d.Hooks) {
		if hook := p.Hook(name); hook != nil {
			*into = hook.describe(p, declared)
		}
	}
	return d
}

func hookSpecs(h *abi.HookSpecs) map[abi.Hook]**abi.HookSpec {
	return map[abi.Hook]**abi.HookSpec{
		abi.BeforeAgent: &h.BeforeAgent, abi.BeforeModel: &h.BeforeModel, abi.AfterModel: &h.AfterModel, abi.AfterAgent: &h.AfterAgent,
		abi.WrapModelCall: &h.WrapModelCall, abi.WrapToolCall: &h.WrapToolCall,
	}
}

func (h *Hook) describe(p *Probe, declared []string) *abi.HookSpec {
	unknown := func(field string) bool { return !slices.Contains(declared, field) }
	spec := &abi.HookSpec{Messages: abi.ViewLast(1), Reads: slices.DeleteFunc(distinct(h.Reads()), unknown), Tools: h.Tools}
	for _, target := range h.CanJumpTo {
		spec.CanJumpTo = append(spec.CanJumpTo, string(target))
	}
	foreign := func(field string) bool {
		return !unknown(field) && !slices.ContainsFunc(p.Fields, func(f Field) bool { return f.Name == field })
	}
	spec.Writes = slices.DeleteFunc(distinct(h.Writes()), func(field string) bool { return !foreign(field) })
	return spec
}

func distinct(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

// PluginConfig returns the configuration of the probe as a plugin: its script, and the fields that any part of its
// agent declares.
func PluginConfig(script wire.Raw, declared []string) wire.Map {
	fields, _ := wire.Of(declared)
	return wire.Map{{Key: "fields", Value: fields}, {Key: "script", Value: script}}
}

// ReadPluginConfig reads the configuration that PluginConfig makes.
func ReadPluginConfig(config wire.Map) (*Probe, *abi.Description, error) {
	o := strict.Open(config.Raw(), "config")
	o.Need("fields", "script")
	declared, script := o.Texts("fields"), o.Raw("script")
	if err := o.Done(); err != nil {
		return nil, nil, err
	}
	p, err := Parse(script, "config.script")
	if err != nil {
		return nil, nil, err
	}
	return p, Describe(p, declared), nil
}

// Widen adds the parts of d to bound that bound lacks. If both have the same field or tool but declare it differently,
// Widen reports false and changes nothing.
func Widen(bound, d *abi.Description) bool {
	for i := range d.Fields {
		if f := fieldOf(bound, d.Fields[i].Name); f != nil && !sameDocument(f, &d.Fields[i]) {
			return false
		}
	}
	for i := range d.Tools {
		if t := toolOf(bound, d.Tools[i].Name); t != nil && !sameDocument(t, &d.Tools[i]) {
			return false
		}
	}
	for i := range d.Fields {
		if fieldOf(bound, d.Fields[i].Name) == nil {
			bound.Fields = append(bound.Fields, d.Fields[i])
		}
	}
	for i := range d.Tools {
		if toolOf(bound, d.Tools[i].Name) == nil {
			bound.Tools = append(bound.Tools, d.Tools[i])
		}
	}
	specs := hookSpecs(&bound.Hooks)
	for name, spec := range hookSpecs(&d.Hooks) {
		if *spec != nil {
			*specs[name] = widened(*specs[name], *spec)
		}
	}
	return true
}

// Holds reports whether a bound that was widened by d earlier is still the one to use for d.
func Holds(bound, d *abi.Description) bool {
	for i := range d.Fields {
		if f := fieldOf(bound, d.Fields[i].Name); f == nil || !sameDocument(f, &d.Fields[i]) {
			return false
		}
	}
	for i := range d.Tools {
		if t := toolOf(bound, d.Tools[i].Name); t == nil || !sameDocument(t, &d.Tools[i]) {
			return false
		}
	}
	for _, name := range abi.Hooks() {
		spec, most := d.Hooks.Spec(name), bound.Hooks.Spec(name)
		if spec != nil && (most == nil || !within(spec.Reads, most.Reads) || !within(spec.Writes, most.Writes) ||
			!within(spec.CanJumpTo, most.CanJumpTo)) {
			return false
		}
	}
	return true
}

func within(names, all []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(all, name) })
}

func fieldOf(d *abi.Description, name string) *abi.FieldSpec {
	if i := slices.IndexFunc(d.Fields, func(f abi.FieldSpec) bool { return f.Name == name }); i >= 0 {
		return &d.Fields[i]
	}
	return nil
}

func toolOf(d *abi.Description, name string) *abi.ToolSpec {
	if i := slices.IndexFunc(d.Tools, func(t abi.ToolSpec) bool { return t.Name == name }); i >= 0 {
		return &d.Tools[i]
	}
	return nil
}

func widened(bound, spec *abi.HookSpec) *abi.HookSpec {
	out := &abi.HookSpec{Messages: spec.Messages}
	if bound == nil {
		bound = &abi.HookSpec{}
	}
	out.CanJumpTo = distinct(append(slices.Clone(bound.CanJumpTo), spec.CanJumpTo...))
	out.Reads = distinct(append(slices.Clone(bound.Reads), spec.Reads...))
	out.Writes = distinct(append(slices.Clone(bound.Writes), spec.Writes...))
	return out
}

func sameDocument(a, b interface{ MarshalMsg([]byte) ([]byte, error) }) bool {
	x, _ := a.MarshalMsg(nil)
	y, _ := b.MarshalMsg(nil)
	return bytes.Equal(x, y)
}
