package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/schema"
)

// compileSchema compiles a schema that the guest wrote.
var compileSchema = schema.CompileUntrusted

// compileConfigSchema compiles the schema of a configuration, which is always an object. Its defaults must fit it: otherwise the
// operator would be blamed for a configuration that nobody gave.
func compileConfigSchema(raw wire.Raw) (*schema.Schema, error) {
	compiled, err := compileSchema(raw)
	if err == nil && compiled != nil {
		var keys wire.Map
		_, err = keys.UnmarshalMsg(raw)
		if kind := keys.Get("type"); err == nil && !kind.IsZero() && !kind.Equal(wire.String("object")) {
			err = errors.New(`its type must be "object", since a configuration is a mapping`)
		}
	}
	if err == nil {
		err = compiled.CheckDefaults()
	}
	if err != nil {
		return nil, fmt.Errorf("config_schema: %w", err)
	}
	return compiled, nil
}

// checkParameters checks the schema of a tool's arguments, which are always an object.
func checkParameters(parameters wire.Raw) error {
	if _, err := compileSchema(parameters); err != nil || parameters.IsZero() {
		return err
	}
	var keys wire.Map
	if _, err := keys.UnmarshalMsg(parameters); err != nil {
		return err
	}
	if kind, _ := keys.Get("type").AsString(); kind != "object" {
		return errors.New(`its type must be "object"`)
	}
	return nil
}

// describe asks the guest for the most that the plugin may do.
func (p *Plugin) describe(ctx context.Context) error {
	err := p.ask(ctx, func(i *instance) error {
		p.wrote = slices.Clone(i.frame.result)
		return p.takeDescription(i, abi.ExportDescribe, &p.described)
	})
	if err == nil {
		err = p.checkAsks()
	}
	if err != nil {
		return err
	}
	return p.checkRequired()
}

// Describe compiles the module and has it write its Description, in the same sandbox as for an agent. It neither configures
// the module nor calls a hook. The Description is checked as if everything that it asks for were granted. Call Describe
// instead of Load. written is what the module wrote, in canonical form, or nil if it wrote no Description. described is nil if
// there is an error.
func (p *Plugin) Describe(ctx context.Context) (written wire.Raw, described *abi.Description, err error) {
	if err := p.compile(ctx); err != nil {
		return nil, nil, err
	}
	err = p.ask(ctx, func(i *instance) error {
		var d abi.Description
		if err := i.decode(abi.ExportDescribe, i.frame.result, &d); err != nil {
			return err
		}
		written, _ = wire.Canonical(i.frame.result, p.faultLimit) // was just found valid
		if len(d.Context) <= maxListed {
			p.grant.Context = append(p.grant.Context, d.Context...)
		}
		for _, name := range abi.Hooks() {
			if spec := d.Hooks.Spec(name); spec != nil && len(spec.Reads)+len(spec.Writes) <= 2*maxListed {
				p.grant.Reads, p.grant.Writes = append(p.grant.Reads, spec.Reads...), append(p.grant.Writes, spec.Writes...)
			}
		}
		if err := p.takeDescription(i, abi.ExportDescribe, &p.described); err != nil {
			return err
		}
		if _, err := compileConfigSchema(p.described.ConfigSchema); err != nil {
			return p.fault(abi.ExportDescribe, KindProtocol, err.Error(), err)
		}
		return nil
	})
	if err != nil {
		return written, nil, err
	}
	return written, &p.described, nil
}

// Written returns the Description as the module wrote it, in canonical form and with keys that the ABI does not define, once it is
// loaded.
func (p *Plugin) Written() wire.Raw {
	written, _ := wire.Canonical(p.wrote, p.faultLimit) // it was found valid
	return written
}

// Description returns what the plugin does with its configuration, once it is loaded. The caller must not change it.
func (p *Plugin) Description() *abi.Description { return &p.spec }

// ask has a fresh instance, used for nothing else, write its Description, which take reads.
func (p *Plugin) ask(ctx context.Context, take func(i *instance) error) error {
	i, err := p.instantiate(ctx)
	if err != nil {
		return err
	}
	err = func() error {
		if p.sharesImage() {
			if err := i.shareImage(ctx, false); err != nil {
				return err
			}
		}
		i.beginLoad(ctx, abi.ExportDescribe)
		wrote, err := i.invoke(abi.ExportDescribe)
		if err != nil {
			return err
		}
		if !wrote {
			return p.fault(abi.ExportDescribe, KindProtocol, "it returned 0; it must write a Description and return 1", nil)
		}
		return take(i)
	}()
	if closing := i.close(); err == nil {
		err = closing
	}
	return err
}

// configure passes the configuration to an instance. The first instance decides what the plugin does with it; the others
// must agree, since instances must be interchangeable.
func (p *Plugin) configure(ctx context.Context, i *instance) error {
	i.beginLoad(ctx, abi.ExportConfigure)
	i.frame.input = p.config
	wrote := false
	if _, ok := i.funcs[abi.ExportConfigure]; ok {
		var err error
		if wrote, err = i.invoke(abi.ExportConfigure); err != nil {
			return err
		}
	}
	narrowed := []byte{} // nothing returned: the upper bound applies
	if wrote {
		narrowed = i.frame.result
		if e := guestError(narrowed, p.faultLimit); e != nil {
			return p.fault(abi.ExportConfigure, KindGuest, clean(e.Error(), 500), e)
		}
	}
	if p.specBytes != nil {
		if !bytes.Equal(p.specBytes, narrowed) {
			return p.fault(abi.ExportConfigure, KindProtocol,
				"two instances returned different Descriptions for one configuration", nil)
		}
		return nil
	}
	p.spec = p.described
	if wrote {
		p.spec = abi.Description{}
		if err := p.takeDescription(i, abi.ExportConfigure, &p.spec); err != nil {
			return err
		}
		if err := narrows(&p.described, &p.spec); err != nil {
			return p.fault(abi.ExportConfigure, KindProtocol, err.Error(), err)
		}
	}
	p.specBytes = slices.Clone(narrowed)
	for n := range p.spec.Fields {
		p.ownFields = append(p.ownFields, p.spec.Fields[n].Name)
	}
	slices.Sort(p.ownFields)
	p.context = sorted(p.spec.Context)
	return nil
}

// takeDescription decodes and checks a Description.
func (p *Plugin) takeDescription(i *instance, stage string, d *abi.Description) error {
	if err := i.decode(stage, i.frame.result, d); err != nil {
		return err
	}
	if err := p.checkDescription(i, d); err != nil {
		return p.fault(stage, KindProtocol, err.Error(), err)
	}
	return nil
}

func (p *Plugin) checkDescription(i *instance, d *abi.Description) error {
	switch {
	case d.ABI != abi.Major:
		return fmt.Errorf("its Description is for ABI %d; this host has %d.%d", d.ABI, abi.Major, abi.Minor)
	case !isName(d.Name):
		return fmt.Errorf("its name %q is not 1 to 64 letters, digits, '_', '-', '.' or '/'", clean(d.Name, 80))
	case d.Version == "":
		return errors.New("it has no version")
	}
	if err := checkLengths(d); err != nil {
		return err
	}
	names := map[string]bool{}
	for n := range d.Capabilities {
		c := &d.Capabilities[n]
		if names["capability "+c.Op] || c.Reason == "" {
			return fmt.Errorf("its capability %q appears twice or has no reason", clean(c.Op, 64))
		}
		names["capability "+c.Op] = true
	}
	for _, key := range d.Context {
		switch {
		case !isName(key):
			return fmt.Errorf("it has the key %q in context, which is not 1 to 64 letters, digits, '_', '-', '.' or '/'", clean(key, 80))
		case !slices.Contains(p.grant.Context, key):
			return fmt.Errorf("it wants to see the key %q of the run's context, which is not granted; add it to grant.context", key)
		}
	}
	for n := range d.Fields {
		f := &d.Fields[n]
		if !isName(f.Name) || names["field "+f.Name] {
			return fmt.Errorf("its field %q has a name that is not allowed, or appears twice", clean(f.Name, 80))
		}
		names["field "+f.Name] = true
		if host.ReservedField(f.Name) {
			return fmt.Errorf("its field has the name %q, which the host reserves; choose another", f.Name)
		}
		if _, err := fieldOf(f); err != nil {
			return err
		}
		if d != &p.described && same(p.described.Fields, f) {
			continue // configure repeats what describe said
		}
		if _, err := compileSchema(f.Schema); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	for n := range d.Tools {
		if err := p.checkTool(i, &d.Tools[n], names); err != nil {
			return err
		}
	}
	for _, name := range abi.Hooks() {
		if spec := d.Hooks.Spec(name); spec != nil {
			if err := p.checkHook(i, d, name, spec); err != nil {
				return fmt.Errorf("hook %s: %w", name, err)
			}
		}
	}
	return nil
}

// same reports whether fields contains a field with the same name and schema.
func same(fields []abi.FieldSpec, field *abi.FieldSpec) bool {
	return slices.ContainsFunc(fields, func(f abi.FieldSpec) bool { return f.Name == field.Name && bytes.Equal(f.Schema, field.Schema) })
}

// maxListed is the maximum number of fields, tools or capabilities in a Description, and of names in each list of a hook.
const maxListed = 256

// checkLengths checks the lengths of the lists, since every entry is compared with others.
func checkLengths(d *abi.Description) error {
	lengths := map[string]int{"fields": len(d.Fields), "tools": len(d.Tools), "capabilities": len(d.Capabilities), "keys in context": len(d.Context)}
	for _, name := range abi.Hooks() {
		if spec := d.Hooks.Spec(name); spec != nil {
			lengths["names in a list of "+string(name)] = max(len(spec.CanJumpTo), len(spec.Reads), len(spec.Writes), len(spec.Tools))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(lengths)) {
		if lengths[what] > maxListed {
			return fmt.Errorf("it has %d %s; %d are allowed", lengths[what], what, maxListed)
		}
	}
	return nil
}

func (p *Plugin) checkTool(i *instance, t *abi.ToolSpec, names map[string]bool) error {
	if !isName(t.Name) || names["tool "+t.Name] {
		return fmt.Errorf("its tool %q has a name that is not allowed, or appears twice", clean(t.Name, 80))
	}
	names["tool "+t.Name] = true
	if i.funcs[abi.ExportCallTool] == nil {
		return fmt.Errorf("it has the tool %q, but does not export %q", t.Name, abi.ExportCallTool)
	}
	if err := checkParameters(t.Parameters); err != nil {
		return fmt.Errorf("tool %q: parameters: %w", t.Name, err)
	}
	return nil
}

func (p *Plugin) checkHook(i *instance, d *abi.Description, name abi.Hook, spec *abi.HookSpec) error {
	if i.funcs[string(name)] == nil {
		return errors.New("it is listed, but not exported")
	}
	for _, target := range spec.CanJumpTo {
		if !name.IsNode() || !slices.Contains([]abi.Target{abi.JumpModel, abi.JumpTools, abi.JumpEnd}, abi.Target(target)) {
			return fmt.Errorf(`can_jump_to has %q; node hooks may have "model", "tools" and "end"`, clean(target, 64))
		}
	}
	if spec.Messages.IsNew() && !name.IsNode() {
		return errors.New(`messages is "new", which only node hooks have`)
	}
	if len(spec.Tools) > 0 && name != abi.WrapToolCall {
		return errors.New("tools is for wrap_tool_call")
	}
	if spec.PassesTokens && name != abi.WrapModelCall {
		return errors.New("passes_tokens is for wrap_model_call")
	}
	for _, field := range spec.Reads {
		if !declares(d, field) && !slices.Contains(p.grant.Reads, field) {
			return fmt.Errorf("it reads the field %q of other middleware, which is not granted; add it to grant.reads", clean(field, 64))
		}
	}
	for _, field := range spec.Writes {
		if !declares(d, field) && !slices.Contains(p.grant.Writes, field) {
			return fmt.Errorf("it writes the field %q of other middleware, which is not granted; add it to grant.writes", clean(field, 64))
		}
	}
	return nil
}

func declares(d *abi.Description, field string) bool {
	return slices.ContainsFunc(d.Fields, func(f abi.FieldSpec) bool { return f.Name == field })
}

// isName reports whether a guest's name is fit for errors, graphs and file names.
func isName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i := range len(name) {
		c := name[i]
		ok := c == '_' || c == '-' || c == '.' || c == '/' || c == '[' || c == ']' ||
			(c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		if !ok {
			return false
		}
	}
	return true
}
