package host

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/internal/text"
)

// toolSet holds the tools of an agent.
type toolSet struct {
	ordered []*boundTool // offered to the model: tools of middleware first, then the agent's own
	byName  map[string]*boundTool
	dynamic map[string]*boundTool // never offered; a wrap_tool_call hook may run them
	specs   []abi.ToolSpec        // of ordered
	unknown needs                 // of a call with an unknown name
}

// boundTool is a tool in its agent.
type boundTool struct {
	tool   Tool
	spec   abi.ToolSpec
	schema *schema.Schema
	needs  needs // of the hooks around it and of the tool itself
	inTurn bool  // see [ToolInTurn]
}

func (a *build) bindTools() error {
	a.tools.byName, a.tools.dynamic = map[string]*boundTool{}, map[string]*boundTool{}
	for i, m := range a.middleware {
		for _, t := range m.hooks.Tools {
			if err := a.tools.add(t); err != nil {
				return &ConfigError{a.subject(i), err}
			}
		}
	}
	for _, t := range a.config.Tools {
		if err := a.tools.add(t); err != nil {
			return &ConfigError{ConfigSubject{}, err}
		}
	}
	for _, t := range a.tools.ordered {
		a.tools.specs = append(a.tools.specs, t.spec)
	}
	if err := a.checkProviderTools(); err != nil {
		return err
	}
	return a.checkNames()
}

// checkNames refuses middleware whose hooks call or guard a tool that the agent does not have.
func (a *build) checkNames() error {
	for i, m := range a.middleware {
		for _, name := range m.hooks.Calls {
			if a.tools.byName[name] == nil && !a.mayHaveTool(name) {
				return &ConfigError{a.subject(i), a.unknownTool("it may call", name, "")}
			}
		}
		for _, name := range m.hooks.Guards {
			if a.tools.byName[name] == nil && a.tools.dynamic[name] == nil && !a.mayHaveTool(name) {
				return &ConfigError{a.subject(i), a.unknownTool("it guards", name,
					"; if the tool appears only while the agent runs, set optional: true (in human_in_the_loop: in the tool's policy)")}
			}
		}
	}
	return nil
}

// mayHaveTool reports whether the agent may have a tool that is not known yet.
func (a *build) mayHaveTool(name string) bool {
	return a.config.MayHaveTool != nil && a.config.MayHaveTool(name)
}

// unknownTool says that the configuration names a tool that the agent does not have.
func (a *build) unknownTool(names, tool, otherwise string) error {
	known := a.tools.names()
	has := "it has"
	if near, ok := text.Nearest(tool, known); ok {
		has = fmt.Sprintf("did you mean %q? It has", near)
	}
	switch {
	case len(known) > 0:
		return fmt.Errorf("%s the tool %q, which the agent does not have; %s [%s]%s", names, tool, has, strings.Join(known, ", "), otherwise)
	case a.config.MayHaveTool != nil:
		return fmt.Errorf("%s the tool %q, which the agent does not have: no server of tools in its configuration may have it; "+
			"check the prefix, include and exclude of the servers%s", names, tool, otherwise)
	default:
		return fmt.Errorf("%s the tool %q, which the agent does not have; it has no tools%s", names, tool, otherwise)
	}
}

// add adds a tool. A later tool of the same name replaces the earlier one, in its place.
func (s *toolSet) add(t Tool) error {
	if t == nil {
		return errors.New("a tool is nil")
	}
	spec := t.Spec()
	if spec.Name == "" {
		return errors.New("a tool has no name")
	}
	bound, err := bindTool(t)
	if err != nil {
		return fmt.Errorf("tool %q: %w", spec.Name, err)
	}
	if spec.Dynamic {
		s.dynamic[spec.Name] = bound
		return nil
	}
	if i := slices.IndexFunc(s.ordered, func(o *boundTool) bool { return o.spec.Name == spec.Name }); i >= 0 {
		s.ordered[i] = bound
	} else {
		s.ordered = append(s.ordered, bound)
	}
	s.byName[spec.Name] = bound
	return nil
}

// bind returns the bound form of the tool that a request asks to run, which a wrap hook may have provided.
func (s *toolSet) bind(t Tool) (*boundTool, error) {
	spec := t.Spec()
	for _, bound := range []*boundTool{s.byName[spec.Name], s.dynamic[spec.Name]} {
		if bound != nil && sameTool(bound.tool, t) {
			return bound, nil
		}
	}
	return bindTool(t)
}

// bindTool returns a tool with what is derived from its spec.
func bindTool(t Tool) (*boundTool, error) {
	spec := t.Spec()
	compiled, err := schema.Compile(spec.Parameters)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	_, inTurn := t.(ToolInTurn)
	return &boundTool{tool: t, spec: spec, schema: compiled, inTurn: inTurn}, nil
}

// with returns the tools together with others, which have names of their own and are offered last.
func (s *toolSet) with(others []*boundTool) toolSet {
	out := *s
	out.ordered, out.specs, out.byName = slices.Clip(s.ordered), slices.Clip(s.specs), maps.Clone(s.byName)
	for _, t := range others {
		out.ordered, out.specs = append(out.ordered, t), append(out.specs, t.spec)
		out.byName[t.spec.Name] = t
	}
	return out
}

// sameTool compares tools of any type; tools of an incomparable type always differ.
func sameTool(a, b Tool) bool {
	return a != nil && b != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

// names returns the names of the offered tools, in order.
func (s *toolSet) names() []string {
	names := make([]string, len(s.ordered))
	for i, t := range s.ordered {
		names[i] = t.spec.Name
	}
	return names
}

// returns says for each offered tool whether it returns directly; nil if none does.
func (s *toolSet) returns() map[string]bool {
	out, some := map[string]bool{}, false
	for _, t := range s.ordered {
		out[t.spec.Name] = t.spec.ReturnDirect
		some = some || t.spec.ReturnDirect
	}
	if !some {
		return nil
	}
	return out
}

// bindNeeds works out what a call of each tool needs: an instance for each hook around it, another for each hook whose middleware
// might run a dynamic tool of its own instead, and one for the tool.
func (s *toolSet) bindNeeds(wraps []toolWrap, owners map[*Pool]poolOwner) error {
	for _, t := range s.ordered {
		chain := chainNeeds(wraps, t.spec.Name)
		if pooled, ok := t.tool.(ToolPooled); ok {
			chain = chain.add(pooled.Pool())
		}
		var err error
		if t.needs, err = chain.ordered(owners); err != nil {
			return &ConfigError{ConfigSubject{Kind: SubjectTool, Name: t.spec.Name}, err}
		}
	}
	var err error
	if s.unknown, err = chainNeeds(wraps, "").ordered(owners); err != nil {
		return &ConfigError{ConfigSubject{Kind: SubjectHooks, Name: string(abi.WrapToolCall)}, err}
	}
	return nil
}

// chainNeeds returns what the wrap hooks around a call of this name need; "" means all hooks.
func chainNeeds(wraps []toolWrap, name string) needs {
	chain := needs(nil)
	for i := range wraps {
		if name != "" && !wraps[i].wraps(name, true) {
			continue
		}
		chain = chain.add(wraps[i].hook.Pool)
		if wraps[i].dynamic {
			chain = chain.add(wraps[i].hook.Pool)
		}
	}
	return chain
}
