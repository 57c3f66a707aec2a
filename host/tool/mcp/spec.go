package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// serverTool is a tool as a server offers it.
type serverTool struct {
	own        string // the server's own name for it
	parameters wire.Raw
	refused    error // why it cannot be used; nil if it can
	tool       *sdk.Tool
}

// readTools reads the tools that a server lists. If two have the same name, the first counts.
func readTools(listed []*sdk.Tool) []serverTool {
	out := make([]serverTool, 0, len(listed))
	for _, t := range listed {
		if slices.ContainsFunc(out, func(o serverTool) bool { return o.own == t.Name }) {
			continue
		}
		o := serverTool{own: t.Name, tool: t}
		if t.Name == "" || strings.TrimSpace(fit(t.Name)) == "" {
			o.refused = errors.New("the tool has no name")
		} else {
			o.parameters, o.refused = parametersOf(t.InputSchema)
		}
		out = append(out, o)
	}
	return out
}

// choose returns the tools that the configuration lets through, with their names in the agent.
func (s *Server) choose(all []serverTool) ([]*tool, error) {
	if err := s.checkPatterns(all); err != nil {
		return nil, err
	}
	var tools []*tool
	for i := range all {
		o := &all[i]
		if len(s.config.Include) > 0 && !matches(s.config.Include, o.own) || matches(s.config.Exclude, o.own) {
			continue
		}
		t := &tool{server: s, own: o.own, spec: s.specOf(o)}
		if other := slices.IndexFunc(tools, func(other *tool) bool { return other.spec.Name == t.spec.Name }); other >= 0 && o.refused == nil {
			o.refused = fmt.Errorf("its name in the agent would be %q, like that of the tool %q", t.spec.Name, terminal.Line(tools[other].own))
		}
		if o.refused == nil {
			tools = append(tools, t)
			continue
		}
		if slices.Contains(s.config.Include, o.own) {
			return nil, fmt.Errorf("include: the tool %q cannot be used: %w", terminal.Line(o.own), o.refused)
		}
		s.config.Logger.Warn("a tool is left out", "tool", terminal.Line(o.own), "reason", s.secrets.line(o.refused.Error()))
	}
	return tools, nil
}

// specOf describes a tool to the model.
func (s *Server) specOf(o *serverTool) abi.ToolSpec {
	description := o.tool.Description
	if description == "" {
		description = o.tool.Title
	}
	idempotent := matches(s.config.Idempotent, o.own)
	if a := o.tool.Annotations; a != nil && s.config.TrustAnnotations {
		idempotent = idempotent || a.ReadOnlyHint || a.IdempotentHint
	}
	return abi.ToolSpec{
		Name:        nameOf(s.config.Prefix, o.own),
		Description: text.Cut(terminal.Text(strings.ToValidUTF8(description, "\uFFFD")), maxDescription),
		Parameters:  o.parameters, Idempotent: idempotent, Extras: s.config.Extras,
	}
}

// checkPatterns refuses patterns that match no tool: a misspelt one would wrongly admit or exclude a tool.
func (s *Server) checkPatterns(all []serverTool) error {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].own
	}
	for _, given := range []struct {
		key      string
		patterns []string
	}{{"include", s.config.Include}, {"exclude", s.config.Exclude}, {"idempotent", s.config.Idempotent}} {
		for _, pattern := range given.patterns {
			if !slices.ContainsFunc(names, func(name string) bool { return matches([]string{pattern}, name) }) {
				return fmt.Errorf("%s: the pattern %q matches no tool of the server, which has [%s]", given.key, pattern, terminal.Lines(names))
			}
		}
	}
	return nil
}

// MayServe reports whether a server that was not connected may have a tool that has this name in the agent.
func MayServe(config Config, name string) bool {
	if slices.ContainsFunc(config.features(), func(f *feature) bool { return nameOf(config.featurePrefix(), f.name) == name }) {
		return true
	}
	own, ok := strings.CutPrefix(name, config.Prefix)
	return ok && own != "" && fit(name) == name && (len(config.Include) == 0 || matches(config.Include, own)) && !matches(config.Exclude, own)
}

// Placeholders returns stand-ins for the tools of a server that was not connected, for inspecting an agent. They cover the
// names that the configuration includes, and any of the given names that the server may have.
func Placeholders(config Config, names []string) []abi.ToolSpec {
	var specs []abi.ToolSpec
	add := func(name string) {
		if !slices.ContainsFunc(specs, func(spec abi.ToolSpec) bool { return spec.Name == name }) {
			specs = append(specs, abi.ToolSpec{Name: name, Description: "a tool of an MCP server that was not asked"})
		}
	}
	for _, pattern := range config.Include {
		if isName(pattern) {
			add(nameOf(config.Prefix, pattern))
		}
	}
	for _, f := range config.features() {
		add(nameOf(config.featurePrefix(), f.name))
	}
	for _, name := range names {
		if MayServe(config, name) {
			add(name)
		}
	}
	return specs
}
