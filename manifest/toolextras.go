package manifest

import (
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// toolExtras are keys for the definition of a tool that the provider gets.
type toolExtras wire.Map

// UnmarshalStrict decodes a mapping.
func (e *toolExtras) UnmarshalStrict(n strictyaml.Node) error {
	var fields map[string]any
	if err := n.Decode(&fields); err != nil {
		return err
	}
	extras, err := wire.MapOf(fields)
	if err != nil {
		return n.Errorf("%w", err)
	}
	*e = toolExtras(extras)
	return nil
}

// JSONSchema describes the mapping.
func (toolExtras) JSONSchema() map[string]any { return map[string]any{"type": "object"} }
