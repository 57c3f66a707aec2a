package certify

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// checkDescription checks a Description against the rules.
func (c *certifier) checkDescription(d *abi.Description) {
	c.checkf("describe.abi", d.ABI == abi.Major, "abi is %d", d.ABI)
	c.checkName("the plugin", d.Name)
	c.checkf("describe.empty", d.Version != "", "the version is empty")
	for i := range d.Capabilities {
		c.checkf("describe.empty", d.Capabilities[i].Reason != "", "the capability %q has no reason", d.Capabilities[i].Op)
	}
	for _, key := range d.Context {
		c.checkName("a key of the context", key)
	}
	c.checkLists(d)
	c.checkSchema("config_schema", d.ConfigSchema)
	for i := range d.Fields {
		f := &d.Fields[i]
		c.checkName("a field", f.Name)
		c.checkSchema("the field "+f.Name, f.Schema)
		lives := slices.Contains([]string{"thread", "run", "step"}, f.Lifetime)
		c.checkf("describe.fields", lives, "the field %q has the lifetime %q", f.Name, f.Lifetime)
		reduces := slices.Contains([]string{"", "last", "add", "append"}, f.Reducer)
		c.checkf("describe.fields", reduces, "the field %q has the reducer %q", f.Name, f.Reducer)
	}
	for i := range d.Tools {
		t := &d.Tools[i]
		c.checkName("a tool", t.Name)
		if !t.Parameters.IsZero() {
			err := rightParameters(t.Parameters)
			c.checkf("describe.schemas", err == nil, "the tool %q: parameters: %v", t.Name, err)
		}
	}
	if len(d.Tools) > 0 {
		_, _, ok := c.machine.exported(abi.ExportCallTool)
		c.checkf("describe.exported", ok, "it lists tools, but does not export %s", abi.ExportCallTool)
	}
	for _, name := range abi.Hooks() {
		spec := d.Hooks.Spec(name)
		if spec == nil {
			continue
		}
		_, _, ok := c.machine.exported(string(name))
		c.checkf("describe.exported", ok, "it lists %s, but does not export it", name)
		err := rightSpec(name, spec)
		c.checkf("describe.specs", err == nil, "%s: %v", name, err)
	}
}

func (c *certifier) checkName(what, name string) {
	c.checkf("describe.names", isName(name), "%s is called %q", what, name)
}

func (c *certifier) checkSchema(what string, raw wire.Raw) {
	if raw.IsZero() {
		return
	}
	_, err := schema.CompileUntrusted(raw)
	if err == nil && !raw.IsMap() {
		err = errors.New("it is not a map")
	}
	c.checkf("describe.schemas", err == nil, "%s: %v", what, err)
}

// rightParameters reports what is wrong with the schema of a tool's arguments.
func rightParameters(raw wire.Raw) error {
	if raw.IsZero() {
		return nil
	}
	if _, err := schema.CompileUntrusted(raw); err != nil {
		return err
	}
	var m wire.Map
	if _, err := m.UnmarshalMsg(raw); err != nil {
		return err
	}
	if kind, ok := m.Get("type").AsString(); !ok || kind != "object" {
		return errors.New("the schema is not of the type object")
	}
	return nil
}

// checkLists checks that lists are not too long, and that they have no duplicate names.
func (c *certifier) checkLists(d *abi.Description) {
	const most = 256
	names := map[string][]string{}
	for i := range d.Fields {
		names["fields"] = append(names["fields"], d.Fields[i].Name)
	}
	for i := range d.Tools {
		names["tools"] = append(names["tools"], d.Tools[i].Name)
	}
	for i := range d.Capabilities {
		names["capabilities"] = append(names["capabilities"], d.Capabilities[i].Op)
	}
	c.checkf("describe.unique", true, "")
	for what, list := range names {
		slices.Sort(list)
		c.checkf("describe.unique", len(slices.Compact(slices.Clone(list))) == len(list), "%s has a duplicate name", what)
	}
	for _, name := range abi.Hooks() {
		if spec := d.Hooks.Spec(name); spec != nil {
			for what, list := range map[string][]string{
				"can_jump_to": spec.CanJumpTo, "reads": spec.Reads, "tools": spec.Tools, "writes": spec.Writes,
			} {
				names[string(name)+"."+what] = list
			}
		}
	}
	names["context"] = d.Context
	c.checkf("describe.limits", true, "")
	for what, list := range names {
		c.checkf("describe.limits", len(list) <= most, "%d names in %s", len(list), what)
	}
}

// rightSpec reports what is wrong with the spec of a hook.
func rightSpec(name abi.Hook, spec *abi.HookSpec) error {
	for _, target := range spec.CanJumpTo {
		if !name.IsNode() || !slices.Contains([]string{"model", "tools", "end"}, target) {
			return fmt.Errorf("can_jump_to has %q", target)
		}
	}
	switch {
	case spec.Messages.IsNew() && !name.IsNode():
		return errors.New(`messages is "new"`)
	case len(spec.Tools) > 0 && name != abi.WrapToolCall:
		return errors.New("it has tools")
	case spec.PassesTokens && name != abi.WrapModelCall:
		return errors.New("it has passes_tokens")
	default:
		return nil
	}
}

// checkNarrowed checks the Description of configure against that of describe.
func (c *certifier) checkNarrowed(d *abi.Description) {
	upper := &c.described
	c.checkDescription(d)
	c.checkf("configure.identity", d.ABI == upper.ABI && d.Name == upper.Name && d.Version == upper.Version,
		"configure says %q %q, ABI %d", d.Name, d.Version, d.ABI)
	for _, key := range d.Context {
		c.checkf("configure.subset", slices.Contains(upper.Context, key), "configure adds the key %q to context", key)
	}
	for i := range d.Fields {
		c.checkf("configure.subset", slices.ContainsFunc(upper.Fields, func(f abi.FieldSpec) bool { return same(&f, &d.Fields[i]) }),
			"configure adds or changes the field %q", d.Fields[i].Name)
	}
	for i := range d.Tools {
		c.checkf("configure.subset", slices.ContainsFunc(upper.Tools, func(t abi.ToolSpec) bool { return sameTool(t, &d.Tools[i]) }),
			"configure adds or changes the tool %q", d.Tools[i].Name)
	}
	for _, asks := range d.Capabilities {
		c.checkf("configure.subset", slices.Contains(upper.Capabilities, asks), "configure adds or changes the capability %q", asks.Op)
	}
	c.checkf("configure.subset", true, "")
	for _, name := range abi.Hooks() {
		if spec := d.Hooks.Spec(name); spec != nil {
			err := narrows(upper.Hooks.Spec(name), spec)
			c.checkf("configure.hooks", err == nil, "%s: %v", name, err)
		}
	}
	c.checkf("configure.hooks", true, "")
}

func same(a, b encodable) bool { return bytes.Equal(document(a), document(b)) }

// sameTool compares the parts of a tool that a configuration must not change.
func sameTool(bound abi.ToolSpec, t *abi.ToolSpec) bool {
	bound.Description, bound.Parameters = t.Description, t.Parameters
	return same(&bound, t)
}

// narrows reports how the spec of a hook exceeds its bound.
func narrows(bound, spec *abi.HookSpec) error {
	if bound == nil {
		return errors.New("configure adds the hook")
	}
	for what, lists := range map[string][2][]string{
		"can_jump_to": {spec.CanJumpTo, bound.CanJumpTo}, "reads": {spec.Reads, bound.Reads}, "writes": {spec.Writes, bound.Writes},
	} {
		for _, name := range lists[0] {
			if !slices.Contains(lists[1], name) {
				return fmt.Errorf("configure adds %q to %s", name, what)
			}
		}
	}
	if len(bound.Tools) > 0 && len(spec.Tools) == 0 {
		return errors.New("configure lets it wrap all tools")
	}
	for _, name := range spec.Tools {
		if len(bound.Tools) > 0 && !slices.Contains(bound.Tools, name) {
			return fmt.Errorf("configure adds %q to tools", name)
		}
	}
	if spec.Messages.Tail(math.MaxInt) > bound.Messages.Tail(math.MaxInt) {
		return errors.New("configure shows it more messages")
	}
	return nil
}
