package manifest

import (
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// providerTool is a tool that the provider of a model runs itself: a name, or the provider's own definition.
type providerTool model.ProviderTool

// providerToolNames are the names of tools that several providers have.
var providerToolNames = []string{model.WebSearch, model.CodeExecution}

// UnmarshalStrict decodes either form.
func (t *providerTool) UnmarshalStrict(n strictyaml.Node) error {
	switch n.Kind() {
	case strictyaml.KindString:
		if err := n.Decode(&t.Name); err != nil {
			return err
		}
		if !slices.Contains(providerToolNames, t.Name) {
			return n.Unknown("tool of providers", providerToolNames)
		}
		return nil
	case strictyaml.KindMap:
		var err error
		if t.Definition, err = mappingOf(n); err != nil {
			return err
		}
		if len(t.Definition) == 0 {
			return n.Errorf("the definition is empty; write the provider's own one, such as {type: NAME}")
		}
		return nil
	default:
		return n.Errorf("a tool of the provider is a name, such as %s, or the provider's own definition, such as {type: NAME}", model.WebSearch)
	}
}

// JSONSchema returns the schema of either form.
func (providerTool) JSONSchema() map[string]any {
	return oneOf(enum(providerToolNames...), describedAs("The provider's own definition", map[string]any{"type": "object", "minProperties": 1}))
}

func providerTools(entries []providerTool) []model.ProviderTool {
	out := make([]model.ProviderTool, len(entries))
	for i := range entries {
		out[i] = model.ProviderTool(entries[i])
	}
	return out
}
