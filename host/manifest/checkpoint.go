package manifest

import (
	"strings"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// checkpointEntry names the store that keeps threads: memory, sqlite:PATH or a postgres URL.
type checkpointEntry struct{ store string }

// UnmarshalStrict checks the kind of store.
func (e *checkpointEntry) UnmarshalStrict(n strictyaml.Node) error {
	if err := n.Decode(&e.store); err != nil {
		return err
	}
	if e.store == "memory" {
		return nil
	}
	switch kind, _, _ := strings.Cut(e.store, ":"); kind {
	case "sqlite", "postgres", "postgresql":
		return n.Errorf("the checkpoint store %q is not supported yet; use memory", kind)
	default:
		return n.Unknown("checkpoint store", []string{"memory"})
	}
}

// build makes the store; nil: threads are not kept.
func (e *checkpointEntry) build() checkpoint.Store {
	if e.store == "" {
		return nil
	}
	return memory.New()
}
