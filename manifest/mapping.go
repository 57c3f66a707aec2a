package manifest

import (
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// mappingOf decodes a mapping whose keys are the provider's.
func mappingOf(n strictyaml.Node) (wire.Map, error) {
	var fields map[string]any
	if err := n.Decode(&fields); err != nil {
		return nil, err
	}
	out, err := wire.MapOf(fields)
	if err != nil {
		return nil, n.Errorf("%w", err)
	}
	return out, nil
}
