package manifest

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// durabilityEntry says when runs are saved.
type durabilityEntry struct {
	durability host.Durability
	node       strictyaml.Node
}

// UnmarshalStrict decodes the name.
func (e *durabilityEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
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

// check reports a durability without a store.
func (e *durabilityEntry) check(m *Manifest) error {
	if !e.node.IsZero() && m.threads == nil && m.Checkpoint.address.IsZero() {
		return e.node.Errorf("there is no checkpoint store to save threads in; add the key checkpoint, such as checkpoint: sqlite:agent.db")
	}
	return nil
}
