package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// Tools describes the tools that a provider runs itself.
type Tools struct {
	Named map[string]map[string]any // the definitions of the tools with a name of package model
	// Local reports whether a definition describes a tool that the agent runs, such as a function.
	Local func(definition map[string]any) bool
	// Names returns the provider's own names of the tools in a definition.
	Names func(definition map[string]any) []string
	Other string // what to do where the provider has no tool of a name
}

// Definitions returns the definitions of tools, in the provider's format.
func (s *Tools) Definitions(name string, tools []model.ProviderTool) ([]map[string]any, error) {
	out := make([]map[string]any, 0, len(tools))
	for _, tool := range tools {
		if tool.Name == "" {
			definition := Object(tool.Definition.Raw())
			if len(definition) == 0 {
				return nil, unusableTool(name, "has an empty definition; write the provider's own one, or a name such as "+model.WebSearch)
			}
			out = append(out, definition)
			continue
		}
		definition, ok := s.Named[tool.Name]
		if !ok {
			return nil, unusableTool(name, fmt.Sprintf("names %q; %s", tool.Name, s.available(name)))
		}
		out = append(out, maps.Clone(definition))
	}
	return out, nil
}

func (s *Tools) available(name string) string {
	if len(s.Named) == 0 {
		return name + " has no tools with a name" + s.Other
	}
	return fmt.Sprintf("%s has %s%s", name, strings.Join(slices.Sorted(maps.Keys(s.Named)), " and "), s.Other)
}

func unusableTool(name, problem string) *model.Error {
	return Unsendable(name, &model.SettingError{Setting: "provider_tools", Problem: problem})
}

// AddExtras adds to a tool's definition those of its extras that have one of these keys. A provider refuses others.
func AddExtras(definition map[string]any, spec *abi.ToolSpec, known ...string) {
	for _, extra := range spec.Extras {
		if slices.Contains(known, extra.Key) {
			definition[extra.Key] = extra.Value
		}
	}
}

// AllNames returns the names of the tools of a model that the provider runs, including those in the setting "tools".
func (s *Tools) AllNames(tools []model.ProviderTool, settings wire.Map) (names []string) {
	add := func(definition map[string]any) {
		if len(definition) > 0 && !s.Local(definition) {
			names = append(names, s.Names(definition)...)
		}
	}
	for _, tool := range tools {
		if tool.Name != "" {
			names = append(names, tool.Name)
			add(s.Named[tool.Name])
		} else {
			add(Object(tool.Definition.Raw()))
		}
	}
	entries, _ := settings.Get("tools").Items()
	for _, entry := range entries {
		add(Object(entry))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TypeAndName returns the names of a definition that has a type, and perhaps a name.
func TypeAndName(definition map[string]any) (names []string) {
	for _, key := range []string{"type", "name"} {
		if name, ok := definition[key].(string); ok && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// TypeHasPrefix reports whether the type of a definition begins with one of these texts.
func TypeHasPrefix(definition map[string]any, prefixes ...string) bool {
	of, _ := definition["type"].(string)
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(of, prefix) })
}
