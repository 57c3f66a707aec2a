package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin/internal/skillfile"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// skillTools are the tools that the model gets with a skill.
type skillTools struct {
	tools map[string]*hiddenTool    // by name; nil: a tool of the agent
	shown host.TypedField[[]string] // the names that the last model call had, sorted
}

// newSkillTools checks the tools. Without any it returns nil.
func newSkillTools(s *Skills, field string) (*skillTools, error) {
	t := &skillTools{tools: map[string]*hiddenTool{}, shown: host.NewField[[]string](field, host.Hidden)}
	for i, name := range s.ToolNames {
		if name == "" {
			return nil, fmt.Errorf("tools[%d] is empty; it must be the name of a tool of the agent", i)
		}
		if _, twice := t.tools[name]; twice {
			return nil, fmt.Errorf("tools[%d]: the tool %q is listed twice", i, name)
		}
		t.tools[name] = nil
	}
	for _, one := range s.Tools {
		if one == nil {
			return nil, errors.New("a tool of Tools is nil")
		}
		name := one.Spec().Name
		if _, twice := t.tools[name]; twice || name == "" {
			return nil, fmt.Errorf("two skill tools have the name %q; give each a name of its own", name)
		}
		t.tools[name] = &hiddenTool{one}
	}
	if len(t.tools) == 0 {
		return nil, nil //nolint:nilnil // no tool depends on a skill
	}
	return t, nil
}

// install adds the hooks.
func (t *skillTools) install(hooks *host.Hooks) {
	for name, own := range t.tools {
		if own == nil {
			hooks.Guards = append(hooks.Guards, name)
			continue
		}
		hooks.Tools = append(hooks.Tools, own)
	}
	slices.Sort(hooks.Guards)
	hooks.State = append(hooks.State, t.shown.Field)
	hooks.WrapToolCall = host.WrapToolHook{Func: t.wrapTool, Tools: slices.Sorted(maps.Keys(t.tools))}
}

// hiddenTool is a tool that the agent has but does not offer.
type hiddenTool struct{ host.Tool }

// Spec describes the tool as one that only a hook runs.
func (h *hiddenTool) Spec() abi.ToolSpec {
	spec := h.Tool.Spec()
	spec.Dynamic = true
	return spec
}

// offer returns the request with those tools only that were included, and their names.
func (t *skillTools) offer(req *model.Request, included map[string]bool) (*model.Request, []string) {
	specs := slices.DeleteFunc(slices.Clone(req.Tools), func(spec abi.ToolSpec) bool {
		_, gated := t.tools[spec.Name]
		return gated && !included[spec.Name]
	})
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(included)), func(name string) bool {
		_, gated := t.tools[name]
		return !gated
	})
	for _, name := range names {
		own := t.tools[name]
		if own == nil || slices.ContainsFunc(specs, func(spec abi.ToolSpec) bool { return spec.Name == name }) {
			continue
		}
		specs = append(specs, own.Tool.Spec())
	}
	return req.WithTools(specs), names
}

// withoutDeferral returns the request in which the model need not look for the included tools.
func withoutDeferral(req *model.Request, included map[string]bool) *model.Request {
	changed := false
	specs := slices.Clone(req.Tools)
	for i := range specs {
		if deferred, _ := specs[i].Extras.Get(deferLoading).AsBool(); deferred && included[specs[i].Name] {
			specs[i].Extras = slices.Clone(specs[i].Extras)
			specs[i].Extras.Delete(deferLoading)
			changed = true
		}
	}
	if !changed {
		return req
	}
	return req.WithTools(specs)
}

// includedTools returns the tools that the skills include whose SKILL.md the messages contain: as the result of read_file, whatever
// part it was and even if it was cleared since, or as a pinned skill.
func includedTools(messages history.List, skills []skillfile.Skill) map[string]bool {
	byPath := map[string]*skillfile.Skill{}
	for i := range skills {
		if len(skills[i].IncludeTools) > 0 {
			byPath[skills[i].Path] = &skills[i]
		}
	}
	if len(byPath) == 0 {
		return nil
	}
	names := map[string]bool{}
	calls := answeredCalls(messages)
	for i, m := range messages.All() {
		var path string
		switch {
		case m.Role == abi.RoleTool && !m.Failed() && calls[i] >= 0:
			path = readPath(askedCall(messages.Entry(calls[i]).Message(), m.ToolCallID))
		case m.Role == abi.RoleHuman:
			if source, _ := m.Meta.Get(sourceKey).AsString(); source == pinnedSource {
				path, _ = m.Meta.Get("skill").Get("path").AsString()
			}
		}
		if path == "" {
			continue
		}
		if clean, err := backend.Clean(path); err == nil && byPath[clean] != nil {
			for _, name := range byPath[clean].IncludeTools {
				names[name] = true
			}
		}
	}
	return names
}

// record returns an update that notes the tools of a model call, if they changed.
func (t *skillTools) record(rt *host.Runtime, names []string) (*host.Update, error) {
	before, _, err := t.shown.Get(rt.State())
	if err != nil || slices.Equal(before, names) {
		return nil, err
	}
	if names == nil {
		names = []string{}
	}
	update := &host.Update{}
	return update, t.shown.Set(update, names)
}

// wrapTool runs the tools that the last model call had. To the model, any other is unknown. Calls of hooks and tools pass.
func (t *skillTools) wrapTool(
	ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	shown, _, err := t.shown.Get(rt.State())
	if err != nil {
		return nil, nil, err
	}
	if !rt.Nested() && !slices.Contains(shown, req.Call.Name) {
		var names []string
		for _, spec := range rt.Tools() {
			if _, gated := t.tools[spec.Name]; !gated || slices.Contains(shown, spec.Name) {
				names = append(names, spec.Name)
			}
		}
		answer := abi.ToolFailure(req.Call, fmt.Sprintf("Error: %s is not a valid tool, try one of [%s].", req.Call.Name, strings.Join(names, ", ")))
		return &answer, nil, nil
	}
	if own := t.tools[req.Call.Name]; own != nil && !req.Known() {
		req = req.WithTool(own)
	}
	message, err := next(ctx, req)
	return message, nil, err
}

// withoutSkillTools returns the tools that a subagent takes over from its agent: those that depend on no skill of the agent, or also
// on one of the subagent.
func withoutSkillTools(tools []host.Tool, agent, subagent []host.Middleware) []host.Tool {
	gated := map[string]bool{}
	for i, list := range [][]host.Middleware{agent, subagent} {
		for _, m := range list {
			for _, name := range skillToolNames(m) {
				gated[name] = i == 0
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t host.Tool) bool { return gated[t.Spec().Name] })
}

// skillToolNames returns the agent's tools that depend on a skill, if a middleware is a [Skills].
func skillToolNames(m host.Middleware) []string {
	if m == nil {
		return nil
	}
	switch skills := host.Unwrapped(m).(type) {
	case Skills:
		return skills.ToolNames
	case *Skills:
		return skills.ToolNames
	default:
		return nil
	}
}
