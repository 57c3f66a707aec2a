package manifest

import (
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// toolExtras are keys for the definition of a tool that the provider gets.
type toolExtras wire.Map

// UnmarshalStrict decodes a mapping.
func (e *toolExtras) UnmarshalStrict(n strictyaml.Node) error {
	extras, err := mappingOf(n)
	*e = toolExtras(extras)
	return err
}

// JSONSchema describes the mapping.
func (toolExtras) JSONSchema() map[string]any { return map[string]any{"type": "object"} }
