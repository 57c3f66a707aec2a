package manifest

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// durabilityEntry says when runs are saved.
type durabilityEntry struct {
	durability host.Durability
}

// UnmarshalStrict decodes the name.
func (e *durabilityEntry) UnmarshalStrict(n strictyaml.Node) error {
	var name string
	if err := n.Decode(&name); err != nil {
		return err
	}
	e.durability = host.Durability(name)
	switch e.durability {
	case host.DurabilityRound, host.DurabilityStep, host.DurabilityExit:
		return nil
	default:
		return n.Unknown("durability", []string{string(host.DurabilityRound), string(host.DurabilityStep), string(host.DurabilityExit)})
	}
}
