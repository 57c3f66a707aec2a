package gemini

import (
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var _ model.ProviderToolUser = (*Model)(nil)

// providerTools are Google's own tools: https://ai.google.dev/api/caching#Tool.
var providerTools = provider.Tools{
	Named: map[string]map[string]any{
		model.WebSearch: {"googleSearch": map[string]any{}}, model.CodeExecution: {"codeExecution": map[string]any{}},
	},
	Local: func(definition map[string]any) bool { return len(keysOf(definition)) == 0 },
	Names: keysOf,
	Other: "; write any other tool as the provider defines it, such as {urlContext: {}}",
}

// keysOf returns the keys of a definition that name tools which Google runs.
func keysOf(definition map[string]any) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(definition)), func(key string) bool {
		return slices.Contains([]string{"functionDeclarations", "function_declarations", "computerUse", "computer_use"}, key)
	})
}

// ProviderToolNames returns the names of the tools that Google runs itself.
func (m *Model) ProviderToolNames() []string {
	return providerTools.AllNames(m.ProviderTools, m.Settings)
}
