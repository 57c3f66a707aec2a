package certify

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// verifyMessages checks the changes that a result or a request change makes to a list of messages. The parameter what is
// the first part of the ids of the checks.
func (s *scene) verifyMessages(f *Frame, what string, list []abi.Message, r *abi.Result) {
	find := func(id string) *abi.Message {
		if at := slices.IndexFunc(list, func(m abi.Message) bool { return m.ID == id && id != "" }); at >= 0 {
			return &list[at]
		}
		return nil
	}
	for _, id := range r.Remove {
		f.checkf(what+".messages", find(id) != nil, "remove: there is no message %q", id)
	}
	for i := range r.Patch {
		p := &r.Patch[i]
		m := find(p.ID())
		f.checkf(what+".messages", m != nil, "patch: there is no message %q", p.ID())
		f.checkf(what+".messages", !slices.Contains(r.Remove, p.ID()), "patch: the same update removes the message %q", p.ID())
		if m == nil {
			continue
		}
		f.checkf("result.identity", keepsIdentity(p, m), "a patch of the message %q changes its role or tool_call_id", p.ID())
		_, err := p.Apply(m)
		f.checkf("result.types", err == nil || !keepsIdentity(p, m), "a patch of the message %q: %v", p.ID(), err)
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		verifyMessage(f, m)
		if r.Overwrite {
			continue
		}
		if present := find(m.ID); present != nil {
			f.checkf("result.identity", present.Role == m.Role && present.ToolCallID == m.ToolCallID,
				"the message %q is replaced by one with another role or tool_call_id", m.ID)
			continue
		}
		if m.Role == abi.RoleTool {
			open := isOpen(slices.Concat(list, r.Messages[:i]), m.ToolCallID)
			f.checkf("result.tool-messages", open, "a tool message answers the call %q, which does not exist or is already answered", m.ToolCallID)
		}
	}
}

// verifyMessage checks a message that the guest made.
func verifyMessage(f *Frame, m *abi.Message) {
	roles := []abi.Role{abi.RoleHuman, abi.RoleAI, abi.RoleTool, abi.RoleSystem}
	f.checkf("result.roles", slices.Contains(roles, m.Role), "a message has the role %q", m.Role)
	seen := map[string]bool{}
	for _, c := range m.ToolCalls {
		f.checkf("result.tool-calls", c.ID != "" && c.Name != "" && !seen[c.ID] && c.Args.IsMap(),
			"a tool call has the id %q and the name %q; neither may be empty, the id must be unique, and args must be a map", c.ID, c.Name)
		seen[c.ID] = true
	}
}

// isOpen reports whether a tool call exists and is not answered yet.
func isOpen(list []abi.Message, id string) bool {
	for i := len(list) - 1; i >= 0; i-- {
		m := &list[i]
		if m.Role == abi.RoleTool && m.ToolCallID == id {
			return false
		}
		if slices.ContainsFunc(m.ToolCalls, func(c abi.ToolCall) bool { return c.ID == id }) {
			return true
		}
	}
	return false
}

// checkChange checks the document that a wrap hook passes to next.
func (s *scene) checkChange(f *Frame, payload []byte) {
	if s.export == string(abi.WrapToolCall) {
		s.checkCallChange(f, payload)
		return
	}
	var c abi.RequestChange
	err := decode(payload, &c)
	f.insistf("next.types", err == nil, "the document of next is not a RequestChange: %v", err)
	for _, name := range c.Tools {
		f.checkf("next.tools", slices.Contains(s.tools, name), "tools keeps %q, which is not offered", name)
	}
	names := slices.Clone(s.tools)
	if c.Tools != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(c.Tools, name) })
	}
	for i := range c.AddTools {
		t := &c.AddTools[i]
		fresh := isName(t.Name) && !slices.Contains(names, t.Name)
		f.checkf("next.add-tools", fresh, "add_tools: %q is not a valid name, or the tool is already offered", t.Name)
		err := rightParameters(t.Parameters)
		f.checkf("next.add-tools", err == nil, "add_tools: %q: parameters: %v", t.Name, err)
		names = append(names, t.Name)
	}
	if c.Overwrite {
		f.checkf("next.messages", len(c.Remove) == 0 && len(c.Patch) == 0, "overwrite is combined with remove or patch")
	}
	s.verifyMessages(f, "next", s.requested(), &abi.Result{Messages: c.Messages, Patch: c.Patch, Remove: c.Remove, Overwrite: c.Overwrite})
}

func (s *scene) checkCallChange(f *Frame, payload []byte) {
	var c abi.CallChange
	err := decode(payload, &c)
	f.insistf("next.types", err == nil && (c.Args.IsZero() || c.Args.IsMap()), "the document of next is not a CallChange: %v", err)
	if c.Tool != "" {
		dynamic := slices.ContainsFunc(s.plugin.Tools, func(t abi.ToolSpec) bool { return t.Name == c.Tool && t.Dynamic })
		f.checkf("next.tool", dynamic, "it runs the tool %q, which it did not declare as dynamic", c.Tool)
	}
}
